"""Fitting: weights come back, none below zero, and the measures are what they are called."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path

import pytest

from kensaku.errors import ConfigError
from kensaku.models.calibration import (
    Example,
    Model,
    area_under_curve,
    calibration_error,
    fit,
    read_models,
    shipped_models,
    write_models,
)

TRUE = Model({"a": 3.0, "b": 0.0}, -1.5, "")


def drawn(count: int, seed: int = 0) -> list[Example]:
    """Examples of a known model."""
    rng = random.Random(seed)
    made = []
    for _ in range(count):
        factors = {"a": rng.random(), "b": rng.random()}
        made.append(Example(factors, rng.random() < TRUE.probability(factors)))
    return made


def test_the_weights_of_a_known_model_come_back() -> None:
    """From enough examples."""
    found = fit(drawn(4_000), ("a", "b"), fitted_on="here", penalty=0.1)

    assert found.weights["a"] == pytest.approx(3.0, abs=0.4)
    assert found.weights["b"] < 0.4
    assert found.intercept == pytest.approx(-1.5, abs=0.3)


def test_no_weight_falls_below_zero() -> None:
    """A factor that seems to speak against is left out."""
    turned = [Example({"a": 1 - e.factors["a"]}, e.right) for e in drawn(400)]

    assert fit(turned, ("a",), fitted_on="").weights == {"a": 0.0}


def test_few_examples_stay_near_the_prior() -> None:
    """And many leave it."""
    prior = Model({"a": 8.0, "b": 0.0}, -4.0, "")
    few, many = (fit(drawn(n), ("a", "b"), fitted_on="", prior=prior) for n in (20, 2_000))

    assert abs(few.weights["a"] - 8) < abs(many.weights["a"] - 8)


@pytest.mark.parametrize("right", [True, False])
def test_examples_of_one_kind_do_not_diverge(right: bool) -> None:
    """Whatever is fitted stays a number."""
    found = fit([Example({"a": 1.0}, right)] * 50, ("a",), fitted_on="")

    assert math.isfinite(found.intercept)
    assert 0 <= found.probability({"a": 1.0}) <= 1


def test_area_under_the_curve() -> None:
    """Ties count half; there is none for one kind alone."""
    assert area_under_curve([0.1, 0.9], [False, True]) == 1
    assert area_under_curve([0.9, 0.1], [False, True]) == 0
    assert area_under_curve([0.5, 0.5, 0.5], [False, True, True]) == 0.5
    assert math.isnan(area_under_curve([0.5], [True]))


def test_calibration_error() -> None:
    """Half of what is said to be sure by half is right."""
    assert calibration_error([0.5, 0.5], [True, False]) == 0
    assert calibration_error([1.0, 1.0], [False, False]) == 1
    assert calibration_error([0.05, 0.95], [False, True]) == pytest.approx(0.05)


def test_models_are_written_and_read(tmp_path: Path) -> None:
    """As they were; a file of something else is named."""
    path = tmp_path / "home" / "confidence.json"
    write_models(path, shipped_models())

    assert read_models(path) == shipped_models()
    for text in ("", "[]", '{"local": {}}', json.dumps({"local": {"weights": 1}})):
        path.write_text(text)
        with pytest.raises(ConfigError, match="calibrate"):
            read_models(path)


RUNS = [
    Example({"a": a, "b": b}, right)
    for a, b, right in [
        (0.9, 0.1, True), (0.8, 0.7, True), (0.2, 0.6, False), (0.4, 0.3, False),
        (0.6, 0.9, True), (0.5, 0.2, False), (0.3, 0.8, True),
    ]
]  # fmt: skip


@pytest.mark.parametrize(
    ("options", "weight", "found"),
    [
        ({}, 1.0, ({"a": 0.455, "b": 0.4003}, -0.1573)),
        ({"penalty": 1.0}, 3.0, ({"a": 1.2112, "b": 1.0167}, -0.8653)),
        ({"penalty": 0.01}, 1.0, ({"a": 9.4013, "b": 7.3496}, -7.7695)),
        ({"prior": Model({"a": 2.0}, -1.0, "")}, 1.0, ({"a": 2.2879, "b": 0.4509}, -1.1319)),
    ],
)
def test_seven_runs_are_fitted_to_four_digits(options, weight, found) -> None:
    """The penalty is 1 and each run counts once, unless it is said otherwise."""
    runs = RUNS if weight == 1 else [Example(e.factors, e.right, weight) for e in RUNS]
    model = fit(runs, ("a", "b"), fitted_on="seven", **options)

    assert (model.weights, model.intercept, model.fitted_on) == (*found, "seven")


@pytest.mark.parametrize("penalty", [0.01, 1.0, 20.0])
@pytest.mark.parametrize("prior", [None, Model({"a": 2.0}, -1.0, "")])
def test_no_neighbour_of_the_fit_is_better(penalty: float, prior: Model | None) -> None:
    """It is the minimum of log loss and penalty, computed here in the plainest way."""
    model = fit(RUNS, ("a", "b"), fitted_on="", penalty=penalty, prior=prior)

    def loss(a: float, b: float, intercept: float) -> float:
        far = (a - (prior.weights["a"] if prior else 0)) ** 2 + b**2
        log_loss = 0.0
        for e in RUNS:
            p = 1 / (1 + math.exp(-(a * e.factors["a"] + b * e.factors["b"] + intercept)))
            log_loss -= math.log(p if e.right else 1 - p)
        return log_loss + penalty * far / 2

    best = (model.weights["a"], model.weights["b"], model.intercept)
    for n in range(3):
        for step in (-0.02, 0.02):
            moved = [v + step * (i == n) for i, v in enumerate(best)]
            assert loss(*moved) > loss(*best) or min(moved[:2]) < 0


def test_a_start_far_away_comes_back() -> None:
    """A whole step would go too far: it is halved until the loss falls."""
    far = Model({"a": 0.0, "b": 0.0}, 40.0, "")

    found = fit(RUNS, ("a", "b"), fitted_on="", prior=far)

    assert (found.weights, found.intercept) == ({"a": 0.455, "b": 0.4003}, -0.1573)


@pytest.mark.parametrize(
    ("total", "probability"),
    [(0.0, 0.5), (-1e6, 0.0), (1e6, 1.0), (math.log(3), 0.75), (-math.log(3), 0.25)],
)
def test_a_probability_is_one_however_large_the_sum(total: float, probability: float) -> None:
    """No number is too large for it."""
    assert Model({"a": total}, 0.0, "").probability({"a": 1.0}) == pytest.approx(probability)
    assert Model({}, total, "").probability({}) == pytest.approx(probability)


@pytest.mark.parametrize(
    ("scores", "right", "area"),
    [
        ([0.1, 0.4, 0.35, 0.8], [False, False, True, True], 0.75),
        ([0.2, 0.2, 0.9], [False, True, True], 0.75),
        ([0.9, 0.2, 0.2, 0.2], [True, True, False, False], 0.75),
    ],
)
def test_area_under_the_curve_counts_pairs(scores, right, area) -> None:
    """Three of four pairs, or a tie and a win of two."""
    assert area_under_curve(scores, right) == area
    assert math.isnan(area_under_curve([0.5, 0.6], [False, False]))


def test_a_bin_is_a_tenth() -> None:
    """What is off in one direction cancels within a bin, and not between two."""
    assert calibration_error([0.02, 0.098], [True, False]) == pytest.approx(0.441)
    assert calibration_error([0.15, 0.15, 0.95], [True, False, True]) == pytest.approx(0.25)
    assert calibration_error([0.99, 1.0], [True, False]) == pytest.approx(0.495)
    assert math.isnan(calibration_error([], []))


def test_the_file_of_models_as_people_read_it(tmp_path: Path) -> None:
    """Letters as they are; no half-written file is left beside it."""
    path = tmp_path / "home" / "confidence.json"

    write_models(path, {"web": Model({"a": 1.5}, -0.5, "日本")})

    assert path.read_text("utf-8") == (
        '{\n  "web": {\n    "weights": {\n      "a": 1.5\n    },\n'
        '    "intercept": -0.5,\n    "fitted_on": "日本"\n  }\n}\n'
    )
    assert [p.name for p in path.parent.iterdir()] == ["confidence.json"]

"""Fitting: weights come back, none below zero, and the measures are what they are called."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path

import pytest

from kensaku.errors import ConfigError
from kensaku.search.calibration import (
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

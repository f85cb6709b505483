"""`bench/calibrate.py` fits the confidence to judged searches; `bench/regression.py` does the sums."""

from __future__ import annotations

import importlib
import json
import math
import random
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from kensaku import Document
from kensaku.models.calibration import Model, read_models, shipped_models

BENCH = Path(__file__).parents[1] / "bench"
WORDS = "sea otters hold hands while they rest in kelp".split()
RUNS = [
    ((0.9, 0.1), True), ((0.8, 0.7), True), ((0.2, 0.6), False), ((0.4, 0.3), False),
    ((0.6, 0.9), True), ((0.5, 0.2), False), ((0.3, 0.8), True),
]  # fmt: skip


@pytest.fixture
def regression(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module as the benchmarks import it."""
    monkeypatch.syspath_prepend(BENCH)
    return importlib.import_module("regression")


@pytest.fixture
def calibrate(regression: ModuleType) -> ModuleType:
    """The program as a module."""
    return importlib.import_module("calibrate")


def judged(n: int, *, right: bool) -> dict[str, Any]:
    """A search as `kensaku search --json` prints it. Here, right ones cover little."""
    rng = random.Random(n)
    found = rng.sample(WORDS, rng.randint(2, 4) if right else rng.randint(5, 8))
    hits = [{"title": "", "url": f"doc:{i}", "content": " ".join(found), "score": 0.5,
             "published": None, "provider": "local", "explain": {"bm25": 9.0 - i, "strength": 1.5}}
            for i in range(3)]  # fmt: skip
    return {"query": " ".join(WORDS), "hits": hits, "right": right}


def write(path: Path, rows: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


@pytest.fixture
def runs(tmp_path: Path) -> str:
    """Forty judged runs of the local index, and a blank line."""
    path = tmp_path / "runs.jsonl"
    write(path, [judged(n, right=n % 4 > 0) for n in range(40)])
    path.write_text("\n" + path.read_text())
    return str(path)


async def test_searches_use_the_fitted_weights(calibrate, runs, machine, make_client, capsys):
    """From the next client on; kinds without judged runs keep the shipped ones."""
    calibrate.main([runs])

    models = read_models(machine / "confidence.json")
    assert models["web"] == shipped_models()["web"]
    assert all(weight >= 0 for weight in models["local"].weights.values())
    assert capsys.readouterr().out.startswith("local: 40 runs, 30 right\n  shipped  AUC ")
    client = make_client("local")
    await client.index.add([Document("doc:1", "Otters", "Sea otters hold hands.")])
    found = await client.search("sea otters")
    assert "40 judged runs of yours" in found.confidence.fitted_on


def test_a_dry_run_writes_nothing(calibrate, runs, machine):
    """It only prints."""
    calibrate.main(["--dry-run", runs])

    assert not (machine / "confidence.json").exists()


@pytest.mark.parametrize(("right", "wrong"), [(9, 11), (11, 9), (40, 0)])
def test_ten_of_each_are_needed(calibrate, right, wrong, tmp_path):
    """Nothing can be learnt from right ones alone."""
    rows = [judged(n, right=n < right) for n in range(right + wrong)]

    with pytest.raises(SystemExit, match="too few judged runs"):
        calibrate.main([write(tmp_path / "runs.jsonl", rows)])


@pytest.mark.parametrize("line", ["{}", "[]", '{"query": "q", "hits": [], "right": 1}'])
def test_the_line_of_what_is_no_judged_search_is_named(calibrate, runs, line):
    """Counted from one, with what to write."""
    path = Path(runs)
    path.write_text(path.read_text() + line)

    with pytest.raises(SystemExit, match=r"line 42 of .* is no judged search"):
        calibrate.main([runs])


@pytest.mark.parametrize("penalty", [0.01, 1.0, 20.0])
@pytest.mark.parametrize("prior", [None, Model({"a": 2.0}, -1.0, ""), Model({}, 40.0, "")])
def test_no_neighbour_of_the_fit_is_better(regression, penalty: float, prior: Model | None) -> None:
    """It is the minimum of log loss and penalty, computed here in the plainest way."""
    examples = [regression.Example({"a": a, "b": b}, right) for (a, b), right in RUNS]
    model = regression.fit(examples, ("a", "b"), fitted_on="", penalty=penalty, prior=prior)

    def loss(a: float, b: float, intercept: float) -> float:
        far = (a - (prior.weights.get("a", 0) if prior else 0)) ** 2 + b**2
        log_loss = 0.0
        for e in examples:
            p = 1 / (1 + math.exp(-(a * e.factors["a"] + b * e.factors["b"] + intercept)))
            log_loss -= math.log(p if e.right else 1 - p)
        return log_loss + penalty * far / 2

    best = (model.weights["a"], model.weights["b"], model.intercept)
    for n in range(3):
        for step in (-0.02, 0.02):
            moved = [v + step * (i == n) for i, v in enumerate(best)]
            assert loss(*moved) > loss(*best) or min(moved[:2]) < 0


def test_no_weight_falls_below_zero(regression) -> None:
    """A factor that seems to speak against is left out; examples of one kind do not diverge."""
    against = [regression.Example({"a": 1 - a}, right) for (a, _), right in RUNS]
    alike = [regression.Example({"a": 1.0}, True)] * 50

    assert regression.fit(against, ("a",), fitted_on="").weights == {"a": 0.0}
    assert math.isfinite(regression.fit(alike, ("a",), fitted_on="").intercept)


@pytest.mark.parametrize(
    ("scores", "right", "area", "error"),
    [
        ([0.1, 0.9], [False, True], 1, 0.1),
        ([0.9, 0.1], [False, True], 0, 0.9),
        ([0.5, 0.5], [False, True], 0.5, 0),
        ([0.1, 0.4, 0.35, 0.8], [False, False, True, True], 0.75, 0.3375),
    ],
)
def test_the_measures(regression, scores, right, area, error) -> None:
    """Pairs in the right order, ties counting half; what is off within each tenth."""
    assert regression.area_under_curve(scores, right) == area
    assert regression.calibration_error(scores, right) == pytest.approx(error)

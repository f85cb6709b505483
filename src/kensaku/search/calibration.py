"""Fit and apply the models behind `confidence`: logistic regressions over a few factors.

    judged runs → examples → fit → Model → probability of a list of hits

A model is a handful of numbers in `confidence.json`. No weight is negative, so that a better factor
never lowers the probability. `kensaku calibrate` fits one to a person's own runs.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from kensaku.errors import ConfigError

SHIPPED = Path(__file__).with_name("confidence.json")
_STEPS, _PRECISION = 60, 1e-6  # Newton's method is done after about ten steps
_BINS = 10


@dataclass(frozen=True, slots=True)
class Model:
    """The weights of factors by name, and what they were fitted on."""

    weights: Mapping[str, float]
    intercept: float
    fitted_on: str

    def probability(self, factors: Mapping[str, float]) -> float:
        """Return the probability that these factors speak for."""
        total = self.intercept + sum(w * factors[name] for name, w in self.weights.items())
        return _sigmoid(total)


Models = Mapping[str, Model]  # "local" and "web"


@dataclass(frozen=True, slots=True)
class Example:
    """The factors of one judged run, whether it was right, and how much it counts."""

    factors: Mapping[str, float]
    right: bool
    weight: float = 1.0


@cache
def shipped_models() -> Models:
    """Return the models that come with the library."""
    return read_models(SHIPPED)


def read_models(path: Path) -> Models:
    """Read the models of a file. Raises `ConfigError` for one that holds something else."""
    try:
        read = json.loads(path.read_text("utf-8"))
        models = {name: _model(values) for name, values in read.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ConfigError(
            f"{path} holds no models of confidence ({type(error).__name__})",
            remedy="write it again with `kensaku calibrate`, or delete it",
        ) from None
    return models


def write_models(path: Path, models: Models) -> None:
    """Write models so that the file is complete whenever it is there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    rows = {name: asdict(model) for name, model in models.items()}
    partial.write_text(json.dumps(rows, indent=2, ensure_ascii=False) + "\n", "utf-8")
    partial.replace(path)


def fit(
    examples: Sequence[Example],
    names: Sequence[str],
    *,
    fitted_on: str,
    prior: Model | None = None,
    penalty: float = 1.0,
) -> Model:
    """Fit a logistic regression by Newton's method, no weight below zero.

    `penalty` pulls the weights to those of `prior` (else to zero), so that a few examples move a
    little and many decide. The intercept is free.
    """
    rows = [[*(e.factors[name] for name in names), 1.0] for e in examples]
    centre = [prior.weights.get(name, 0.0) if prior else 0.0 for name in names]
    theta = [*centre, prior.intercept if prior else 0.0]
    last = len(names)
    for _ in range(_STEPS):
        gradient = [penalty * (t - c) for t, c in zip(theta, centre, strict=False)] + [0.0]
        curvature = [[penalty * (i == j < last) for j in range(last + 1)] for i in range(last + 1)]
        curvature[last][last] += 1e-6
        for row, example in zip(rows, examples, strict=True):
            p = _sigmoid(sum(t * x for t, x in zip(theta, row, strict=True)))
            slope, bend = example.weight * (p - example.right), example.weight * p * (1 - p)
            for i, x in enumerate(row):
                gradient[i] += slope * x
                for j in range(i, last + 1):
                    curvature[i][j] += bend * x * row[j]
        _mirror(curvature)
        free = [i for i in range(last + 1) if i == last or theta[i] > 0 or gradient[i] < 0]
        step = _solve([[curvature[i][j] for j in free] for i in free], [gradient[i] for i in free])
        for i, change in zip(free, step, strict=True):
            theta[i] = theta[i] - change if i == last else max(0.0, theta[i] - change)
        if max(map(abs, step)) < _PRECISION:
            break
    weights = {name: round(t, 4) for name, t in zip(names, theta, strict=False)}
    return Model(weights, round(theta[last], 4), fitted_on)


def area_under_curve(scores: Sequence[float], right: Sequence[bool]) -> float:
    """Return the probability that a right run is scored above a wrong one; ties count half."""
    ranks: dict[float, float] = {}
    ordered = sorted(scores)
    at = 0
    while at < len(ordered):
        end = at
        while end < len(ordered) and ordered[end] == ordered[at]:
            end += 1
        ranks[ordered[at]] = (at + 1 + end) / 2
        at = end
    good = sum(right)
    bad = len(right) - good
    if not good or not bad:
        return math.nan
    total = sum(ranks[s] for s, r in zip(scores, right, strict=True) if r)
    return (total - good * (good + 1) / 2) / (good * bad)


def calibration_error(scores: Sequence[float], right: Sequence[bool]) -> float:
    """Return the expected calibration error over ten bins of equal width."""
    bins: dict[int, list[tuple[float, bool]]] = {}
    for score, is_right in zip(scores, right, strict=True):
        bins.setdefault(min(_BINS - 1, int(score * _BINS)), []).append((score, is_right))
    off = (abs(sum(s for s, _ in b) - sum(r for _, r in b)) for b in bins.values())
    return sum(off) / len(scores) if scores else math.nan


def _model(values: Mapping[str, Any]) -> Model:
    weights = {str(n): float(w) for n, w in values["weights"].items()}
    return Model(weights, float(values["intercept"]), str(values["fitted_on"]))


def _sigmoid(x: float) -> float:
    if x < 0:
        return math.exp(max(x, -700.0)) / (1 + math.exp(max(x, -700.0)))
    return 1 / (1 + math.exp(-x))


def _mirror(matrix: list[list[float]]) -> None:
    for i, row in enumerate(matrix):
        for j in range(i):
            row[j] = matrix[j][i]


def _solve(matrix: list[list[float]], right: list[float]) -> list[float]:
    """Solve linear equations by elimination with pivots."""
    n = len(right)
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda r: abs(rows[r][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for r in range(i + 1, n):
            factor = rows[r][i] / rows[i][i]
            rows[r] = [a - factor * b for a, b in zip(rows[r], rows[i], strict=True)]
    solved = [0.0] * n
    for i in reversed(range(n)):
        known = sum(rows[i][j] * solved[j] for j in range(i + 1, n))
        solved[i] = (rows[i][n] - known) / rows[i][i]
    return solved

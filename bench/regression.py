"""Fit a logistic regression whose weights are not negative, and measure what it predicts.

judged runs → examples → fit → Model → AUC, calibration error
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from kensaku.models.calibration import Model, Models, sigmoid

STEPS, PRECISION = 60, 1e-6  # Newton's method is done after about ten steps
BINS = 10


@dataclass(frozen=True, slots=True)
class Example:
    """The factors of one judged run, whether it was right, and how much it counts."""

    factors: Mapping[str, float]
    right: bool
    weight: float = 1.0


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
    centre = [prior.weights.get(name, 0.0) if prior else 0.0 for name in names]
    task = Task(
        [[*(e.factors[n] for n in names), 1.0] for e in examples], examples, centre, penalty
    )
    theta = [*centre, prior.intercept if prior else 0.0]
    last = len(names)
    loss = task.loss(theta)
    for _ in range(STEPS):
        gradient, curvature = task.derivatives(theta)
        free = [i for i in range(last + 1) if i == last or theta[i] > 0 or gradient[i] < 0]
        step = solve([[curvature[i][j] for j in free] for i in free], [gradient[i] for i in free])
        scale, before = 1.0, loss
        while scale > PRECISION:  # a whole step may go too far
            tried = list(theta)
            for i, change in zip(free, step, strict=True):
                moved = theta[i] - scale * change
                tried[i] = moved if i == last else max(0.0, moved)
            if (loss := task.loss(tried)) <= before:
                theta = tried
                break
            scale /= 2
        if before - loss < PRECISION:
            break
    weights = {name: round(t, 4) for name, t in zip(names, theta, strict=False)}
    return Model(weights, round(theta[last], 4), fitted_on)


@dataclass(frozen=True, slots=True)
class Task:
    """What is minimised: the weighted log loss, and the penalty for leaving the centre."""

    rows: Sequence[Sequence[float]]  # the factors of each example, and 1 for the intercept
    examples: Sequence[Example]
    centre: Sequence[float]
    penalty: float

    def loss(self, theta: Sequence[float]) -> float:
        far = sum((t - c) ** 2 for t, c in zip(theta, self.centre, strict=False))
        total = self.penalty * far / 2
        for row, example in zip(self.rows, self.examples, strict=True):
            x = sum(t * v for t, v in zip(theta, row, strict=True))
            wrong_way = -x if example.right else x
            total += example.weight * (max(0.0, wrong_way) + math.log1p(math.exp(-abs(x))))
        return total

    def derivatives(self, theta: Sequence[float]) -> tuple[list[float], list[list[float]]]:
        """Return the gradient and the matrix of second derivatives."""
        last = len(self.centre)
        pull = zip(theta, self.centre, strict=False)
        gradient = [self.penalty * (t - c) for t, c in pull] + [0.0]
        curvature = [[0.0] * (last + 1) for _ in range(last + 1)]
        for i in range(last + 1):
            curvature[i][i] = self.penalty if i < last else 1e-6
        for row, example in zip(self.rows, self.examples, strict=True):
            p = sigmoid(sum(t * x for t, x in zip(theta, row, strict=True)))
            slope, bend = example.weight * (p - example.right), example.weight * p * (1 - p)
            for i, x in enumerate(row):
                gradient[i] += slope * x
                for j in range(i, last + 1):
                    curvature[i][j] += bend * x * row[j]
        for i in range(last + 1):
            for j in range(i):
                curvature[i][j] = curvature[j][i]
        return gradient, curvature


def solve(matrix: list[list[float]], right: list[float]) -> list[float]:
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
        bins.setdefault(min(BINS - 1, int(score * BINS)), []).append((score, is_right))
    off = (abs(sum(s for s, _ in b) - sum(r for _, r in b)) for b in bins.values())
    return sum(off) / len(scores) if scores else math.nan


def write_models(path: Path, models: Models) -> None:
    """Write models so that the file is complete whenever it is there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    rows = {name: asdict(model) for name, model in models.items()}
    partial.write_text(json.dumps(rows, indent=2, ensure_ascii=False) + "\n", "utf-8")
    partial.replace(path)

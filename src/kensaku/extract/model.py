"""The forest of decision trees that knows main content from the rest, in plain Python.

`blocks.model.json` is written by `bench/train_extractor.py`: the names of the numbers it looks at,
and trees of `[number, bound, if not above, if above]` down to leaves. Trees are turned into one
Python function when first used: that is three times as fast as walking them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from functools import cache
from importlib import resources
from typing import Any

from kensaku.extract import features

FILE = "blocks.model.json"
Score = Callable[[list[float]], float]
_SURE = -6.0  # after a third of the trees: further down nothing comes back


def probabilities(rows: list[list[float]]) -> list[float]:
    """For each block the share of it that is expected to be main content."""
    score = _compiled()
    return [1.0 / (1.0 + math.exp(-score(row))) for row in rows]


@cache
def _compiled() -> Score:
    text = resources.files("kensaku.extract").joinpath(FILE).read_text(encoding="utf-8")
    model = json.loads(text)
    known = {name: at for at, name in enumerate(features.names())}
    return build([known[name] for name in model["features"]], model["trees"], model["start"])


def build(columns: list[int], trees: list[Any], start: float) -> Score:
    """One function for all trees; `columns` says where in a row the numbers of the trees are."""
    lines = ["def score(x):", f" s = {float(start)!r}"]
    for at, tree in enumerate(trees):
        lines.append(f" s += {_expression(tree, columns)}")
        if at == len(trees) // 3:
            lines.append(f" if s < {_SURE!r}: return s")
    lines.append(" return s")
    scope: dict[str, Any] = {}
    exec(compile("\n".join(lines), FILE, "exec"), scope)  # our own numbers, from our own file
    function: Score = scope["score"]
    return function


def _expression(tree: Any, columns: list[int]) -> str:
    if not isinstance(tree, list):
        return repr(float(tree))
    column, bound, low, high = tree
    return (
        f"({_expression(low, columns)} if x[{columns[int(column)]}] <= {float(bound)!r} "
        f"else {_expression(high, columns)})"
    )

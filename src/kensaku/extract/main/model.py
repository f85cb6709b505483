"""The forest of decision trees that scores blocks, in plain Python.

`bench/train_extractor.py` writes `blocks.model.json`: the names of the features, and trees of
`[feature, bound, if not above, if above]` down to leaves. On first use the trees are compiled to
one Python function, which is three times as fast as walking them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from functools import cache
from importlib import resources
from typing import Any

from kensaku.extract.main import features

FILE = "blocks.model.json"
Score = Callable[..., float]  # of the numbers of one row
# After this share of the trees, a score this far from zero no longer changes its sign: half of all
# blocks need a quarter of the trees.
_EARLY_EXITS = ((0.25, 2.2), (0.5, 3.0))


def probabilities(rows: list[list[float]]) -> list[float]:
    """Return, for each block, the share of it that is expected to be main content."""
    score = _score_function()
    return [1.0 / (1.0 + math.exp(-score(*row))) for row in rows]


@cache
def _score_function() -> Score:
    text = resources.files("kensaku.extract.main").joinpath(FILE).read_text(encoding="utf-8")
    model = json.loads(text)
    expressions = features.expressions_by_name()
    return compile_trees([expressions[name] for name in model["features"]], model["trees"])


def compile_trees(columns: list[str], trees: list[Any]) -> Score:
    """Compile all trees to one function; `columns` has the expression for each feature.

    The numbers of a row are its arguments: Python reads a local name faster than a list item.
    """
    lines = [f"def score({', '.join(features.COLUMNS)}):", " s = 0.0"]
    for at, tree in enumerate(trees):
        lines.append(f" s += {_expression(tree, columns)}")
        lines += [
            f" if s < {-bound} or s > {bound}: return s"
            for share, bound in _EARLY_EXITS
            if at + 1 == int(len(trees) * share)
        ]
    lines.append(" return s")
    scope: dict[str, Any] = {}
    exec(compile("\n".join(lines), FILE, "exec"), scope)  # our own numbers, from our own file
    function: Score = scope["score"]
    return function


def _expression(tree: Any, columns: list[str]) -> str:
    if not isinstance(tree, list):
        return repr(float(tree))
    column, bound, low, high = tree
    read = columns[int(column)]
    below, above = _expression(low, columns), _expression(high, columns)
    if "&" in read:  # a bit
        return f"({above} if {read} else {below})"
    return f"({below} if {read} <= {float(bound)!r} else {above})"

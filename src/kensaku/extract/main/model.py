"""The decision trees that score blocks, in plain Python.

    blocks → features, weights of words → kind of the page → a score for each block

`bench/train_extractor.py` writes `blocks.model.json`: the weights of words, and for the kinds and
the blocks the names of their features with trees of `[feature, bound, if not above, if above]` down
to leaves. On first use the trees are compiled to Python functions, which is three times as fast as
walking them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from functools import cache
from importlib import resources
from typing import Any

from kensaku.extract.main import features
from kensaku.extract.main.blocks import Block
from kensaku.extract.main.kinds import KINDS, kind_signals
from kensaku.extract.main.lexicon import BOX_NAMES
from kensaku.extract.main.signals import PageFacts
from kensaku.extract.main.vocabulary import Vocabulary

FILE = "blocks.model.json"
Score = Callable[..., float]
# After a share of the trees, a score this far from zero is certain enough: the other trees would
# only make it larger, by this factor at the median. Without the factor, F1 falls by 0.002.
_EXITS = ((0.15, 2.0, 1.79), (0.3, 2.0, 1.21))
_SURELY, _PROBABLY = 0.9, 0.6  # how certain a page is an article
_OWN_WORD = 0.2  # what it adds that the page calls itself one
_COMMENT_DOUBT, _CARD_DOUBT = 0.3, 0.6
_FEWEST_CARDS, _MOST_CARDS = 4, 0.9  # how many cards, and the share of them with a link
_PART = len(features.NUMBERS) + [field for field, _ in features.BIT_FIELDS].index("part")
_CARDS, _CARD_LINKS, _FROM_RUN, _SAYS_ARTICLE = (
    features.NUMBERS.index(n) for n in ("card_count", "card_links", "from_run", "says_article")
)
_COMMENT = 1 << list(BOX_NAMES).index("comment")
_KIND_COLUMNS = [f"k{at}" for at in range(len(KINDS))]


def probabilities(blocks: list[Block], facts: PageFacts) -> tuple[list[float], list[float]]:
    """Return, for each block, the share of it that is expected to be main content.

    Also the probability of each kind of page, in the order of `KINDS`.
    """
    rows = features.rows(blocks, facts, vocabulary())
    kinds = page_kinds(kind_signals(rows, facts))
    score = _blocks()
    shares = [1.0 / (1.0 + math.exp(-score(*row, *kinds))) for row in rows]
    around = [is_surrounding(row) for row in rows]
    return doubt_surroundings(shares, around, article_certainty(kinds, rows)), kinds


def article_certainty(kinds: list[float], rows: list[features.Row]) -> float:
    """Return how certain a page is an article: by its signals, and by its own word."""
    says = bool(rows) and rows[0][_SAYS_ARTICLE] > 0
    return kinds[KINDS.index("article")] + (_OWN_WORD if says else 0.0)


def is_surrounding(row: features.Row) -> tuple[bool, bool]:
    """Tell whether a block stands among comments, and among cards behind the running text."""
    return bool(int(row[_PART]) & _COMMENT), (
        row[_CARDS] >= _FEWEST_CARDS and row[_CARD_LINKS] > _MOST_CARDS and row[_FROM_RUN] > 0
    )


def doubt_surroundings(
    shares: list[float], around: list[tuple[bool, bool]], article: float
) -> list[float]:
    """Lower the shares of comments on an article, and of teasers behind it.

    In forums and lists the same containers hold the content, and the trees tell these from
    articles too seldom: on sets of articles that they have not seen, F1 rises by 0.004 to 0.007.
    """
    comments = _COMMENT_DOUBT if article >= _SURELY else 1.0
    cards = _CARD_DOUBT if article >= _PROBABLY else 1.0
    return [
        share * (comments if is_comment else 1.0) * (cards if is_card else 1.0)
        for share, (is_comment, is_card) in zip(shares, around, strict=True)
    ]


def page_kinds(signals: dict[str, float]) -> list[float]:
    """Return the probability of each kind, in the order of `KINDS`."""
    powers = [math.exp(score(signals.get)) for score in _kinds()]
    total = sum(powers)
    return [power / total for power in powers]


@cache
def _stages() -> dict[str, Any]:
    text = resources.files("kensaku.extract.main").joinpath(FILE).read_text(encoding="utf-8")
    stages: dict[str, Any] = json.loads(text)
    return stages


@cache
def vocabulary() -> Vocabulary:
    """Return the weights of words."""
    return Vocabulary(_stages()["words"])


@cache
def _kinds() -> list[Score]:
    stage = _stages()["kinds"]
    columns = [f"get({name!r}, 0.0)" for name in stage["features"]]
    # The trees take turns: one of each kind in every round.
    return [
        compile_trees(["get"], columns, stage["trees"][n :: len(KINDS)]) for n in range(len(KINDS))
    ]


@cache
def _blocks() -> Score:
    expressions = features.expressions_by_name()
    expressions |= {f"kind:{k}": c for k, c in zip(KINDS, _KIND_COLUMNS, strict=True)}
    stage = _stages()["blocks"]
    reads = [expressions[name] for name in stage["features"]]
    return compile_trees([*features.COLUMNS, *_KIND_COLUMNS], reads, stage["trees"], _EXITS)


def compile_trees(
    arguments: list[str],
    columns: list[str],
    trees: list[Any],
    exits: Sequence[tuple[float, float, float]] = (),
) -> Score:
    """Compile all trees to one function; `columns` has the expression for each feature.

    The numbers of a row are its arguments: Python reads a local name faster than a list item.
    """
    lines = [f"def score({', '.join(arguments)}):", " s = 0.0"]
    for at, tree in enumerate(trees):
        lines.append(f" s += {_expression(tree, columns)}")
        lines += [
            f" if s < {-bound} or s > {bound}: return s * {growth}"
            for share, bound, growth in exits
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

"""The compiled trees and the kinds of pages."""

from __future__ import annotations

import random
from typing import Any

import pytest

from kensaku.extract.html.tree import parse_html
from kensaku.extract.main import features, model
from kensaku.extract.main.builder import blocks_of
from kensaku.extract.main.kinds import KINDS, kind_signals
from kensaku.extract.main.signals import page_facts

_ARTICLE = (
    '<html><head><meta property="og:type" content="article">'
    '<meta name="description" content="Otters sleep in groups.">'
    '<script type="application/ld+json">{"@type": "NewsArticle", "articleBody": "'
    + "Otters sleep in groups and hold on to kelp. " * 4
    + '"}</script></head><body class="single-post"><h1>How otters sleep</h1>'
    + "<p>Otters sleep in groups and hold on to kelp, which keeps them together.</p>" * 12
    + "</body></html>"
)


def _walk(tree: Any, row: list[float]) -> float:
    while isinstance(tree, list):
        column, bound, low, high = tree
        tree = low if row[column] <= bound else high
    return float(tree)


def _tree(rng: random.Random, depth: int) -> Any:
    if not depth:
        return round(rng.uniform(-1, 1), 4)
    return [rng.randrange(4), rng.uniform(0, 1), _tree(rng, depth - 1), _tree(rng, depth - 1)]


def test_compiled_trees_agree_with_trees_that_are_walked() -> None:
    """Compiling is for speed, and changes no score."""
    rng = random.Random(7)
    trees = [_tree(rng, 4) for _ in range(20)]
    score = model.compile_trees(["a", "b", "c", "d"], ["a", "b", "c", "d"], trees)

    for _ in range(50):
        row = [rng.random() for _ in range(4)]
        assert score(*row) == pytest.approx(sum(_walk(t, row) for t in trees))


def test_the_kind_of_a_page_is_told_by_what_it_says_about_itself() -> None:
    """JSON-LD, og:type and the address."""
    root = parse_html(_ARTICLE)
    facts = page_facts(root, "https://news.example/2026/11/how-otters-sleep", "How otters sleep")
    rows = features.rows(blocks_of(root), facts, model.vocabulary())
    kinds = model.page_kinds(kind_signals(rows, facts))

    assert {"ld:NewsArticle", "og:article", "body:single", "last:otters"} <= facts.signals.keys()
    assert sum(kinds) == pytest.approx(1.0)
    assert KINDS[kinds.index(max(kinds))] == "article"

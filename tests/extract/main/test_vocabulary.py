"""The weights of words: what is learned is what is summed."""

from __future__ import annotations

import pytest

from kensaku.extract.html.tree import parse_html
from kensaku.extract.main.blocks import nodes_around
from kensaku.extract.main.builder import blocks_of
from kensaku.extract.main.vocabulary import (
    VOCABULARY_NAMES,
    Vocabulary,
    Weights,
    block_words,
)

_PAGE = (
    '<body><div class="siteHeader"><p>Menu and search</p></div><main id="content">'
    '<h2>Product details</h2><div class="tab-pane"><p class="product__text" data-testid="story">'
    "Otters sleep in groups and hold on to kelp, which keeps them together at night.</p>"
    '<p><span class="price">Only today</span></p></div><h2>Reviews</h2><p>Very good</p></main>'
)


def _weights() -> Weights:
    sources = ("own", "outer", "part", "text", "start", "heading")
    words = "site header content tab pane product text story price menu only otters details very"
    return {
        source: {word: (n + 1) * 0.1 + at for at, word in enumerate(words.split())}
        for n, source in enumerate(sources)
    } | {"bias": {"": -0.5}}


def test_the_sums_are_those_of_the_words_that_training_counts() -> None:
    """Training counts words, the product sums weights: two ways over the same tree."""
    weights, blocks = _weights(), blocks_of(parse_html(_PAGE))
    rows = Vocabulary(weights).rows(blocks, nodes_around(blocks))

    for row, words in zip(rows, block_words(blocks), strict=True):
        assert len(row) == len(VOCABULARY_NAMES)
        assert row[-1] == pytest.approx(-0.5 + sum(weights[s].get(w, 0.0) for s, w in words))
        assert row[-1] == pytest.approx(-0.5 + sum(row[:-1]))

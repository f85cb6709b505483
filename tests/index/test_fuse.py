"""Fusion, variety and highlights: pure arithmetic."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kensaku.index.fuse import blend, decay, diversify, highlights, saturate
from kensaku.text.tokens import query_pattern

SCORES = st.floats(0, 1e6)


@given(one=SCORES, other=SCORES, age=SCORES)
def test_a_shown_score_keeps_the_order_and_stays_below_one(one, other, age):
    """BM25 has no upper end; what is shown has. An old page keeps at least half of it."""
    low, high = sorted((one, other))

    assert 0 <= saturate(low) <= saturate(high) < 1
    assert high / 2 <= decay(high, age, 30) <= high


@pytest.mark.parametrize(("trust", "first"), [(0.0, "a"), (1.0, "b"), (0.5, "c")])
def test_trust_decides_between_the_two_sides(trust, first):
    """What both find good is better than what one finds best."""
    mixed = blend({"a": 10.0, "c": 9.0}, {"a": 0.0, "b": 0.8, "c": 0.7}, trust)

    assert max(mixed, key=mixed.__getitem__) == first


def test_what_has_no_vector_is_ranked_by_its_words():
    """A German page in a collection whose model reads English loses nothing."""
    mixed = blend({"english": 5.0, "german": 4.0}, {"english": 0.2, "other": 0.8}, 0.5)

    assert mixed["german"] == pytest.approx(0.8)
    assert mixed["english"] == pytest.approx(0.5 + 0.5 * 0.25)
    assert mixed["other"] == pytest.approx(0.5)


def test_variety_weighs_the_nearest_of_the_chosen():
    """With nothing but variety, the one that is least like any of them."""
    alike = {"ab": 0.2, "ac": 0.9, "ad": 0.3, "bc": 0.1, "bd": 0.8, "cd": 0.0}

    def likeness(one: str, other: str) -> float:
        return alike["".join(sorted((one, other)))]

    relevance = {"a": 1.0, "b": 0.9, "c": 0.8, "d": 0.75}
    assert diversify("abcd", relevance, likeness, 0.0, 4) == ["a", "b", "d", "c"]
    assert diversify("abcd", relevance, likeness, 0.5, 3) == ["a", "b", "d"]


def test_highlights_are_the_sentences_with_most_words_and_then_most_matches():
    """In reading order, three at most; a match at the very end counts."""
    text = "Otter otter otter. Fish fish. Otter fish. Fish. An otter"
    wanted = query_pattern("otters fish")

    assert highlights(text, wanted, 1) == ["Otter fish."]
    assert highlights(text, wanted) == ["Otter otter otter.", "Fish fish.", "Otter fish."]
    assert highlights("An otter", wanted) == ["An otter"]
    assert highlights(text, query_pattern("zebra")) == []

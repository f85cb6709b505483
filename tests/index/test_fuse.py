"""Fusion, variety and highlights: pure arithmetic."""

from __future__ import annotations

import pytest

from kensaku.index.fuse import blend, cosine, decay, diversify, highlights, overlap, saturate
from kensaku.text.tokens import query_pattern


def test_a_saturated_score_keeps_the_order_and_stays_below_one():
    """BM25 has no upper end; what is shown has."""
    scores = [saturate(s) for s in (0, 0.5, 10, 50, 1e6)]

    assert scores == sorted(scores)
    assert scores[0] == 0
    assert scores[2] == 0.5
    assert scores[-1] < 1


@pytest.mark.parametrize(("trust", "first"), [(0.0, "a"), (1.0, "b"), (0.5, "c")])
def test_trust_decides_between_the_two_sides(trust, first):
    """What both find good is better than what one finds best."""
    mixed = blend({"a": 10.0, "c": 9.0}, {"a": 0.0, "b": 0.8, "c": 0.7}, trust)

    assert max(mixed, key=mixed.__getitem__) == first


def test_an_empty_side_does_not_disturb_the_other():
    """A query of stop words still has a meaning."""
    assert blend({}, {"a": 0.5, "b": 0.4}, 0.5) == {"a": 0.5, "b": 0.4}


def test_old_pages_keep_half_of_their_score():
    """Freshness never buries the only answer."""
    assert decay(1.0, 0, 30) == 1.0
    assert decay(1.0, 30, 30) == 0.75
    assert decay(1.0, 1e6, 30) == 0.5


def test_highlights_are_sentences_with_most_of_the_query():
    """In reading order, at most three."""
    text = "Otters swim. Herons wait for fish. Otters eat fish. Nothing here."

    wanted = query_pattern("otters fish")
    assert highlights(text, wanted, 1) == ["Otters eat fish."]
    assert highlights(text, wanted, 2) == ["Otters swim.", "Otters eat fish."]
    assert highlights(text, query_pattern("zebra")) == []


def test_likeness_is_between_nothing_and_all():
    """By terms, or by vectors."""
    assert overlap({1: 1, 2: 1}, {2: 1, 3: 1}) == pytest.approx(1 / 3)
    assert overlap({}, {}) == 0
    assert cosine([1.0, 0.0], [1.0, 0.0]) == 1
    assert cosine([0.0, 0.0], [1.0, 0.0]) == 0


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
    assert diversify("abcd", relevance, likeness, 0.5, 0) == []
    assert diversify("", {}, likeness, 0.5, 3) == []


def test_highlights_prefer_more_words_and_then_more_matches():
    """Three at most; a match at the very end counts."""
    text = "Otter otter otter. Fish fish. Otter fish. Fish. An otter"
    wanted = query_pattern("otters fish")

    assert highlights(text, wanted) == ["Otter otter otter.", "Fish fish.", "Otter fish."]
    assert highlights("An otter", wanted) == ["An otter"]
    assert highlights(text, None) == []

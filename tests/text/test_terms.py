"""The words of a query, and when a hit has enough of them."""

from __future__ import annotations

import pytest

from kensaku import Hit
from kensaku.text.terms import coverage, is_about, terms, text_coverage

WORDS = [f"w{n}x" for n in range(20)]


@pytest.mark.parametrize(
    ("asked", "found", "about"),
    [
        (1, 1, True), (1, 0, False),
        (2, 2, True), (2, 1, False),
        (3, 2, True), (3, 1, False),
        (4, 2, True), (4, 1, False),
        (20, 9, True), (20, 8, False),  # 45 %
    ],
)  # fmt: skip
def test_a_hit_is_about_a_query_with_enough_of_its_words(asked, found, about):
    """All of one or two words, two of three, else nine in twenty."""
    hits = [Hit("https://a.example/", "none"), Hit("https://b.example/", " ".join(WORDS[:found]))]

    assert is_about(" ".join(WORDS[:asked]), hits) is about
    assert not is_about(" ".join(WORDS[:asked]), [])


def test_a_share_has_three_digits():
    """One in three is 0.333."""
    assert text_coverage(frozenset(WORDS[:3]), "W0X") == 0.333
    assert coverage(frozenset(WORDS[:3]), Hit("https://w2x.example/", "w0x", "w1x")) == 1.0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("snake_case C++", {"snake", "case", "c"}),
        ("THE Otters", {"otters"}),
        ("the größe", {"größe"}),
        ("물 수달", {"물", "수달"}),
        ("ア", {"ア"}),
        ("㐀鿿", {"㐀鿿"}),
    ],
)
def test_words_of_several_scripts(text, words):
    """Stop words are none in any of them; one character by itself is a word."""
    assert terms(text) == words

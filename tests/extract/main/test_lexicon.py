"""Class names and short texts as feature bits."""

from __future__ import annotations

import pytest

from kensaku.extract.main.blocks import _WORD
from kensaku.extract.main.lexicon import CUES, cue_bits, name_bits


def test_of_many_or_long_names_the_beginning_is_read() -> None:
    """40 names, and 80 characters of each."""
    assert name_bits("x " * 39 + "sidebar") == name_bits("sidebar") != 0
    assert name_bits("x " * 40 + "sidebar") == 0
    assert name_bits("_" * 73 + "sidebar") == name_bits("sidebar")
    assert name_bits("_" * 74 + "sidebar") == name_bits("side")
    assert name_bits("_" * 77 + "sidebar") == 0


@pytest.mark.parametrize(
    ("text", "topics"),
    [
        ("Otters", ""),
        ("Read more", "more"),
        ("Read\nMORE", "more"),
        ("Read on and more", ""),
        ("Share on Facebook", "share"),
        ("Related comments", "related comments"),
        ("You may like", "date related"),  # also the month
        ("$ 5", "price"),
        ("5 €", "price"),
        ("$", ""),
        ("In 1999", "date"),
        ("In 2026", "date"),
        ("In 1899", ""),
        ("No. 20261", ""),
        ("©", "legal"),
        ("© 2026 Otters", "legal date"),
        ("Privacy", "legal"),
        ("x" * 149 + " read more.", "more"),  # 160 characters
        ("x" * 150 + " read more.", ""),
        ("関連記事", "related"),
        ("おすすめの関連記事一覧", "related more"),
        ("2026年3月14日 更新日", "date byline"),
        ("1,980円", "price"),
        ("関連記事" * 11, ""),  # longer than a label
    ],
)
def test_the_topics_of_a_short_text(text: str, topics: str) -> None:
    """By a word, by two in a row, or by signs and figures."""
    bits = cue_bits(text, _WORD.findall(text.lower()))

    assert {name for n, name in enumerate(CUES) if bits >> n & 1} == set(topics.split())

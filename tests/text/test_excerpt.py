"""The part of a long text that somebody is shown for a query."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kensaku.text.excerpt import excerpt
from kensaku.text.terms import terms

INTRODUCTION = "Sea otters live along the coast. " * 20
FOOD = "They eat urchins and clams."


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("what do they eat", f"… {FOOD} They"),
        ("urchins", f"… {FOOD} They"),
        ("sea otters", "Sea otters live along the coast. Sea"),
        ("narwhals", "Sea otters live along the coast. Sea"),
        ("", "Sea otters live along the coast. Sea"),
    ],
)
def test_the_sentences_are_shown_that_have_the_words_of_the_query(query: str, shown: str) -> None:
    """From the beginning, unless another part has more of them: a page begins with its subject."""
    text = f"{INTRODUCTION}{FOOD} They sleep on their backs, in rafts."

    assert excerpt(text, query, 40).startswith(shown)


def test_japanese_is_shown_from_the_sentence_that_answers() -> None:
    """Words are pairs of characters there, and sentences have no spaces behind them."""
    text = "ラッコは海にすむ。" * 30 + "好物はウニと貝である。"

    assert excerpt(text, "好物は何", 30) == "… 好物はウニと貝である。"


TEXT = st.lists(
    st.sampled_from(["otter", "kelp", "urchin. ", "ラッコ。", "\n", "!? ", "a"]), max_size=60
).map(" ".join)


@given(
    text=TEXT, query=st.sampled_from(["otter", "kelp urchin", "ラッコ"]), limit=st.integers(0, 90)
)
def test_an_excerpt_is_a_part_of_the_text_and_says_as_much_as_its_beginning(
    text: str, query: str, limit: int
) -> None:
    """Never longer than asked for."""
    shown = excerpt(text, query, limit)
    part = shown.removeprefix("… ").removesuffix("…")

    assert len(shown) <= limit or shown == text
    assert part in text
    if shown.startswith("… "):
        start, words = text[: limit - 2].lower(), terms(query)
        assert sum(w in part.lower() for w in words) >= sum(w in start for w in words)

"""Texts that are nearly equal: which of them say different things."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kensaku.text.variants import are_variants
from tests.growth import growth

TEXT = (
    "The harbour of Otterton was built in 1893 by Anna Hartley for 40 boats. It has a lighthouse "
    "that stands on the northern pier. Boats do not leave in winter, when the bay is frozen."
)
TEXT_JA = "オタートンの港は1893年に山田太郎が建てた。灯台は北の桟橋にある。冬は船が出ません。"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("1893", "1901"),
        ("Anna Hartley", "Piotr Nowak"),
        ("Otterton", "Rosewick"),
        ("40 boats", "seven boats"),
        ("do not leave", "leave"),
        ("It has", "It never has"),
    ],
)
def test_another_figure_name_or_denial_is_another_text(old: str, new: str) -> None:
    """One word decides what a reader is told."""
    assert are_variants(TEXT, TEXT.replace(old, new))
    assert are_variants(TEXT.replace(old, new), TEXT)


@pytest.mark.parametrize(
    ("old", "new"),
    [("1893年", "1901年"), ("山田太郎", "佐藤花子"), ("出ません", "出ます"), ("灯台", "倉庫")],
)
def test_the_same_in_a_script_without_spaces(old: str, new: str) -> None:
    """Any word may be a name there."""
    assert are_variants(TEXT_JA, TEXT_JA.replace(old, new))


@pytest.mark.parametrize(
    "copy",
    [
        TEXT,
        TEXT.replace(" ", "  ").replace(". ", ".\n"),
        TEXT.replace("stands", "is found"),
        "Otter News | " + TEXT,
        "Feb 7, 2021 ... " + TEXT,
        TEXT + " © 2024 Otter News",
        TEXT + " Read more.",
        TEXT[:-20],
        TEXT[:50] + "...",
        "… " + TEXT[30:],
        TEXT.replace("40", "４０"),
    ],
)
def test_what_stands_around_a_text_or_is_cut_off_is_no_other_text(copy: str) -> None:
    """Sites add their name, engines cut their snippets."""
    assert not are_variants(TEXT, copy)
    assert not are_variants(copy, TEXT)


@given(st.text())
def test_no_text_is_another_one_than_itself(text: str) -> None:
    """Whatever it is."""
    assert not are_variants(text, text)


@given(st.integers(0, 3000), st.integers(0, 3000))
def test_two_figures_in_one_place_are_compared(one: int, other: int) -> None:
    """As numbers are written."""
    said = (TEXT.replace("1893", str(n)) for n in (one, other))

    assert are_variants(*said) == (one != other)


@pytest.mark.parametrize("piece", ["A ", "1 ", "a. ", "not ", "港は", "...", "A.", "1,"])
def test_texts_are_compared_in_linear_time(piece: str) -> None:
    """A page may be written against it."""
    assert growth(lambda n: are_variants(piece * n, piece * n + str(n)), 200) < 12

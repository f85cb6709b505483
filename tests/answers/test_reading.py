"""Read a page in portions: joined, they are the page, whatever the budget and the script."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kensaku.answers.reading import MIN_CHARS, check_portion, portion_of, read_on
from kensaku.answers.tokenizer import count
from kensaku.errors import InvalidQuery
from kensaku.models import Page

SCRIPTS = (
    "Sea otters sleep on their backs, wrapped in kelp. ",
    "ラッコは昆布に包まって眠る。手をつなぐこともある！",
    "Каланы спят на спине. ",
    "تنام ثعالب البحر على ظهورها. ",
    "नमस्ते दुनिया। ",
    "👩‍👩‍👧‍👦🇯🇵é",
    "| a | b |\n|---|---|\n| 1 | 2 |\n",
    "- an item\n",
    "## A heading\n\n",
    "x = f(y)\n    return {k: v}\n",
    "aGVsbG8gd29ybGQ",
    "   \n\n\n \t ",
)
TEXTS = st.one_of(
    st.lists(st.sampled_from(SCRIPTS), max_size=120).map("".join),
    st.text(max_size=800),
)


def read_to_the_end(text: str, max_tokens: int) -> list[str]:
    portions, offset = [], 0
    while offset is not None:
        portion = read_on(text, offset, max_tokens)
        assert portion.next_offset is None or portion.next_offset > offset, "it stands still"
        portions.append(portion.text)
        offset = portion.next_offset
    return portions


@settings(max_examples=150, deadline=None)
@given(text=TEXTS, max_tokens=st.integers(0, 400))
def test_the_portions_joined_are_the_page(text: str, max_tokens: int) -> None:
    """Nothing twice, nothing lost, and each within the budget or as short as a portion gets."""
    portions = read_to_the_end(text, max_tokens)

    assert "".join(portions) == text
    assert all(len(p) <= MIN_CHARS or count(p) <= max_tokens for p in portions)


@pytest.mark.parametrize("sentence", SCRIPTS[:2])
def test_a_portion_ends_with_a_sentence_where_there_are_sentences(sentence: str) -> None:
    """A reader does not get halves."""
    portions = read_to_the_end(sentence * 100, 150)

    assert len(portions) > 3
    assert all(p.rstrip().endswith((".", "。", "！")) for p in portions)


def test_a_portion_never_tears_a_family_or_a_flag() -> None:
    """Where there is no word to end with, it ends between two graphemes."""
    family, flag = "👩‍👩‍👧‍👦", "🇯🇵"

    for portion in read_to_the_end((family + flag) * 60, 100):
        assert not portion.replace(family, "").replace(flag, "")


def test_an_offset_past_the_end_is_the_end() -> None:
    """A page may have become shorter since."""
    assert read_on("short", 900, 100).text == ""
    assert read_on("short", 900, 100).next_offset is None


ABOUT = [f"## Part {n}\n\n" + "The tide comes and goes over the sand. " * 12 for n in range(30)]
ABOUT[21] = "## Storage\n\nThe lighthouse keeper stores kerosene in the cellar, in sealed barrels."
LONG = Page("https://a.example/", "Coast", "", "\n\n".join(ABOUT))


def test_with_a_query_the_passages_about_it_are_shown() -> None:
    """Wherever they stand; marks say that something is left out before and after."""
    shown = portion_of(LONG, query="kerosene in the cellar", max_tokens=100)

    assert "kerosene in the cellar" in shown.text
    assert shown.text.startswith("\n\n[…]\n\n")
    assert shown.text.endswith("\n\n[…]\n\n")
    assert shown.next_offset is None


@pytest.mark.parametrize("max_tokens", [60, 200, 1_000])
def test_passages_keep_within_the_budget(max_tokens: int) -> None:
    """The marks count, too."""
    assert count(portion_of(LONG, query="tide", max_tokens=max_tokens).text) <= max_tokens


def test_with_room_for_all_passages_the_page_is_shown_once() -> None:
    """Passages overlap; a reader sees no sentence twice, and no mark where nothing is left out."""
    shown = portion_of(LONG, query="tide", max_tokens=100_000).text

    assert shown.split() == LONG.markdown.split()


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ((2, None, 10), "there are 2"),
        ((1, "otters", 10), "exclude each other"),
        ((1, None, -1), "offset is -1"),
        ((1, None, 0, 0), "max_tokens is 0"),
    ],
)
def test_what_means_nothing_is_refused(arguments: tuple[int, ...], why: str) -> None:
    """The sentence names the value."""
    with pytest.raises(InvalidQuery, match=why):
        check_portion(*arguments)

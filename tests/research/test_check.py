"""A text is checked the same way however it arrives."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kensaku.models import Passage
from kensaku.research.check import Checker, check_text
from kensaku.research.evidence import Reference

TEXT = "Sea otters hold hands while they sleep. A group of resting otters is called a raft."
SOURCES = {
    1: Reference(1, "https://a.example/", "A", passages=(Passage("a", TEXT, 0, len(TEXT)),)),
    2: Reference(2, "https://b.example/", "B", passages=(Passage("b", "ラッコは貝を食べます。", 0, 11),)),
}  # fmt: skip
PIECES = st.sampled_from(
    [
        "They hold hands", " ", ".", ". ", "\n", "\n\n", '[1: "hold hands while they sleep"]', "[1]",
        ' [1: "made of cheese. Really"]', "[9]", "- ", "1. ", "12", "## Head", "食べます", "。", "」",
        "[2：「貝を食べます」]", "Dr. No is 3.14", "e.g. this", "[1, 2]", "[", "]", "![x](http://e.example/)",
        "Is it? Yes!", "#", "*", "…", "(", ")", '"', "https://evil.example/?q=1 ", "[a](b) ",
    ]
)  # fmt: skip


@settings(deadline=None, max_examples=300)
@given(st.lists(PIECES, max_size=25), st.data())
def test_the_pieces_of_a_text_do_not_matter(parts: list[str], data: st.DataObject) -> None:
    """What is given out is final, and together it is the checked text."""
    text = "".join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    checker = Checker(SOURCES, "(?)")
    bounds = [0, *cuts, len(text)]
    given_out = [checker.feed(text[a:b]) for a, b in itertools.pairwise(bounds)]
    given_out.append(checker.end())

    assert "".join(given_out) == checker.checked.text
    assert checker.checked == check_text(text, SOURCES, "(?)")


def test_letter_by_letter() -> None:
    """A sentence is given out when the next one begins."""
    checker = Checker(SOURCES, "(?)")
    said = 'They hold hands. [1: "hold hands while they sleep"] A raft [1: "is called a raft"].'
    at = next(n for n, c in enumerate(said) if checker.feed(c))

    assert said[: at + 1].endswith("] A")
    assert checker.checked.text == "They hold hands. [1]"


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ('Hands. [1: "hold hands while they sleep"] Cheese. [1: "made of green cheese"]',
         "Hands. [1]"),
        ('Cheese. [1: "made of green cheese"] Hands. [1: "hold hands while they sleep"]',
         "Hands. [1]"),
        ('Hands! [1: "hold hands while they sleep"] So (they say). [9] Yes?', "Hands! [1] Yes? (?)"),
    ],
)  # fmt: skip
def test_a_citation_behind_the_full_stop_belongs_to_its_sentence_alone(
    said: str, kept: str
) -> None:
    """A sentence that fails does not hide behind the one before it."""
    assert check_text(said, SOURCES, "(?)").text == kept

"""A text → passages: where it is cut, and that nothing is lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kensaku.models import Document
from kensaku.models.passages import split
from kensaku.text.passages import sentences


def _document(text: str) -> Document:
    return Document("https://e.org/", "T", text)


def test_a_text_that_fits_stays_whole():
    """Abstracts are ranked as a whole."""
    (only,) = split(_document("  One. Two.\n\nThree.  "))

    assert (only.text, only.start, only.end) == ("One. Two.\n\nThree.", 2, 19)


def test_an_empty_text_has_no_passages():
    """Nothing is not a passage."""
    assert split(_document(" \n ")) == []


PIECES = [
    "# H\n\n",
    "## Sub\n",
    "A sentence. ",
    "問い？答え。",
    "x" * 500,
    "\n\n",
    "- item\n",
    "  ",
]


@given(
    text=st.lists(st.sampled_from(PIECES), max_size=99).map("".join),
    max_chars=st.sampled_from([80, 300, None]),
)
def test_offsets_are_exact_and_all_is_covered(text, max_chars):
    """Any text: headings, tables, Japanese, no spaces at all."""
    passages = split(_document(text), max_chars=max_chars)

    assert all(text[p.start : p.end] == p.text and p.text for p in passages)
    covered = {n for p in passages for n in range(p.start, p.end)}
    assert all(n in covered for n, c in enumerate(text) if not c.isspace())


def test_a_passage_knows_the_headings_above_it():
    """A piece of a manual says which chapter it is from."""
    text = "# Guide\n\nIntro.\n\n## Install\n\nUse pip.\n\n## Run\n\nUse python."

    found = {p.text.split("\n")[-1]: p.heading for p in split(_document(text), max_chars=30)}

    assert found["Use pip."] == "Guide › Install"
    assert found["Use python."] == "Guide › Run"


def test_passages_overlap_a_little():
    """The sentence that a pronoun points back to comes along."""
    text = " ".join(f"Sentence number {n}." for n in range(100))

    first, second, *_ = split(_document(text), max_chars=300)

    assert first.start < second.start < first.end < second.end


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", " Two!", " Three?"]),
        ("一つ。「二つ。」三つ？四つ", ["一つ。", "「二つ。」", "三つ？", "四つ"]),
        ("Version 3.14 is out. Yes.", ["Version 3.14 is out.", " Yes."]),
        ("a\n\nb", ["a\n\n", "b"]),
        ('He said "No." Then (he left.) Gone…', ['He said "No."', " Then (he left.)", " Gone…"]),
        ("本当？！はい。」と", ["本当？！", "はい。」", "と"]),
        ("a\n- b\n1) c\n2024 d", ["a\n", "- b\n", "1) c\n2024 d"]),
        ("a\n \t\nb", ["a\n \t\n", "b"]),
        ("", []),
    ],
)
def test_sentences_end_where_a_reader_says(text, expected):
    """With the brackets that they close, and at lists; a decimal point is no end."""
    assert [text[a:b] for a, b in sentences(text)] == expected


@pytest.mark.parametrize(
    ("text", "passages"),
    [
        ("a" * 3_000, 1),
        ("a" * 3_001, 2),
        ("# A\n\nx\n\n# B\n\n".ljust(3_000, "a"), 1),
        ("問" * 1_200, 1),
        ("問" * 1_201, 2),
        ("問" * 500 + "a" * 1_500, 1),  # a quarter is not mostly
        ("問" * 501 + "a" * 1_499, 2),
        ("a" * 2_000 + "問" * 900, 1),  # the beginning tells
    ],
)
def test_a_passage_is_as_long_as_its_script_allows(text, passages):
    """3,000 characters, or 1,200 where a character is a word."""
    assert len(split(_document(text))) == passages


def test_a_long_sentence_is_cut_at_its_last_space():
    """In its second half; else between two characters."""
    spaced = split(_document("a" * 60 + " " + "b" * 30 + "\n" + "c" * 50), max_chars=100)
    assert [p.text for p in spaced] == ["a" * 60 + " " + "b" * 30, "c" * 50]
    early = split(_document("a" * 49 + " " + "b" * 100), max_chars=100)
    assert [(p.start, p.end) for p in early] == [(0, 100), (100, 150)]
    half = split(_document("a" * 50 + " " + "b" * 100), max_chars=100)
    assert next((p.start, p.end) for p in half) == (0, 50)
    families = "👨‍👩‍👧" * 30
    assert all(p.text.startswith("👨") for p in split(_document(families), max_chars=52))


def test_headings_are_a_path():
    """One of the same level takes the place of the last; marks behind it are no part of it."""
    text = "Intro.\n# A #\nOne.\n### C\nTwo.\n## B\nThree.\n# D\n## E\nFour.\n####### no\nFive."
    found = [(p.text, p.heading) for p in split(_document(text), max_chars=20)]

    assert found == [
        ("Intro.", ""),
        ("# A #\nOne.", "A"),
        ("### C\nTwo.", "A › C"),
        ("## B\nThree.", "A › B"),
        ("# D", "D"),
        ("## E\nFour.", "D › E"),
        ("####### no\nFive.", "D › E"),
    ]
    assert split(_document("\n\n## Only ##\nText."))[0].heading == "Only"
    assert split(_document("Text.\n## Only\n"))[0].heading == ""

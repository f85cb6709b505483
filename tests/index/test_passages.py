"""A text → passages: where it is cut, and that nothing is lost."""

from __future__ import annotations

import random

import pytest

from kensaku.index.passages import sentences, split
from kensaku.models import Document


def _document(text: str) -> Document:
    return Document("https://e.org/", "T", text)


def test_a_text_that_fits_stays_whole():
    """Abstracts are ranked as a whole."""
    (only,) = split(_document("  One. Two.\n\nThree.  "))

    assert (only.text, only.start, only.end) == ("One. Two.\n\nThree.", 2, 19)


def test_an_empty_text_has_no_passages():
    """Nothing is not a passage."""
    assert split(_document(" \n ")) == []


@pytest.mark.parametrize("seed", range(30))
def test_offsets_are_exact_and_all_is_covered(seed):
    """Any text: headings, tables, Japanese, no spaces at all."""
    chance = random.Random(seed)
    parts = [
        "# H\n\n",
        "## Sub\n",
        "A sentence. ",
        "問い？答え。",
        "x" * 500,
        "\n\n",
        "- item\n",
        "  ",
    ]
    text = "".join(chance.choices(parts, k=chance.randrange(1, 400)))

    passages = split(_document(text), max_chars=chance.choice([80, 300, None]))

    assert all(text[p.start : p.end] == p.text and p.text for p in passages)
    covered = set()
    for p in passages:
        covered.update(range(p.start, p.end))
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
    ],
)
def test_sentences_end_where_a_reader_says(text, expected):
    """English and Japanese; a decimal point is no end."""
    assert [text[a:b] for a, b in sentences(text)] == expected

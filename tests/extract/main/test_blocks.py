"""Blocks of text: their words, their sizes, and which are running text."""

from __future__ import annotations

import pytest

from kensaku.extract.html.tree import parse_html
from kensaku.extract.main.builder import blocks_of
from kensaku.extract.main.textstats import is_long


def test_a_letter_that_falls_apart_in_lower_case_is_in_one_word() -> None:
    """`İ` becomes two characters, the second of which is no letter."""
    blocks = blocks_of(parse_html("<p>İstanbul İzmir</p>"))

    assert [block.size for block in blocks] == [2.0]


WORDS = "one two three four five six seven eight nine ten eleven"


@pytest.mark.parametrize(
    ("html", "long"),
    [
        (f"<p>{WORDS} twelve</p>", True),
        (f"<p>{WORDS}</p>", False),
        ("<p><a href=x>" + "abc " * 6 + "</a>" + "abc " * 6 + "</p>", False),  # half of it
        ("<p><a href=x>" + "abc " * 6 + "</a>" + "abcd " * 6 + "</p>", True),
        ("<p>" + "水" * 21 + "</p>", False),
        ("<p>" + "水" * 22 + "</p>", True),
    ],
)
def test_twelve_words_that_are_not_links_are_running_text(html: str, long: bool) -> None:
    """Two characters of a script without spaces are a word."""
    (block,) = blocks_of(parse_html(html))

    assert is_long(block) is long

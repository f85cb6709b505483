"""Blocks of text: words, sizes and line breaks."""

from __future__ import annotations

from kensaku.extract import extract_html
from kensaku.extract.html.tree import parse_html
from kensaku.extract.main.builder import blocks_of


def test_a_letter_that_falls_apart_in_lower_case_is_in_one_word() -> None:
    """`İ` becomes two characters, the second of which is no letter."""
    blocks = blocks_of(parse_html("<p>İstanbul İzmir</p>"))

    assert [block.size for block in blocks] == [2.0]


def test_breaks_stay_breaks_in_text_and_code() -> None:
    """A break is one character on its way through a block."""
    found = extract_html("<p>one<br>two</p><pre>three<br>four</pre>")

    assert found.text == "one\ntwo\n\nthree\nfour"

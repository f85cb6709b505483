"""Blocks of text: words, sizes and line breaks."""

from __future__ import annotations

from kensaku.extract.html.tree import parse_html
from kensaku.extract.main.builder import blocks_of


def test_a_letter_that_falls_apart_in_lower_case_is_in_one_word() -> None:
    """`İ` becomes two characters, the second of which is no letter."""
    blocks = blocks_of(parse_html("<p>İstanbul İzmir</p>"))

    assert [block.size for block in blocks] == [2.0]

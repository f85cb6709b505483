"""Lines that fit the terminal."""

from __future__ import annotations

import pytest

from kensaku.text.wrap import columns, wrap

TEXTS = [
    "1. A title that is rather long, with words that go on and on for more than one line",
    "   Sea otters (Enhydra lutris) are marine mammals native to the coasts of the North Pacific.",
    "   ラッコは、北太平洋の沿岸に生息するイタチ科の哺乳類です。貝やウニを「道具」で割って食べます。",
    "- mixed 文字 and words ラッコは sea otter のことです and more words until it is long enough",
    "\x1b[1;36mA coloured title that is long enough to be wrapped at forty columns\x1b[0m",
    "   𠮷野家 👍 emoji and rare characters are wide as well, and they go on for a while here",
]


@pytest.mark.parametrize("width", [20, 40, 80, 120])
@pytest.mark.parametrize("text", TEXTS)
def test_no_line_is_wider_and_nothing_is_lost(text: str, width: int) -> None:
    """Blanks at a break go; a line never begins with a comma or a full stop of Japanese."""
    lines = wrap(text, width).split("\n")

    assert all(columns(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert not any(line.lstrip()[:1] in "、。」" for line in lines if line.strip())


def test_further_lines_are_indented_as_the_first() -> None:
    """Under the text, not under the number."""
    assert wrap("1. one two three four five six", 20) == "1. one two three\n   four five six"


def test_an_address_is_left_whole() -> None:
    """The terminal wraps it, and it can be clicked."""
    url = "https://example.org/" + "a" * 60
    assert url in wrap(f"   {url} is an address", 40)


def test_what_fits_is_left_alone() -> None:
    """Also blank lines and trailing breaks."""
    text = "a\n\n  b  c\n"
    assert wrap(text, 40) == text

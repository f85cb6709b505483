"""Headings of a text, and where they stand in the same text without marks. Pure.

    Markdown       → marked_headings → (start, level, words)
    text, Markdown → headings_in     → the same, with offsets into the text

A page has both: passages are cut from its text, and only its Markdown says what is a heading.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict

Heading = tuple[int, int, str]  # where it begins, its level, its words

_HEADING = re.compile(r"^(#{1,6})[ \t]+(.+?)[ \t]*#*[ \t]*$", re.MULTILINE)
_CODE = re.compile(r"^(`{3,}|~{3,})[^\n]*\n(?s:.*?)(?:^\1|\Z)", re.MULTILINE)
_TARGET = re.compile(r"\]\([^()\n]*\)")
_LINE = re.compile(r"[^\n]+")
_SIGNS = re.compile(r"[\W_]+")


def marked_headings(markdown: str) -> list[Heading]:
    """Return the lines that begin with `#`."""
    return [(m.start(), len(m[1]), m[2]) for m in _HEADING.finditer(markdown)]


def headings_in(text: str, markdown: str) -> list[Heading]:
    """Return where the headings of `markdown` stand in `text`, in order; lost ones are left out."""
    lines: dict[str, list[int]] = defaultdict(list)
    for line in _LINE.finditer(text):
        lines[_letters(line[0])].append(line.start())
    found: list[Heading] = []
    after = 0
    for _, level, words in marked_headings(_CODE.sub("", markdown)):
        starts = lines.get(_letters(_TARGET.sub("", words)), [])
        if (at := bisect_left(starts, after)) < len(starts):
            start = starts[at]
            line = text[start:].partition("\n")[0]
            found.append((start, level, line.strip()))
            after = start + len(line)
    return found


def _letters(line: str) -> str:
    """Return a line as it is compared: marks, escapes and spaces left out."""
    return _SIGNS.sub("", line)

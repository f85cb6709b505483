"""Headings of a text, and where they stand in the same text without marks. Pure.

    Markdown       → marked_headings → (start, level, words)
    text, Markdown → headings_in     → the same, with offsets into the text

A page has both: passages are cut from its text, and only its Markdown says what is a heading.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict

from kensaku.text.code_blocks import CODE_BLOCK

Heading = tuple[int, int, str]  # where it begins, its level, its words

_HEADING = re.compile(r"^(?P<marks>#{1,6})[ \t]+(?P<words>.+?)[ \t]*#*[ \t]*$", re.MULTILINE)
_CODE_OR_HEADING = re.compile(f"{CODE_BLOCK.pattern}|{_HEADING.pattern}", re.MULTILINE)
_TARGET = re.compile(r"\]\([^()\n]*\)")
_LINE = re.compile(r"[^\n]+")
_SIGNS = re.compile(r"[\W_]+")


def marked_headings(markdown: str) -> list[Heading]:
    """Return the lines that begin with `#`. In code they are comments."""
    found = _CODE_OR_HEADING.finditer(markdown)
    return [(m.start(), len(m["marks"]), m["words"]) for m in found if m["marks"]]


def headings_in(text: str, markdown: str) -> list[Heading]:
    """Return where the headings of `markdown` stand in `text`, in order.

    One that is no line of the text, as the number of a page, stands before the line below it.
    """
    lines: dict[str, list[int]] = defaultdict(list)
    for line in _LINE.finditer(text):
        lines[_letters(line[0])].append(line.start())
    found: list[Heading] = []
    waiting: list[tuple[int, str]] = []  # headings whose place is not known yet
    after = 0
    for line in _LINE.finditer(CODE_BLOCK.sub("", markdown)):
        heading = _HEADING.match(line[0])
        if heading is None and not waiting:
            continue
        words = heading["words"] if heading else line[0]
        starts = lines.get(_letters(_TARGET.sub("", words)), [])
        if heading:
            waiting.append((len(heading["marks"]), words))
        if (at := bisect_left(starts, after)) == len(starts):
            continue
        start = starts[at]
        if heading:
            whole = _LINE.match(text, start)
            assert whole is not None  # it begins there
            waiting[-1] = (len(heading["marks"]), whole[0].strip())
            after = whole.end()
        found += [(start, level, words) for level, words in waiting]
        waiting.clear()
    return found


def _letters(line: str) -> str:
    """Return a line as it is compared: marks, escapes and spaces left out."""
    return _SIGNS.sub("", line)

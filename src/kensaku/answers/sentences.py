"""Sentences as a reader sees them: whole, and without the heading above them. Pure.

    text → lines that stand alone | sentences → joined where an abbreviation ended none

Passages are cut by the coarser `text.passages.sentences`, where a cut too many costs nothing. An
answer shows a sentence by itself: half of one, or one with a heading glued to it, is wrong there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kensaku.text.passages import Span, sentences

LONGEST = 600  # characters that joined sentences may have
_TITLE_CHARS = 60  # a longer line is a line of a paragraph
# A full stop after one of these, or after a single capital letter, ends no sentence.
_ABBREVIATION = re.compile(
    r"\b(?:[A-Z]|[A-Z]\.[A-Z]|v|vs|Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|Gen|Col|Capt|Lt|Sgt|Rev|No|Nr|Fig|"
    r"Vol|pp|ca|cf|al|approx|e\.g|i\.e|z\.B|d\.h|bzw)\.[\"')\]]*\s*$"
)
_NUMBER = re.compile(r"[ \t]*\d{1,3}[.)][ \t]+")  # of a list item
_LINE = re.compile(r"[^\n]*\n?")
_MARKED = re.compile(r"[ \t]*(?:#{1,6}[ \t]|[-*•][ \t]|\d{1,3}[.)][ \t]|\|)")
_STOP = (".", "!", "?", "…", "。", "！", "？", ":", "：", ",", "、", ";")


def whole_sentences(text: str) -> Iterator[Span]:
    """Yield start and end of each sentence, list item and table row; headings are left out."""
    for start, end in _blocks(text):
        number = _NUMBER.match(text, start, end)
        for at, stop in joined_sentences(text, number.end() if number else start, end):
            yield (start if number and at == number.end() else at), stop


def joined_sentences(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the sentences of a stretch that is all text; together they cover it."""
    first = None
    for at, stop in sentences(text, start, end):
        begin = at if first is None else first
        if stop < end and stop - begin < LONGEST and _goes_on(text, at, stop):
            first = begin
            continue
        first = None
        yield begin, stop
    if first is not None:
        yield first, end


def _goes_on(text: str, start: int, end: int) -> bool:
    """Whether a sentence that seems to end at `end` goes on behind it."""
    if text[max(start, end - 2) : end].endswith("\n"):
        return False
    after = text[end : end + 20].lstrip()
    return after[:1].islower() or bool(_ABBREVIATION.search(text, max(start, end - 20), end))


def _blocks(text: str) -> Iterator[Span]:
    """Yield the stretches between blank lines; headings and marked lines each by themselves."""
    start = at = 0
    fresh = True  # a block begins here
    for match in _LINE.finditer(text):
        line = match[0]
        if not line:
            break
        at, end = match.span()
        alone = _MARKED.match(line) or (fresh and _is_title(line, text[end : end + 80]))
        if alone or not line.strip():
            if start < at:
                yield start, at
            if line.strip() and not _is_heading(line, marked=bool(_MARKED.match(line))):
                yield at, end
            start = end
        fresh = bool(alone) or not line.strip()
    if start < len(text):
        yield start, len(text)


def _is_heading(line: str, *, marked: bool) -> bool:
    """Whether a line that stands alone says nothing by itself. One with a figure may."""
    if marked:
        return line.lstrip().startswith("#")
    return not any(c.isdigit() for c in line)


def _is_title(line: str, after: str) -> bool:
    """Whether the first line of a block is a heading: short, without a stop, and text follows."""
    line, after = line.strip(), after.partition("\n")[0].strip()
    if not line or not after or len(line) > _TITLE_CHARS or line.endswith(_STOP):
        return False
    return not after[0].islower() and len(after) > len(line)

"""Split a text into passages that fit a prompt, at headings and sentences. Pure.

    text → sections (between headings) → sentences → pieces with a little overlap

Offsets are exact: `text[p.start:p.end] == p.text`. A text that fits one passage is never split,
so abstracts and short pages are ranked as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kensaku.text.clean import grapheme_start
from kensaku.text.headings import Heading, marked_headings

MAX_CHARS = 3_000  # about 650 tokens of English: abstracts stay whole, and are ranked better so
MAX_CHARS_CJK = 1_200  # the same number of tokens of Japanese
OVERLAP = 0.1  # of a passage: enough for the sentence that a pronoun points back to

# A sentence ends after . ! ? and a space, after 。！？ (with closing brackets), or at a blank line.
# (It begins with the characters that can end one: `re` then skips all others in one go.)
_END = re.compile(
    r"[.!?…。！？\n](?:"
    r"(?<=[.!?…])[\"'”’)\]]*(?=\s)"
    r"|(?<=[。！？])[。！？]*[」』）)]*"
    r"|(?<=\n)[ \t]*\n"
    r"|(?<=\n)(?=[ \t]*(?:[-*•]|\d+[.)])\s)"
    r")"
)
# A word ends before a space. Where words are written without spaces, some signs say where one
# ends: punctuation, and particles that stand alone, such as "and", "of" and "in".
_BEFORE = (
    "และ|หรือ|ซึ่ง|โดย|ของ|ใน|แห่ง|เพื่อ|จาก|จะ|ต้อง|ไม่|(?<!หน้า)ที่|(?<!จำ)เป็น"  # Thai
    "|ແລະ|ຫຼື|ຫລື|ຊຶ່ງ|ໂດຍ|ຂອງ|ໃນ|ແຫ່ງ|ເພື່ອ|ຈາກ|ຈະ|ຕ້ອງ|ບໍ່|(?<!ໜ້າ)ທີ່|(?<!ຈຳ)ເປັນ"  # Lao
    "|និង|ឬ|របស់|ក្នុង|ដែល|ដោយ"  # Khmer
)
_AFTER = (
    "、，；：。！？・」』）】》を的\u0f0b\u0f0d\u104a\u104b\u104f\u1361-\u1368\u17d4\u17d5\u200b"
)
_WORD_END = re.compile(rf"(?=\s|{_BEFORE})|(?<=[{_AFTER}])(?![、，；：。！？・」』）】》确確士])")
_CJK = re.compile(r"[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7af]")

Span = tuple[int, int]


def pieces(
    text: str, *, headings: Sequence[Heading] = (), max_chars: int | None = None
) -> list[tuple[Span, str]]:
    """Return start and end of each piece of a text, in order, with the headings above it.

    `headings` are those of a text without marks; where there are none, lines that begin with `#`
    are headings.
    """
    limit = max_chars or (MAX_CHARS_CJK if _mostly_cjk(text) else MAX_CHARS)
    above = headings or marked_headings(text)
    if len(text) <= limit:
        found = [(_trim(text, 0, len(text)), _first_heading(text, above))]
    else:
        found = [
            (_trim(text, start, end), heading)
            for (start, end), heading in _sections(text, above)
            for start, end in _by_sentences(text, start, end, limit)
        ]
    return [(span, heading) for span, heading in found if span[0] < span[1]]


def sentences(text: str, start: int = 0, end: int | None = None) -> Iterator[Span]:
    """Yield start and end of each sentence of `text[start:end]`; together they cover all of it."""
    stop = len(text) if end is None else end
    at = start
    for match in _END.finditer(text, start, stop):
        yield at, match.end()
        at = match.end()
    if at < stop:
        yield at, stop


def word_ends(text: str) -> Iterator[int]:
    """Yield where words end, without the end of the text. A run of letters without spaces, as in
    Thai, counts as one word."""
    for match in _WORD_END.finditer(text):
        if match.start() and not text[match.start() - 1].isspace():
            yield match.start()


def _mostly_cjk(text: str) -> bool:
    if text.isascii():
        return False
    sample = text[:2_000]
    return len(_CJK.findall(sample)) * 4 > len(sample)


def _first_heading(text: str, headings: Sequence[Heading]) -> str:
    start, _, words = headings[0] if headings else (0, 0, "")
    return "" if text[:start].strip() else words


def _sections(text: str, headings: Sequence[Heading]) -> Iterator[tuple[Span, str]]:
    """Yield the sections between headings, each with the path of headings above it."""
    path: dict[int, str] = {}
    at, heading = 0, ""
    for start, level, words in headings:
        if at < start and text[at:start].strip():
            yield (at, start), heading
            at = start
        path = {depth: name for depth, name in path.items() if depth < level} | {level: words}
        heading = " › ".join(path[depth] for depth in sorted(path))
    yield (at, len(text)), heading


def _by_sentences(text: str, start: int, end: int, limit: int) -> Iterator[Span]:
    """Yield pieces of whole sentences up to `limit` characters, with a little overlap."""
    if end - start <= limit:
        yield start, end
        return
    spans = [
        part for span in sentences(text, start, end) for part in _split_long(text, span, limit)
    ]
    first = 0
    while first < len(spans):
        last = first
        while last + 1 < len(spans) and spans[last + 1][1] - spans[first][0] <= limit:
            last += 1
        yield spans[first][0], spans[last][1]
        if last + 1 == len(spans):
            return
        back = last + 1
        while back > first + 1 and spans[last][1] - spans[back - 1][0] <= limit * OVERLAP:
            back -= 1
        first = back


def _split_long(text: str, span: Span, limit: int) -> Iterator[Span]:
    """Split a sentence over the limit (a table, minified code) at spaces or between graphemes."""
    start, end = span
    while end - start > limit:
        space = max(
            text.rfind(" ", start + limit // 2, start + limit),
            text.rfind("\n", start + limit // 2, start + limit),
        )
        cut = space + 1 if space > 0 else max(start + 1, grapheme_start(text, start + limit))
        yield start, cut
        start = cut
    yield start, end


def _trim(text: str, start: int, end: int) -> Span:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end

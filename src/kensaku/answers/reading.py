"""Read a page in portions: on from an offset, or the passages that fit a query.

    page, offset → read_on        → text up to a good place to stop, and where to go on
    page, query  → best_passages  → the passages about it, in the order of the page

Offsets count the characters of the page's Markdown, or of its text when it has none. The portions
from offset 0 on, joined, are the whole page.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kensaku.answers.tokenizer import count
from kensaku.errors import InvalidQuery
from kensaku.messages import msg
from kensaku.models import Document, Passage
from kensaku.models.passages import split
from kensaku.search.passages import score_passages
from kensaku.text.clean import grapheme_start
from kensaku.text.passages import sentences

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kensaku.models import Page

MIN_CHARS = 60  # a portion has as many, whatever the budget: reading on must get somewhere
CHUNK_CHARS = 500  # of a passage for a query
OMITTED = "\n\n[…]\n\n"
_CHARS_PER_TOKEN = 16  # no text has more, except of blanks: what lies beyond need not be counted


@dataclass(frozen=True, slots=True)
class Portion:
    """Some of a page's text, and the offset of what follows; None at the end and for a query."""

    text: str
    next_offset: int | None = None


def check_portion(
    pages: int, query: str | None, offset: int, max_tokens: int | None = None
) -> None:
    """Raise `InvalidQuery` for numbers out of bounds, and an offset into no single page."""
    if offset < 0:
        raise InvalidQuery(msg("offset is {offset}; it must be at least 0", offset=offset))
    if max_tokens is not None and max_tokens < 1:
        raise InvalidQuery(
            msg("max_tokens is {max_tokens}; it must be at least 1", max_tokens=max_tokens)
        )
    if offset and query:
        raise InvalidQuery(
            msg("offset {offset} and a query exclude each other", offset=offset),
            remedy=msg("use query for the best passages, or offset to read on"),
        )
    if offset and pages > 1:
        raise InvalidQuery(
            msg(
                "offset {offset} is for one page, and there are {pages}", offset=offset, pages=pages
            ),
            remedy=msg("read on in one page at a time"),
        )


def portion_of(
    page: Page, *, max_tokens: int, query: str | None = None, offset: int = 0
) -> Portion:
    """Return what was asked for of a page, within a number of tokens."""
    text = page.markdown or page.text
    if not query:
        return read_on(text, offset, max_tokens)
    document = Document(url=page.url, title=page.title, text=text)
    return Portion(_joined(text, best_passages(query, document, max_tokens=max_tokens)))


def read_on(text: str, offset: int, max_tokens: int) -> Portion:
    """Read from an offset to the end of a sentence, a line or a word within the budget.

    A portion never has more tokens, unless it is as short as `MIN_CHARS`.
    """
    size = min(max(0, len(text) - offset), _CHARS_PER_TOKEN * max_tokens + MIN_CHARS)
    while True:
        end = _good_end(text, offset, offset + size)
        if size <= MIN_CHARS or (tokens := count(text[offset:end])) <= max_tokens:
            return Portion(text[offset:end], end if end < len(text) else None)
        size = max(MIN_CHARS, int(size * min(0.9, max_tokens / tokens)))


def best_passages(
    query: str, document: Document, *, most: int | None = None, max_tokens: int | None = None
) -> list[Passage]:
    """Return the best passages for a query within both bounds, in the order of the text."""
    scored = score_passages(query, [(0, p) for p in split(document, max_chars=CHUNK_CHARS)])
    best = sorted(scored, key=lambda p: -(p.score or 0.0))[:most]
    if max_tokens is not None:
        best = _within(best, max_tokens)
    return sorted(best, key=lambda p: p.start)


def _within(best: Sequence[Passage], max_tokens: int) -> list[Passage]:
    """Return the first passages that fit; of the very first, as much as fits."""
    kept: list[Passage] = []
    max_tokens -= count(OMITTED)
    for passage in best:
        tokens = count(OMITTED + passage.text)
        if kept and tokens > max_tokens:
            break
        if tokens > max_tokens:
            text = read_on(passage.text, 0, max_tokens).text
            return [Passage(passage.url, text, passage.start, passage.start + len(text))]
        kept.append(passage)
        max_tokens -= tokens
    return kept


def _joined(text: str, passages: Sequence[Passage]) -> str:
    """Join passages, with a mark where something is left out; overlaps are shown once."""
    joined, at = "", 0
    for passage in passages:
        if text[at : passage.start].strip():
            joined, at = joined + OMITTED, passage.start
        joined, at = joined + text[at : passage.end], max(at, passage.end)
    return joined + (OMITTED if text[at:].strip() else "")


def _good_end(text: str, start: int, limit: int) -> int:
    """Return the best place to stop in the last third before `limit`."""
    if limit >= len(text):
        return len(text)
    low = limit - (limit - start) // 3
    if ends := [end for _, end in sentences(text, low, limit) if end < limit]:
        return ends[-1]
    if gap := max(text.rfind("\n", low, limit), text.rfind(" ", low, limit)) + 1:
        return gap
    whole = grapheme_start(text, limit)
    return whole if whole > start else limit

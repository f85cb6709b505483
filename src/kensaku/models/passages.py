"""A document → its passages, each with its place in the text."""

from __future__ import annotations

from kensaku.models import Document, Page, Passage
from kensaku.text.headings import Heading, headings_in
from kensaku.text.passages import pieces


def split(document: Document | Page, *, max_chars: int | None = None) -> list[Passage]:
    """Return the passages of a document, in order; none when it has no text."""
    text, headings = document.text, headings_of(document)
    return [
        Passage(document.url, text[a:b], a, b, title=document.title, heading=heading)
        for (a, b), heading in pieces(text, headings=headings, max_chars=max_chars)
    ]


def headings_of(document: Document | Page) -> tuple[Heading, ...]:
    """Return where the headings of a page stand in its text, or those that a document came with."""
    if isinstance(document, Document):
        return tuple(document.headings)
    return tuple(headings_in(document.text, document.markdown))

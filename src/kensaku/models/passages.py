"""A document → its passages, each with its place in the text."""

from __future__ import annotations

from kensaku.models import Document, Page, Passage
from kensaku.text.passages import pieces


def split(document: Document | Page, *, max_chars: int | None = None) -> list[Passage]:
    """Return the passages of a document, in order; none when it has no text."""
    text = document.text
    return [
        Passage(document.url, text[a:b], a, b, title=document.title, heading=heading)
        for (a, b), heading in pieces(text, max_chars=max_chars)
    ]

"""Between the index's plain values and the models everybody uses. Pure."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

from kensaku.models import Document, Hit, Page, Passage, Source

PROVIDER = "local"


@dataclass(frozen=True, slots=True)
class Added:
    """What `Index.add` did, in documents."""

    added: int = 0
    updated: int = 0
    unchanged: int = 0

    def __add__(self, other: Added) -> Added:
        return Added(
            self.added + other.added,
            self.updated + other.updated,
            self.unchanged + other.unchanged,
        )

    @property
    def seen(self) -> int:
        """All of them."""
        return self.added + self.updated + self.unchanged


def as_document(given: Document | Page) -> Document:
    """What to index of a page: its Markdown, which keeps the headings, under its own address."""
    if isinstance(given, Document):
        return _sound(given)
    return _sound(
        Document(
            url=given.canonical_url or given.url,
            title=given.title,
            text=given.markdown or given.text,
            published=given.published,
            language=given.language,
        )
    )


def _sound(document: Document) -> Document:
    """The same without halves of surrogate pairs, which no file takes: one would stop a batch."""
    try:
        f"{document.url}{document.title}{document.text}".encode()
    except UnicodeEncodeError:
        url, title, text = (
            part.encode("utf-8", "replace").decode()
            for part in (document.url, document.title, document.text)
        )
        return replace(document, url=url, title=title, text=text)
    return document


def as_hit(result: dict[str, Any], rank: int) -> Hit:
    """A result as a hit; `explain` says where it is from and why it is there."""
    told = ("collection", "bm25", "cosine", "start", "end", "heading", "language", "highlights")
    explain = {name: result[name] for name in told if result[name] not in (None, "", [])}
    if result["metadata"]:
        explain["metadata"] = json.loads(result["metadata"])
    return Hit(
        url=result["url"],
        title=result["title"],
        content=result["text"],
        score=result["score"],
        published=result["published"],
        provider=PROVIDER,
        sources=(Source(PROVIDER, rank, result["score"]),),
        explain=explain,
    )


def as_passage(result: dict[str, Any]) -> Passage:
    """A result as a passage of the stored document."""
    return Passage(
        url=result["url"],
        text=result["text"],
        start=result["start"],
        end=result["end"],
        title=result["title"],
        heading=result["heading"],
        score=result["score"],
    )

"""Convert between the models of the package and the values of the index worker. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TypedDict

from kensaku.models import LOCAL, Document, Explain, Hit, LocalMatch, Page, Passage, Source
from kensaku.models.passages import headings_of


@dataclass(frozen=True, slots=True)
class AddResult:
    """What `Index.add` did, in documents."""

    added: int = 0
    updated: int = 0
    unchanged: int = 0

    def __add__(self, other: AddResult) -> AddResult:
        return AddResult(
            self.added + other.added,
            self.updated + other.updated,
            self.unchanged + other.unchanged,
        )

    @property
    def total(self) -> int:
        """Added, updated and unchanged documents together."""
        return self.added + self.updated + self.unchanged


class CollectionStats(TypedDict):
    """What one collection holds, as `Index.stats` returns it."""

    documents: int
    passages: int
    languages: list[str]
    model: str | None
    average_terms: float  # terms in a passage
    disk: int | None  # bytes on the disk; None on a Qdrant server
    foreign: bool  # another application's, on a Qdrant server: only searched
    problem: str | None  # what is damaged


def damaged_stats(problem: str) -> CollectionStats:
    """Return the statistics of a collection that cannot be read."""
    return {
        "documents": 0,
        "passages": 0,
        "languages": [],
        "model": None,
        "average_terms": 0.0,
        "disk": None,
        "foreign": False,
        "problem": problem,
    }


class ResultRow(TypedDict):
    """One result of a search, as the worker returns it."""

    url: str
    title: str
    published: str | None
    language: str
    metadata: str | None  # JSON
    text: str
    start: int
    end: int
    heading: str
    score: float
    collection: str
    bm25: float | None
    cosine: float | None
    strength: float | None  # of the match by words: BM25 on the scale of the search
    highlights: list[str]
    revision: str  # equal for documents with the same text
    copies: list[str]  # addresses of documents with the same text that were left out
    document: str | None  # the whole text, when it was asked for


class SearchResult(TypedDict):
    """The results of a search, and notes about it."""

    rows: list[ResultRow]
    notes: list[str]


class CheckResult(TypedDict):
    """What `Index.check` found in a collection."""

    documents: int  # that are whole
    expected: int | None  # that should be there; None where that is not known
    damaged: list[str]  # addresses whose text is not what was stored
    problem: str | None  # in one sentence; None: all is well
    remedy: str


class Hits(list[Hit]):
    """The hits of a search, with `notes` about it."""

    def __init__(self, hits: Iterable[Hit] = (), notes: Iterable[str] = ()) -> None:
        super().__init__(hits)
        self.notes = tuple(notes)


def to_document(source: Document | Page) -> Document:
    """Return what to index of a page: its text and where its headings are, under its own URL."""
    if isinstance(source, Document):
        return _replace_surrogates(source)
    return _replace_surrogates(
        Document(
            url=source.canonical_url or source.url,
            title=source.title,
            text=source.text,
            published=source.published,
            language=source.language,
            headings=headings_of(source),
        )
    )


def _replace_surrogates(document: Document) -> Document:
    """Replace lone surrogates, which cannot be encoded: one would fail the whole batch."""
    try:
        f"{document.url}{document.title}{document.text}".encode()
    except UnicodeEncodeError:
        url, title, text = (
            part.encode("utf-8", "replace").decode()
            for part in (document.url, document.title, document.text)
        )
        return replace(document, url=url, title=title, text=text)
    return document


def to_hit(row: ResultRow, rank: int) -> Hit:
    """Return a result as a hit; `explain` holds its collection, scores, offsets and highlights."""
    local = LocalMatch(
        collection=row["collection"],
        bm25=row["bm25"],
        cosine=row["cosine"],
        strength=row["strength"],
        start=row["start"],
        end=row["end"],
        heading=row["heading"] or "",
        language=row["language"] or "",
        highlights=tuple(row["highlights"] or ()),
        metadata=json.loads(row["metadata"]) if row["metadata"] else {},
        revision=row["revision"],
    )
    return Hit(
        url=row["url"],
        title=row["title"],
        content=row["text"],
        score=row["score"],
        published=row["published"],
        provider=LOCAL,
        raw_content=row["document"],
        sources=(Source(LOCAL, rank, row["score"], LOCAL),),
        explain=Explain(local=local, copies=tuple(row["copies"])),
    )


def to_passage(row: ResultRow) -> Passage:
    """Return a result as a passage of the stored document."""
    return Passage(
        url=row["url"],
        text=row["text"],
        start=row["start"],
        end=row["end"],
        title=row["title"],
        heading=row["heading"],
        score=row["score"],
    )

"""Convert a document to the entries that an engine stores, one for each passage, and back. Pure.

    Document → passages → Entry(id, terms, weights, payload)
    entries  → the same Document, its text to the letter

The first entry is the head: it carries what belongs to the document. The others carry their
number as `part`, and all carry the fields that filters look at. Entry ids are derived from the
URL, so a document replaces the one with the same URL and no second table is needed.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

from kensaku.index.engines.base import Entry, Payload
from kensaku.index.meta import DocumentRecord, bm25_parameters
from kensaku.models import Document, Passage
from kensaku.models.passages import split
from kensaku.text.headings import Heading
from kensaku.text.languages import guess_language
from kensaku.text.tokens import Terms, document_terms, name_terms

TITLE_WEIGHT = 3  # how often a title counts: SciFact 0.685 → 0.691, JSQuAD 0.950 → 0.953
NAME_CHARS = 40  # of a text without a title that may be its name
MAX_PARTS = 0xFFFF
SHORT = 40  # characters; shorter texts are alike by accident
_DOCUMENT_DIGITS = 28  # of an id; the last four number the passages
_EPOCH = date(1970, 1, 1).toordinal()


class PreparedDocument(NamedTuple):
    """A document cut into passages and terms, before weights are computed."""

    document: Document
    passages: tuple[Passage, ...]
    terms: tuple[Terms, ...]
    record: DocumentRecord  # what it adds to the counts of its collection


def document_id(url: str) -> str:
    """Return what the ids of all entries of a document begin with."""
    return hashlib.blake2b(url.encode("utf-8", "replace"), digest_size=14).hexdigest()


def entry_id(document: str, part: int) -> str:
    """Return the id of a passage."""
    return f"{document}{part:04x}"


def document_of(entry: str) -> str:
    """Return the id of the document that an entry belongs to."""
    return entry[:_DOCUMENT_DIGITS]


def revision(document: Document, model: str = "") -> str:
    """Return a short hash of all that would be stored: equal means that nothing has changed."""
    d = document
    hashed = f"{d.title or ''}\0{d.text or ''}\0{d.published or ''}\0{d.language or ''}\0{model}"
    if d.metadata:
        hashed += "\0" + json.dumps(dict(d.metadata), sort_keys=True, default=str)
    if d.headings:
        hashed += "\0" + json.dumps(list(d.headings))
    return text_hash(hashed)


def text_hash(text: str) -> str:
    """Return a short hash of a text: equal texts, equal hashes."""
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()


def copy_key(revision: str, title: str, text: str) -> tuple[str, str]:
    """Return what is equal for documents with the same text; short ones have the same title, too:
    "Sign in to continue"."""
    return revision, title if len(text) < SHORT else ""


def prepare(document: Document, rev: str) -> PreparedDocument:
    """Cut a document into passages and count their terms."""
    language = language_of(document)
    passages = passages_of(document)
    terms = tuple([passage_terms(p.title, p.heading, p.text, language) for p in passages])
    length = sum([t.length for t in terms])
    record = DocumentRecord(document_id(document.url), rev, len(passages), length, language)
    return PreparedDocument(document, passages, terms, record)


def language_of(document: Document) -> str:
    """Return the language that the document states, or a guess from its text."""
    return document.language or guess_language(document.text or document.title)


def passages_of(document: Document) -> tuple[Passage, ...]:
    """Return the passages to store; a document without text gets an empty one for its title."""
    passages = tuple(split(document)[:MAX_PARTS])
    return passages or (Passage(document.url, "", 0, 0, title=document.title),)


def passage_terms(title: str, heading: str, text: str, language: str) -> Terms:
    """Return the terms of a passage with its heading; the title counts several times."""
    above = f"{title}\n" * TITLE_WEIGHT + f"{heading}\n"
    terms = document_terms(above + text, language)
    named = name_terms(title or text[:NAME_CHARS])
    return terms._replace(pairs={**terms.pairs, **named}) if named else terms


def bm25_weights(terms: Terms, average: float, language: str) -> list[float]:
    """Return each term's BM25 weight without the IDF, which the engine multiplies in."""
    k1, b = bm25_parameters(language)
    norm = k1 * (1 - b + b * terms.length / average)
    counts = [*terms.words.values(), *terms.pairs.values()]
    table = {count: count * (k1 + 1) / (count + norm) for count in set(counts)}
    return list(map(table.__getitem__, counts))


def make_entries(
    prepared: PreparedDocument, average: float, vectors: Sequence[Sequence[float] | None] | None
) -> list[Entry]:
    """Return the entries to store for a document."""
    record = prepared.record
    common = _filter_fields(prepared)
    covered = 0
    entries: list[Entry] = []
    for part, (passage, terms) in enumerate(zip(prepared.passages, prepared.terms, strict=True)):
        payload: Payload = {"rev": record.rev, "text": passage.text, **common}
        gap = prepared.document.text[covered : passage.start]
        if gap:
            payload["before"] = gap
        if passage.heading:
            payload["heading"] = passage.heading
        if passage.start:
            payload["start"] = passage.start
        covered = max(covered, passage.end)
        if part:
            payload["part"] = part
        else:
            payload |= _head_fields(prepared)
        vector = vectors[part] if vectors else None
        weights = bm25_weights(terms, average, record.language)
        id = entry_id(record.id, part)
        entries.append(Entry(id, payload, terms.ids, weights, vector))
    tail = prepared.document.text[covered:]
    if tail:
        entries[-1].payload["after"] = tail
    return entries


def _head_fields(prepared: PreparedDocument) -> Payload:
    document, terms = prepared.document, prepared.record.terms
    payload: Payload = {"url": document.url, "title": document.title, "terms": terms}
    if len(prepared.passages) > 1:
        payload["parts"] = len(prepared.passages)
    if document.published and document.published != date_of(day_of(document.published)):
        payload["published"] = document.published  # else the day says as much
    if document.language:
        payload["said"] = document.language  # stated, not guessed: an export writes it again
    if document.metadata:
        payload["metadata"] = json.dumps(dict(document.metadata), default=str)
    if document.headings:
        payload["headings"] = json.dumps(list(document.headings), ensure_ascii=False)
    return payload


def _filter_fields(prepared: PreparedDocument) -> Payload:
    payload: Payload = {"language": prepared.record.language}
    sites = sites_of(prepared.document.url)
    if sites:
        payload["site"] = sites if len(sites) > 1 else sites[0]  # a list takes longer to store
    day = day_of(prepared.document.published)
    if day is not None:
        payload["day"] = day
    return payload


def sites_of(url: str) -> list[str]:
    """Return the host of a URL and the domains above it: `docs.python.org`, `python.org`."""
    _, _, rest = url.partition("://")
    return list(_sites(rest.partition("/")[0].partition("?")[0].partition("#")[0]))


@functools.lru_cache(maxsize=4_096)
def _sites(authority: str) -> tuple[str, ...]:
    host = authority.rpartition("@")[2].lower()
    if host.startswith("["):
        return (host.partition("]")[0][1:],)  # an IP address has no domains above it
    names = host.partition(":")[0].removeprefix("www.").strip(".").split(".")
    if names[-1].isdigit():
        return (".".join(names),)
    return tuple(".".join(names[n:]) for n in range(max(1, len(names) - 1))) if names[0] else ()


def published_of(head: Mapping[str, Any]) -> str | None:
    """Return when a document was published, as exactly as the document stated it."""
    return head.get("published") or date_of(head.get("day"))


def rebuild_document(parts: Iterable[Payload]) -> Document:
    """Return the document that these payloads, in order, were made from."""
    ordered = list(parts)
    head = ordered[0]
    text = ""
    for payload in ordered:
        text += payload.get("before", "")
        text += payload["text"][len(text) - payload.get("start", 0) :]
        text += payload.get("after", "")
    return Document(
        url=head["url"],
        title=head["title"],
        text=text,
        published=published_of(head),
        language=head.get("said"),
        metadata=metadata_of(head),
        headings=_headings_of(head),
    )


def metadata_of(head: Mapping[str, Any]) -> dict[str, Any]:
    """Return the metadata that a document was added with."""
    metadata: dict[str, Any] = json.loads(head.get("metadata") or "{}")
    return metadata


def _headings_of(head: Mapping[str, Any]) -> tuple[Heading, ...]:
    stored: list[Heading] = json.loads(head.get("headings") or "[]")
    return tuple((start, level, words) for start, level, words in stored)


@functools.lru_cache(maxsize=4_096)
def day_of(published: str | date | None) -> int | None:
    """Return an ISO date as days since 1970-01-01, which filters compare; None if unreadable."""
    if not published:
        return None
    text = str(published)[:10]
    text = {4: f"{text}-01-01", 7: f"{text}-01"}.get(len(text), text)
    try:
        return date.fromisoformat(text).toordinal() - _EPOCH
    except ValueError:
        return None


@functools.lru_cache(maxsize=4_096)
def date_of(day: int | None) -> str | None:
    """Return the ISO date of a day."""
    return None if day is None else date.fromordinal(day + _EPOCH).isoformat()

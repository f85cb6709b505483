"""A document ⇄ the entries an engine stores: one for each passage. Pure.

    Document → passages → Entry(id, terms, weights, payload)
    entries  → the same Document, its text to the letter

The first entry is the head: it carries what belongs to the document. The others carry their
number as `part`, and all carry what filters look at. Entry ids come from the address, so the same
address replaces itself and no second table is needed.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kensaku.index.days import date_of, day_of
from kensaku.index.engines.base import Entry, Payload
from kensaku.index.languages import guess_language
from kensaku.index.passages import split
from kensaku.index.tokens import Terms, document_terms
from kensaku.models import Document, Passage

# k1 and b: how fast repetition stops counting, and how much length is held against a text.
BM25 = (1.2, 0.75)
BM25_CJK = (0.8, 0.6)
TITLE = 3  # how often a title counts: SciFact 0.685 → 0.691, JSQuAD 0.950 → 0.953
MAX_PARTS = 0xFFFF
_DOCUMENT_DIGITS = 28  # of an id; the last four number the passages


@dataclass(frozen=True, slots=True)
class Prepared:
    """A document that was read for the index, before lengths are compared."""

    document: Document
    id: str
    rev: str
    language: str
    passages: tuple[Passage, ...]
    terms: tuple[Terms, ...]


def document_id(url: str) -> str:
    """What the ids of all entries of a document begin with."""
    return hashlib.blake2b(url.encode("utf-8", "replace"), digest_size=14).hexdigest()


def entry_id(document: str, part: int) -> str:
    """The id of a passage."""
    return f"{document}{part:04x}"


def document_of(entry: str) -> str:
    """The document that an entry belongs to."""
    return entry[:_DOCUMENT_DIGITS]


def revision(document: Document, model: str = "") -> str:
    """A short hash of all that would be stored: equal means there is nothing to do."""
    parts = [document.title, document.text, document.published, document.language, model]
    if document.metadata:
        parts.append(json.dumps(dict(document.metadata), sort_keys=True, default=str))
    joined = "\0".join(part or "" for part in parts)
    return hashlib.blake2b(joined.encode("utf-8", "replace"), digest_size=8).hexdigest()


def prepare(document: Document, rev: str) -> Prepared:
    """Cut a document into passages and count their terms."""
    language = language_of(document)
    passages = passages_of(document)
    terms = tuple(passage_terms(p.title, p.heading, p.text, language) for p in passages)
    return Prepared(document, document_id(document.url), rev, language, passages, terms)


def language_of(document: Document) -> str:
    """The language it was said to be in, or seems to be in."""
    return document.language or guess_language(document.text or document.title)


def passages_of(document: Document) -> tuple[Passage, ...]:
    """What is stored of a document: its passages, or an empty one that stands for its title."""
    found = tuple(split(document)[:MAX_PARTS])
    return found or (Passage(document.url, "", 0, 0, title=document.title),)


def passage_terms(title: str, heading: str, text: str, language: str) -> Terms:
    """The terms of a passage. Its headings are its own, and its title counts several times."""
    above = f"{title}\n" * TITLE + f"{heading}\n"
    return document_terms(above + text, language)


def weigh(terms: Terms, average: float, language: str) -> list[float]:
    """BM25's weight for each term but for the IDF, which the engine knows best."""
    k1, b = BM25_CJK if language in ("ja", "zh", "ko") else BM25
    norm = k1 * (1 - b + b * terms.length / average)
    counts = [*terms.words.values(), *terms.pairs.values()]
    table = {count: count * (k1 + 1) / (count + norm) for count in set(counts)}
    return list(map(table.__getitem__, counts))


def entries(
    prepared: Prepared, average: float, vectors: Sequence[Sequence[float] | None] | None
) -> list[Entry]:
    """What to store for a document."""
    common = _filters(prepared)
    covered = 0
    out = []
    for part, (passage, terms) in enumerate(zip(prepared.passages, prepared.terms, strict=True)):
        payload: Payload = {"rev": prepared.rev, "text": passage.text, **common}
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
            payload |= _head(prepared)
        vector = vectors[part] if vectors else None
        weights = weigh(terms, average, prepared.language)
        id = entry_id(prepared.id, part)
        out.append(Entry(id, payload, [*terms.words, *terms.pairs], weights, vector))
    tail = prepared.document.text[covered:]
    if tail:
        out[-1].payload["after"] = tail
    return out


def _head(prepared: Prepared) -> Payload:
    document = prepared.document
    payload: Payload = {"url": document.url, "title": document.title}
    if len(prepared.passages) > 1:
        payload["parts"] = len(prepared.passages)
    if document.published and document.published != date_of(day_of(document.published)):
        payload["published"] = document.published  # else the day says as much
    if document.language:
        payload["said"] = document.language  # told, not guessed: it is given back
    if document.metadata:
        payload["metadata"] = json.dumps(dict(document.metadata), default=str)
    return payload


def _filters(prepared: Prepared) -> Payload:
    payload: Payload = {"language": prepared.language}
    sites = sites_of(prepared.document.url)
    if sites:
        payload["site"] = sites if len(sites) > 1 else sites[0]  # a list takes longer to store
    day = day_of(prepared.document.published)
    if day is not None:
        payload["day"] = day
    return payload


def sites_of(url: str) -> list[str]:
    """The host of an address and the domains above it: `docs.python.org`, `python.org`."""
    _, _, rest = url.partition("://")
    return list(_sites(rest.partition("/")[0].partition("?")[0].partition("#")[0]))


@functools.lru_cache(maxsize=4_096)
def _sites(place: str) -> tuple[str, ...]:
    host = place.rpartition("@")[2].lower()
    if host.startswith("["):
        return (host.partition("]")[0][1:],)  # an IP address has no domains above it
    names = host.partition(":")[0].removeprefix("www.").strip(".").split(".")
    if names[-1].isdigit():
        return (".".join(names),)
    return tuple(".".join(names[n:]) for n in range(max(1, len(names) - 1))) if names[0] else ()


def published_of(head: Mapping[str, Any]) -> str | None:
    """When a document was published, as exactly as it was told."""
    return head.get("published") or date_of(head.get("day"))


def rebuild(parts: Iterable[Payload]) -> Document:
    """The document of which these are the payloads, in order."""
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
    )


def metadata_of(head: Mapping[str, Any]) -> dict[str, Any]:
    """The metadata a document was added with."""
    known: dict[str, Any] = json.loads(head.get("metadata") or "{}")
    return known

"""A query → ranked documents with their best passages, on any engine.

terms, vector → candidates by words and by vector → blend → documents → freshness → MMR
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from kensaku.errors import IndexFault
from kensaku.index.collections import Store
from kensaku.index.days import day_of
from kensaku.index.engines.base import Found, Payload, Where
from kensaku.index.entries import document_of, entry_id, published_of
from kensaku.index.fuse import blend, cosine, decay, diversify, highlights, overlap, saturate
from kensaku.index.languages import STOP_WORDS
from kensaku.index.tokens import document_terms, query_pattern, query_terms

Mode = Literal["lexical", "hybrid", "dense"]

PER_RESULT = 3  # passages that are looked at for each document that is shown …
PER_RESULT_FUSED = 10  # … and where two lists are fused
DEEPER = 4  # times as many, when they were passages of too few documents
SPARE = 5  # documents that are loaded beyond those shown: one may be lifted by its title
NAMED = 0.2  # of what is missing to 1, for a title that the query says in full

_NAMES = re.compile(r"[^\W_]+")
_SMALL = STOP_WORDS["en"]


@dataclass(frozen=True, slots=True)
class Request:
    """One search, as plain values: it may travel to another process."""

    text: str
    collections: tuple[str, ...] | None = None
    limit: int = 10
    where: Where = field(default_factory=Where)
    mode: Mode | None = None
    mmr: float | None = None
    freshness: float | None = None  # half-life in days
    vector: Sequence[float] | None = None  # the query's, when a model read it …
    model: str = ""  # … this one …
    trust: float = 0.0  # … and how much it counts beside BM25
    by_passage: bool = False  # several passages of one document may be listed


@dataclass(slots=True)
class Candidate:
    """A passage that may be shown."""

    collection: str
    id: str
    score: float  # 0..1
    bm25: float | None = None
    cosine: float | None = None
    payload: Payload = field(default_factory=dict)
    head: Payload = field(default_factory=dict)


def search(store: Store, request: Request) -> list[dict[str, Any]]:
    """The best documents (or passages) for a query, as plain values."""
    # A little more than is shown: titles, dates and likeness are only known once it is loaded.
    more = request.limit * 2 if request.mmr is not None or request.freshness else SPARE
    shown = _best(store, request, request.limit + more)
    _prefer_named(shown, request.text)
    if request.freshness:
        _freshen(shown, request.freshness)
    if request.mmr is not None:
        shown = _spread(store, shown, request)
    wanted = query_pattern(request.text)
    return [_result(c, wanted) for c in shown[: request.limit]]


def _best(store: Store, request: Request, limit: int) -> list[Candidate]:
    """The best documents, up to `limit`; never too few because one of them filled the lists."""
    names = request.collections or tuple(store.collections())
    deep = 1
    while True:
        found: list[Candidate] = []
        cut = False  # a list went on below what we looked at
        for name in names:
            some, more = _candidates(store, name, request, deep)
            found += some
            cut = cut or more
        found.sort(key=lambda c: (-c.score, c.collection, c.id))
        shown = _fill(store, found, request, limit)
        if not cut or len(shown) >= request.limit:
            return shown
        deep *= DEEPER


def _candidates(
    store: Store, name: str, request: Request, deep: int
) -> tuple[list[Candidate], bool]:
    """The best passages of a collection, and whether there are others below them."""
    meta = store.meta(name)
    if not meta.passages:
        return [], False
    mode = _mode(store, name, request)
    each = PER_RESULT_FUSED if mode == "hybrid" else PER_RESULT
    depth = deep * (request.limit * each + SPARE)
    words: dict[str, float] = {}
    terms = query_terms(request.text, meta.languages) if mode != "dense" else {}
    if terms:
        words = _scores(store.engine.by_words(name, terms, depth, request.where))
    if mode == "lexical" or request.vector is None:
        some = [Candidate(name, i, saturate(s), bm25=s) for i, s in words.items()]
        return some, len(words) >= depth
    dense = _scores(store.engine.by_vector(name, request.vector, depth, request.where))
    if mode == "dense":
        some = [Candidate(name, i, max(0.0, s), cosine=s) for i, s in dense.items()]
        return some, len(dense) >= depth
    cut = max(len(words), len(dense)) >= depth
    _complete(store, name, request, terms, words, dense)
    mixed = blend(words, dense, request.trust)
    # Fused numbers say only who is better. What is shown is scaled by how good the best is.
    best = max([saturate(s) for s in words.values()] + [min(1.0, s) for s in dense.values()] + [0])
    return [
        Candidate(name, i, share * best, words.get(i), dense.get(i)) for i, share in mixed.items()
    ], cut


def _complete(
    store: Store,
    name: str,
    request: Request,
    terms: Mapping[int, float],
    words: dict[str, float],
    dense: dict[str, float],
) -> None:
    """Ask each side about what only the other one listed: SciFact 0.730 → 0.736."""
    unread = tuple(dense.keys() - words.keys())
    unseen = tuple(words.keys() - dense.keys())
    if terms and unread:
        found = store.engine.by_words(name, terms, len(unread), Where(ids=unread))
        words |= dict.fromkeys(unread, 0.0) | _scores(found)
    if unseen and request.vector is not None:
        dense |= _scores(
            store.engine.by_vector(name, request.vector, len(unseen), Where(ids=unseen))
        )


def _mode(store: Store, name: str, request: Request) -> Mode:
    meta = store.meta(name)
    # No dimensions: the model could not read the language of any document.
    able = request.vector is not None and meta.dimensions > 0 and meta.model == request.model
    if request.mode in ("hybrid", "dense") and not able:
        raise IndexFault(
            f"collection {name!r} cannot be searched by meaning",
            remedy=f"set the embedding model it was made with ({meta.model})"
            if meta.model
            else "set an embedding model and add its documents again",
        )
    if request.mode == "dense" or (able and request.mode is None and request.trust >= 1):
        return "dense"
    if not able or request.mode == "lexical" or request.trust <= 0:
        return "lexical"
    return "hybrid"


def _scores(found: Sequence[Found]) -> dict[str, float]:
    return {f.id: f.score for f in found}


def _fill(
    store: Store, ranked: Sequence[Candidate], request: Request, limit: int
) -> list[Candidate]:
    """The first `limit` documents, with their texts; passages of an older revision are dropped."""
    shown: list[Candidate] = []
    seen: set[tuple[str, str]] = set()
    at = 0
    while len(shown) < limit and at < len(ranked):
        batch: list[Candidate] = []
        while at < len(ranked) and len(batch) < limit - len(shown):
            candidate = ranked[at]
            at += 1
            key = (candidate.collection, document_of(candidate.id))
            if request.by_passage or key not in seen:
                seen.add(key)
                batch.append(candidate)
        _load(store, batch)
        for candidate in batch:
            if candidate.payload and candidate.payload.get("rev") == candidate.head.get("rev"):
                shown.append(candidate)
            else:
                seen.discard((candidate.collection, document_of(candidate.id)))
    return shown


def _load(store: Store, batch: Sequence[Candidate]) -> None:
    for name in {c.collection for c in batch}:
        mine = [c for c in batch if c.collection == name]
        heads = {c.id: entry_id(document_of(c.id), 0) for c in mine}
        payloads = store.engine.get(name, list({*heads, *heads.values()}))
        for c in mine:
            c.payload, c.head = payloads.get(c.id, {}), payloads.get(heads[c.id], {})


def _prefer_named(shown: list[Candidate], text: str) -> None:
    """Lift what the query calls by its whole name: `asyncio.Task.cancel`, not `…cancelling`."""
    query = text.lower()
    said = set(_NAMES.findall(query))
    for c in shown:
        title = c.head["title"].lower()
        words = set(_NAMES.findall(title)) - _SMALL
        if (words and words <= said) or (title and not title.isascii() and title in query):
            c.score += NAMED * (1 - c.score)
    shown.sort(key=lambda c: -c.score)


def _freshen(shown: list[Candidate], half_life: float) -> None:
    today = day_of(datetime.now(UTC).date()) or 0
    for c in shown:
        # A page without a date is taken for one that is a half-life old.
        age = today - c.head["day"] if "day" in c.head else half_life
        c.score = decay(c.score, age, half_life)
    shown.sort(key=lambda c: -c.score)


def _spread(store: Store, shown: list[Candidate], request: Request) -> list[Candidate]:
    by_id = {f"{c.collection}/{c.id}": c for c in shown}
    vectors: dict[str, Sequence[float]] = {}
    for name in {c.collection for c in shown}:
        if store.meta(name).dimensions:
            ids = [c.id for c in shown if c.collection == name]
            found = store.engine.vectors(name, ids)
            vectors |= {f"{name}/{i}": v for i, v in found.items()}
    terms = {k: _all_terms(c.payload["text"], c.payload["language"]) for k, c in by_id.items()}

    def alike(one: str, other: str) -> float:
        left, right = vectors.get(one), vectors.get(other)
        if left is not None and right is not None and len(left) == len(right):
            return cosine(left, right)
        return overlap(terms[one], terms[other])

    top = max((c.score for c in shown), default=0.0) or 1.0
    relevance = {k: c.score / top for k, c in by_id.items()}
    order = diversify(list(by_id), relevance, alike, request.mmr or 0.0, request.limit)
    return [by_id[k] for k in order]


def _result(c: Candidate, wanted: re.Pattern[str] | None) -> dict[str, Any]:
    language = c.payload.get("language", "en")
    text = c.payload["text"]
    start = c.payload.get("start", 0)
    return {
        "url": c.head["url"],
        "title": c.head["title"],
        "published": published_of(c.head),
        "language": language,
        "metadata": c.head.get("metadata"),
        "text": text,
        "start": start,
        "end": start + len(text),
        "heading": c.payload.get("heading", ""),
        "score": round(min(1.0, max(0.0, c.score)), 4),
        "collection": c.collection,
        "bm25": c.bm25,
        "cosine": c.cosine,
        "highlights": highlights(text, wanted),
    }


def _all_terms(text: str, language: str) -> dict[int, int]:
    words, pairs = document_terms(text, language)
    return {**words, **pairs}

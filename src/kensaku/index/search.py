"""Search collections on any engine and rank what matches.

terms, vector → candidates by words and by vector → blend → documents → freshness → MMR

A search that names no collection looks into a person's own first. The public ones, Python's
documentation, stand in when nothing was found there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import NamedTuple

from kensaku.errors import IndexFault, InvalidQuery
from kensaku.index.candidates import SPARE, Candidate, blend_scores, find_candidates, terms_in
from kensaku.index.collections import Collections
from kensaku.index.engines.base import EntryFilter
from kensaku.index.entries import copy_key, day_of, document_of, entry_id, published_of, text_hash
from kensaku.index.fuse import (
    cosine,
    decay,
    diversify,
    highlights,
    match_strength,
    overlap,
    share_idf,
)
from kensaku.index.meta import length_factor
from kensaku.index.namespace import PUBLIC, names_in
from kensaku.index.request import Filters, SearchRequest
from kensaku.index.results import ResultRow, SearchResult
from kensaku.messages import msg
from kensaku.text.languages import STOP_WORDS
from kensaku.text.tokens import document_terms, query_pattern

DEPTH_FACTOR = 4  # times as many candidates, when they belonged to too few documents
MAX_FOLDED = 10_000  # documents that are compared to leave out copies
FUZZY_NOTE = "no document has these words; the hits have words that differ by one letter"
TITLE_BOOST = 0.2  # of what a score lacks to 1, when the query contains the whole title

_WORD = re.compile(r"[^\W_]+")
_SMALL_WORDS = STOP_WORDS["en"]


class Stage(NamedTuple):
    """Collections that are searched together; `fuzzy`: for words that differ by a letter."""

    names: Sequence[str]
    fuzzy: bool = False


class _Unreadable(Exception):
    """A collection cannot be read, while others can."""

    def __init__(self, collection: str, fault: IndexFault) -> None:
        super().__init__(collection)
        self.collection, self.fault = collection, fault


def search(collections: Collections, request: SearchRequest) -> SearchResult:
    """Return the best documents (or passages) for a query, best first, as plain values."""
    foreign = collections.engine.foreign
    others = [n for n in request.collections or () if foreign and collections.is_foreign(n)]
    if foreign is None or not others:
        return _search_readable(collections, request)
    rows = [row for name in others for row in foreign.search(name, request)]
    notes: list[str] = []
    own = tuple(n for n in request.collections or () if n not in others)
    if own:
        found = _search_readable(collections, replace(request, collections=own))
        rows, notes = rows + found["rows"], found["notes"]
    best = sorted(rows, key=lambda row: -row["score"])[: request.max_results]
    return {"rows": best, "notes": notes}


def _search_readable(collections: Collections, request: SearchRequest) -> SearchResult:
    """Search; leave out collections that cannot be read, unless the search names them."""
    names = list(request.collections or names_in(collections.names(), request.namespace))
    public = PUBLIC if request.collections is None else ()
    notes: list[str] = []
    while True:
        try:
            rows, about = _search_stages(collections, request, _stages(names, public))
        except _Unreadable as unreadable:
            fault = unreadable.fault
            names.remove(unreadable.collection)
            if request.collections is not None or not names:
                raise fault from unreadable
            notes.append(
                msg(
                    "{message}; it was not searched; {remedy}",
                    message=fault.message,
                    remedy=fault.remedy,
                )
            )
        else:
            lost = filter(None, map(collections.fault, names))
            notes += about + [
                msg("{message}; {remedy}", message=fault.message, remedy=fault.remedy)
                for fault in lost
            ]
            return {"rows": rows, "notes": notes}


def _stages(names: Sequence[str], public: Sequence[str]) -> list[Stage]:
    """Return what is searched one after the other, until something is found."""
    own = [n for n in names if n not in public]
    others = [n for n in names if n in public]
    exact = [Stage(group) for group in (own, others) if group]
    return [*exact, Stage(names, fuzzy=True)]  # at last: perhaps the query is misspelled


@contextmanager
def _naming(collection: str) -> Iterator[None]:
    """Say which collection could not be read."""
    try:
        yield
    except IndexFault as fault:
        raise _Unreadable(collection, fault) from fault


def _search_stages(
    collections: Collections, request: SearchRequest, stages: Sequence[Stage]
) -> tuple[list[ResultRow], list[str]]:
    """Return the results, and a note when they are for other words."""
    # Load a little more than is returned: titles, dates and similarity are in the payloads.
    reranked = request.mmr is not None or request.freshness
    spare = request.max_results * 2 if reranked else SPARE
    limit = request.max_results + spare
    best: list[Candidate] = []
    for stage in stages:
        if best := _top_candidates(collections, request, stage, limit):
            break
    if request.freshness:
        _apply_freshness(best, request.freshness)
    if request.mmr is not None:
        best = _diversify(collections, best, request)
    pattern = query_pattern(request.text)
    rows = [_result(c, pattern) for c in best[: request.max_results]]
    if request.include_document:
        for row, c in zip(rows, best, strict=False):
            with _naming(c.collection):
                document = collections.document(c.collection, document_of(c.id), c.head)
            row["document"] = document.text
    return rows, [FUZZY_NOTE] if rows and stage.fuzzy else []


def _top_candidates(
    collections: Collections, request: SearchRequest, stage: Stage, limit: int
) -> list[Candidate]:
    """Return up to `limit` documents. Look deeper when one document, or its copies, filled the
    lists."""
    condition = _entry_filter(request.filters)
    terms = _weighed_terms(collections, request, stage)
    passages = sum(collections.meta(name).passages for name in stage.names)
    most = max(map(len, terms.values()), default=0)
    factor = 1
    while True:
        candidates: list[Candidate] = []
        truncated = False  # a list went on below the depth
        for name in stage.names:
            with _naming(name):
                some, more = find_candidates(
                    collections, name, request, terms[name], condition, factor
                )
            for c in some:
                c.strength = None if c.bm25 is None else match_strength(c.bm25, most, passages)
            candidates += some
            truncated = truncated or more
        if not request.by_meaning_only:
            blend_scores(candidates, request.trust)
        candidates.sort(key=lambda c: (-c.score, c.collection, c.id))
        loaded = _select(collections, candidates, request, limit * factor)
        _boost_title_matches(loaded, request.text)
        selected = _fold_copies(loaded) if request.distinct else loaded
        has_more = truncated or len(loaded) == limit * factor
        if len(selected) >= request.max_results or not has_more or len(loaded) >= MAX_FOLDED:
            return selected[:limit]
        factor *= DEPTH_FACTOR


def _fold_copies(ranked: Sequence[Candidate]) -> list[Candidate]:
    """Keep the best of the documents that have the same text; it lists the others."""
    kept: dict[tuple[str, str], Candidate] = {}
    for c in ranked:
        key = copy_key(_revision(c), c.head["title"], c.payload["text"])
        first = kept.setdefault(key, c)
        if first is not c:
            first.copies.append(c.head["url"])
    return list(kept.values())


def _revision(c: Candidate) -> str:
    """Return a hash that is equal for documents with the same text."""
    revision: str = c.head["rev"] if "parts" in c.head else text_hash(c.payload["text"])
    return revision


def _weighed_terms(
    collections: Collections, request: SearchRequest, stage: Stage
) -> dict[str, dict[int, float]]:
    """Return the terms of the query in each collection, with weights that can be compared."""
    terms: dict[str, dict[int, float]] = {}
    idf: dict[str, dict[int, float]] = {}
    for name in stage.names:
        with _naming(name):
            terms[name] = terms_in(collections, name, request, fuzzy=stage.fuzzy)
            if len(stage.names) > 1:
                idf[name] = collections.engine.term_idf(name, list(terms[name]))
    if len(stage.names) == 1:
        return terms
    metas = {name: collections.meta(name) for name in terms}
    passages = sum(meta.passages for meta in metas.values())
    average = sum(meta.length for meta in metas.values()) / max(1, passages)
    weighed = share_idf(terms, idf, {name: meta.passages for name, meta in metas.items()})
    for name, meta in metas.items():
        factor = length_factor(meta, average)
        weighed[name] = {term: factor * weight for term, weight in weighed[name].items()}
    return weighed


def _entry_filter(filters: Filters) -> EntryFilter:
    return EntryFilter(
        sites=filters.include_domains,
        not_sites=filters.exclude_domains,
        first_day=_day("start_date", filters.start_date),
        last_day=_day("end_date", filters.end_date),
        language=filters.language,
    )


def _day(name: str, value: str | None) -> int | None:
    day = day_of(value)
    if value and day is None:
        raise InvalidQuery(
            msg("{name} is {value!r}; write it as 2026-01-31", name=name, value=value[:40])
        )
    return day


def _select(
    collections: Collections, ranked: Sequence[Candidate], request: SearchRequest, limit: int
) -> list[Candidate]:
    """Load and return the first `limit` documents; drop passages of an older revision."""
    selected: list[Candidate] = []
    left = list(ranked)
    while left and len(selected) < limit:
        batch, left = _next_batch(left, limit - len(selected), request.by_passage)
        _load_payloads(collections, batch)
        current = [c for c in batch if c.payload and c.payload.get("rev") == c.head.get("rev")]
        selected += current
        if not request.by_passage:
            done = {_document(c) for c in current}
            left = [c for c in left if _document(c) not in done]
    return selected


def _next_batch(
    ranked: Sequence[Candidate], limit: int, by_passage: bool
) -> tuple[list[Candidate], list[Candidate]]:
    """Return the best passage of each of the first `limit` documents, and the other passages."""
    batch: list[Candidate] = []
    others: list[Candidate] = []
    seen: set[tuple[str, str]] = set()
    for candidate in ranked:
        if len(batch) < limit and (by_passage or _document(candidate) not in seen):
            seen.add(_document(candidate))
            batch.append(candidate)
        else:
            others.append(candidate)
    return batch, others


def _document(candidate: Candidate) -> tuple[str, str]:
    return candidate.collection, document_of(candidate.id)


def _load_payloads(collections: Collections, batch: Sequence[Candidate]) -> None:
    for name in {c.collection for c in batch}:
        members = [c for c in batch if c.collection == name]
        heads = {c.id: entry_id(document_of(c.id), 0) for c in members}
        with _naming(name):
            payloads = collections.engine.get(name, list({*heads, *heads.values()}))
        for c in members:
            c.payload, c.head = payloads.get(c.id, {}), payloads.get(heads[c.id], {})


def _boost_title_matches(candidates: list[Candidate], text: str) -> None:
    """Lift documents whose whole title is in the query: `Task.cancel`, not `Task.cancelling`."""
    query = text.lower()
    query_words = set(_WORD.findall(query))
    for c in candidates:
        title = c.head["title"].lower()
        words = set(_WORD.findall(title)) - _SMALL_WORDS
        if title and not title.isascii():
            lifted = title in query or bool(words and words <= query_words)
        elif words:
            lifted = words <= query_words
        else:  # The Who: the words alone are in every other query
            lifted = bool(title) and f" {title} " in f" {query} "
        if lifted:
            c.score += TITLE_BOOST * (1 - c.score)
    candidates.sort(key=lambda c: -c.score)


def _apply_freshness(candidates: list[Candidate], half_life: float) -> None:
    today = day_of(datetime.now(UTC).date()) or 0
    for c in candidates:
        # A page without a date is taken for one that is a half-life old.
        age = today - c.head["day"] if "day" in c.head else half_life
        c.score = decay(c.score, age, half_life)
    candidates.sort(key=lambda c: -c.score)


def _diversify(
    collections: Collections, candidates: list[Candidate], request: SearchRequest
) -> list[Candidate]:
    by_key = {f"{c.collection}/{c.id}": c for c in candidates}
    vectors: dict[str, Sequence[float]] = {}
    for name in {c.collection for c in candidates}:
        if collections.meta(name).dimensions:
            ids = [c.id for c in candidates if c.collection == name]
            with _naming(name):
                stored = collections.engine.get_vectors(name, ids)
            vectors |= {f"{name}/{i}": v for i, v in stored.items()}
    terms = {k: _all_terms(c.payload["text"], c.payload["language"]) for k, c in by_key.items()}

    def similarity(one: str, other: str) -> float:
        left, right = vectors.get(one), vectors.get(other)
        if left is not None and right is not None and len(left) == len(right):
            return cosine(left, right)
        return overlap(terms[one], terms[other])

    top = max((c.score for c in candidates), default=0.0) or 1.0
    relevance = {k: c.score / top for k, c in by_key.items()}
    order = diversify(list(by_key), relevance, similarity, request.mmr or 0.0, request.max_results)
    return [by_key[k] for k in order]


def _result(c: Candidate, pattern: re.Pattern[str] | None) -> ResultRow:
    text = c.payload["text"]
    start = c.payload.get("start", 0)
    return {
        "url": c.head["url"],
        "title": c.head["title"],
        "published": published_of(c.head),
        "language": c.payload.get("language", "en"),
        "metadata": c.head.get("metadata"),
        "text": text,
        "start": start,
        "end": start + len(text),
        "heading": c.payload.get("heading", ""),
        "score": round(min(1.0, max(0.0, c.score)), 4),
        "collection": c.collection,
        "bm25": c.bm25,
        "cosine": c.cosine,
        "strength": None if c.strength is None else round(c.strength, 4),
        "highlights": highlights(text, pattern),
        "revision": _revision(c),
        "copies": c.copies,
        "document": None,
    }


def _all_terms(text: str, language: str) -> dict[int, int]:
    terms = document_terms(text, language)
    return {**terms.words, **terms.pairs}

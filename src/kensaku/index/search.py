"""Search collections on any engine and rank what matches.

terms, vector → candidates by words and by vector → blend → documents → freshness → MMR
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from kensaku.errors import IndexFault, InvalidQuery
from kensaku.index.collections import Collections
from kensaku.index.engines.base import EntryFilter, Payload, ScoredEntry
from kensaku.index.entries import day_of, document_of, entry_id, published_of
from kensaku.index.fuse import blend, cosine, decay, diversify, highlights, overlap, saturate
from kensaku.index.languages import STOP_WORDS
from kensaku.index.request import Filters, SearchMode, SearchRequest
from kensaku.index.results import ResultRow
from kensaku.index.tokens import document_terms, query_pattern, query_terms

PASSAGES_PER_RESULT = 3  # candidates for each document that is returned …
PASSAGES_PER_RESULT_FUSED = 10  # … and where two lists are fused
DEPTH_FACTOR = 4  # times as many candidates, when they belonged to too few documents
SPARE = 5  # documents loaded beyond `max_results`: a title match may lift one of them
TITLE_BOOST = 0.2  # of what a score lacks to 1, when the query contains the whole title

_WORD = re.compile(r"[^\W_]+")
_SMALL_WORDS = STOP_WORDS["en"]


@dataclass(slots=True)
class Candidate:
    """A passage that may be returned."""

    collection: str
    id: str
    score: float  # 0..1
    bm25: float | None = None
    cosine: float | None = None
    payload: Payload = field(default_factory=dict)
    head: Payload = field(default_factory=dict)  # the payload of the document's first entry


def search(collections: Collections, request: SearchRequest) -> list[ResultRow]:
    """Return the best documents (or passages) for a query, best first, as plain values."""
    foreign = collections.engine.foreign
    others = [n for n in request.collections or () if foreign and collections.is_foreign(n)]
    if foreign is None or not others:
        return _search_own(collections, request)
    rows = [row for name in others for row in foreign.search(name, request)]
    own = tuple(n for n in request.collections or () if n not in others)
    if own:
        rows += _search_own(collections, replace(request, collections=own))
    return sorted(rows, key=lambda row: -row["score"])[: request.max_results]


def _search_own(collections: Collections, request: SearchRequest) -> list[ResultRow]:
    # Load a little more than is returned: titles, dates and similarity are in the payloads.
    reranked = request.mmr is not None or request.freshness
    spare = request.max_results * 2 if reranked else SPARE
    best = _top_candidates(collections, request, request.max_results + spare)
    _boost_title_matches(best, request.text)
    if request.freshness:
        _apply_freshness(best, request.freshness)
    if request.mmr is not None:
        best = _diversify(collections, best, request)
    pattern = query_pattern(request.text)
    return [_result(c, pattern) for c in best[: request.max_results]]


def _top_candidates(
    collections: Collections, request: SearchRequest, limit: int
) -> list[Candidate]:
    """Return up to `limit` documents; look deeper when one document filled the lists."""
    names = request.collections or tuple(collections.names())
    condition = _entry_filter(request.filters)
    factor = 1
    while True:
        candidates: list[Candidate] = []
        truncated = False  # a list went on below the depth
        for name in names:
            some, more = _candidates(collections, name, request, condition, factor)
            candidates += some
            truncated = truncated or more
        candidates.sort(key=lambda c: (-c.score, c.collection, c.id))
        selected = _select(collections, candidates, request, limit)
        if not truncated or len(selected) >= request.max_results:
            return selected
        factor *= DEPTH_FACTOR


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
        raise InvalidQuery(f"{name} is {value[:40]!r}; write it as 2026-01-31")
    return day


def _candidates(
    collections: Collections,
    name: str,
    request: SearchRequest,
    condition: EntryFilter,
    factor: int,
) -> tuple[list[Candidate], bool]:
    """Return the best passages of a collection, and whether there are others below them."""
    meta = collections.meta(name)
    if not meta.passages:
        return [], False
    engine = collections.engine
    mode = _resolve_mode(collections, name, request)
    each = PASSAGES_PER_RESULT_FUSED if mode == "hybrid" else PASSAGES_PER_RESULT
    depth = factor * (request.max_results * each + SPARE)
    words: dict[str, float] = {}
    terms = query_terms(request.text, meta.languages) if mode != "dense" else {}
    if terms:
        words = _scores(engine.search_terms(name, terms, depth, condition))
    if mode == "lexical" or request.vector is None:
        some = [Candidate(name, i, saturate(s), bm25=s) for i, s in words.items()]
        return some, len(words) >= depth
    dense = _scores(engine.search_vector(name, request.vector, depth, condition))
    if mode == "dense":
        some = [Candidate(name, i, max(0.0, s), cosine=s) for i, s in dense.items()]
        return some, len(dense) >= depth
    truncated = max(len(words), len(dense)) >= depth
    _score_missing(collections, name, request, terms, words, dense)
    mixed = blend(words, dense, request.trust)
    # Fused numbers only order the candidates. Scale them by how good the best match is.
    best = max([saturate(s) for s in words.values()] + [min(1.0, s) for s in dense.values()] + [0])
    return [
        Candidate(name, i, share * best, words.get(i), dense.get(i)) for i, share in mixed.items()
    ], truncated


def _score_missing(
    collections: Collections,
    name: str,
    request: SearchRequest,
    terms: Mapping[int, float],
    words: dict[str, float],
    dense: dict[str, float],
) -> None:
    """Score on each side what only the other side listed: SciFact 0.730 → 0.736."""
    engine = collections.engine
    only_dense = tuple(dense.keys() - words.keys())
    only_words = tuple(words.keys() - dense.keys())
    if terms and only_dense:
        scored = engine.search_terms(name, terms, len(only_dense), EntryFilter(ids=only_dense))
        words |= dict.fromkeys(only_dense, 0.0) | _scores(scored)
    if only_words and request.vector is not None:
        condition = EntryFilter(ids=only_words)
        dense |= _scores(engine.search_vector(name, request.vector, len(only_words), condition))


def _resolve_mode(collections: Collections, name: str, request: SearchRequest) -> SearchMode:
    meta = collections.meta(name)
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


def _scores(entries: Sequence[ScoredEntry]) -> dict[str, float]:
    return {entry.id: entry.score for entry in entries}


def _select(
    collections: Collections, ranked: Sequence[Candidate], request: SearchRequest, limit: int
) -> list[Candidate]:
    """Load and return the first `limit` documents; drop passages of an older revision."""
    selected: list[Candidate] = []
    seen: set[tuple[str, str]] = set()
    at = 0
    while len(selected) < limit and at < len(ranked):
        batch: list[Candidate] = []
        while at < len(ranked) and len(batch) < limit - len(selected):
            candidate = ranked[at]
            at += 1
            key = (candidate.collection, document_of(candidate.id))
            if request.by_passage or key not in seen:
                seen.add(key)
                batch.append(candidate)
        _load_payloads(collections, batch)
        for candidate in batch:
            if candidate.payload and candidate.payload.get("rev") == candidate.head.get("rev"):
                selected.append(candidate)
            else:
                seen.discard((candidate.collection, document_of(candidate.id)))
    return selected


def _load_payloads(collections: Collections, batch: Sequence[Candidate]) -> None:
    for name in {c.collection for c in batch}:
        members = [c for c in batch if c.collection == name]
        heads = {c.id: entry_id(document_of(c.id), 0) for c in members}
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
        if (words and words <= query_words) or (title and not title.isascii() and title in query):
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
        "highlights": highlights(text, pattern),
    }


def _all_terms(text: str, language: str) -> dict[int, int]:
    words, pairs = document_terms(text, language)
    return {**words, **pairs}

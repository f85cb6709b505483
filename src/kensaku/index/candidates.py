"""Find the passages of one collection that may be returned, by words, by vector, or both.

query → terms → engine → BM25      vector → engine → cosine      both → blend
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kensaku.errors import IndexFault
from kensaku.index.collections import Collections
from kensaku.index.engines.base import EntryFilter, Payload, ScoredEntry
from kensaku.index.fuse import blend, saturate
from kensaku.index.request import SearchMode, SearchRequest
from kensaku.messages import msg
from kensaku.text.tokens import query_terms, similar_terms

PASSAGES_PER_RESULT = 3  # candidates for each document that is returned …
PASSAGES_PER_RESULT_FUSED = 10  # … and where two lists are fused
SPARE = 5  # documents loaded beyond `max_results`: a title match may lift one of them


@dataclass(slots=True)
class Candidate:
    """A passage that may be returned."""

    collection: str
    id: str
    score: float  # 0..1
    bm25: float | None = None
    cosine: float | None = None
    strength: float | None = None  # of the match by words: `fuse.match_strength`
    payload: Payload = field(default_factory=dict)
    head: Payload = field(default_factory=dict)  # the payload of the document's first entry
    copies: list[str] = field(default_factory=list)  # addresses of documents with the same text


def terms_in(
    collections: Collections, name: str, request: SearchRequest, *, fuzzy: bool
) -> dict[int, float]:
    """Return the query as terms of a collection.

    `fuzzy`: words that differ by a letter from those of the query.
    """
    meta = collections.meta(name)
    if fuzzy:
        return similar_terms(request.text, meta.languages)

    def known(term: int) -> bool:
        return bool(collections.engine.search_terms(name, {term: 1.0}, 1, EntryFilter()))

    return query_terms(request.text, meta.query_languages(request.text), known)


def find_candidates(
    collections: Collections,
    name: str,
    request: SearchRequest,
    terms: Mapping[int, float],
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
    if terms and mode != "dense":
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
    some = [
        Candidate(name, i, saturate(words.get(i, 0.0)), words.get(i), dense.get(i))
        for i in {**words, **dense}
    ]
    return some, truncated


def blend_scores(candidates: Sequence[Candidate], trust: float) -> None:
    """Score the candidates of all collections by words and by meaning together.

    A collection without vectors is ranked by its words among the others. If none has vectors, the
    scores stay as they are.
    """
    if all(c.cosine is None for c in candidates):
        return
    found = dict(enumerate(candidates))
    words = {n: c.bm25 for n, c in found.items() if c.bm25 is not None}
    dense = {n: c.cosine for n, c in found.items() if c.cosine is not None}
    mixed = blend(words, dense, trust)
    # Fused numbers only order the candidates. Scale them by how good the best match is.
    best = max([saturate(s) for s in words.values()] + [min(1.0, s) for s in dense.values()] + [0])
    for n, candidate in found.items():
        candidate.score = mixed.get(n, 0.0) * best


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
            msg("collection {name!r} cannot be searched by meaning", name=name),
            remedy=msg("set the embedding model it was made with ({model})", model=meta.model)
            if meta.model
            else msg("set an embedding model and add its documents again"),
        )
    if able and request.by_meaning_only:
        return "dense"
    if not able or request.mode == "lexical" or request.trust <= 0:
        return "lexical"
    return "hybrid"


def _scores(entries: Sequence[ScoredEntry]) -> dict[str, float]:
    return {entry.id: entry.score for entry in entries}

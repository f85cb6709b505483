"""Turn the providers' lists into one ranked list: pure functions, in the order of the pipeline.

    clean_hits → filter_hits → merge | fuse (duplicates) → limit_per_host

A score is shown only when an upstream gave one: a rank is not a relevance.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from kensaku.models import Explain, Hit
from kensaku.search.duplicates import deduplicate
from kensaku.text.terms import coverage, terms
from kensaku.text.urls import site_of

if TYPE_CHECKING:
    from kensaku.models import Query

RRF_K = 60


def merge(hits: Sequence[Hit], query: Query) -> list[Hit]:
    """One list without duplicates, in its own order."""
    words = terms(query.text)
    return [
        _explained(h, words) if len(h.sources) > 1 or not h.explain or h.explain.variants else h
        for h in deduplicate(hits)
    ]


def fuse(lists: Iterable[Sequence[Hit]], query: Query) -> list[Hit]:
    """Fuse several lists by reciprocal rank, each index family counted once.

    Engines that resell one index agree with themselves: the best rank of a family counts.
    Hits that hold none of the query's words go behind those that do.
    """
    merged = deduplicate([hit for hits in lists for hit in hits])
    words = terms(query.text)

    def points(hit: Hit) -> float:
        best: dict[str, int] = {}
        for s in hit.sources:
            best[s.index] = min(s.rank, best.get(s.index, s.rank))
        return sum(1 / (RRF_K + rank) for rank in best.values())

    scored = [(coverage(words, h) > 0 or not words, points(h), h) for h in merged]
    scored.sort(key=lambda row: (not row[0], -row[1]))
    return [_explained(h, words, fused=round(p, 5)) for _, p, h in scored]


def limit_per_host(hits: Sequence[Hit], per_domain: int) -> list[Hit]:
    """Move hits of a host beyond the first `per_domain` to the end."""
    if not per_domain:
        return list(hits)
    seen: dict[str, int] = {}
    first: list[Hit] = []
    later: list[Hit] = []
    for hit in hits:
        host = site_of(hit)
        seen[host] = seen.get(host, 0) + 1
        (first if seen[host] <= per_domain or not host else later).append(hit)
    return first + later


def _explained(hit: Hit, words: frozenset[str], fused: float | None = None) -> Hit:
    """The hit with its `Explain` brought up to date after merging."""
    return replace(
        hit,
        explain=replace(
            hit.explain or Explain(),
            coverage=coverage(words, hit),
            agreement=len({s.index for s in hit.sources}),
            fused=fused,
        ),
    )

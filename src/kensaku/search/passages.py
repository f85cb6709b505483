"""Score passages against each other: BM25, and the rank of their page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from kensaku.models import Passage
from kensaku.text.languages import guess_language
from kensaku.text.tokens import document_terms, query_terms

RANK_WEIGHT = 1.0  # the place of its page counts as much as a passage's own words
K1, B = 1.2, 0.5


def score_passages(query: str, found: Sequence[tuple[int, Passage]]) -> list[Passage]:
    """BM25 of each passage among the others, and a little for the place of its page."""
    scores = score_texts(query, [f"{p.title} {p.heading} {p.text}" for _, p in found])
    return [
        replace(p, score=own + RANK_WEIGHT / (1 + rank))
        for own, (rank, p) in zip(scores, found, strict=True)
    ]


def score_texts(query: str, texts: Sequence[str]) -> list[float]:
    """BM25 of each text among the others, from 0 to 1; the best has 1, if it has a word at all."""
    wanted = query_terms(query, {guess_language(t) for t in texts})
    read = [document_terms(t) for t in texts]
    terms = [{**t.words, **t.pairs} for t in read]
    sizes = [t.length for t in read]
    mean = sum(sizes) / len(sizes) if sizes else 1.0
    weight = {
        term: math.log(1 + (len(terms) - n + 0.5) / (n + 0.5)) * times
        for term, times in wanted.items()
        if (n := sum(term in t for t in terms))
    }
    raw = []
    for counts, size in zip(terms, sizes, strict=True):
        norm = K1 * (1 - B + B * size / (mean or 1.0))
        raw.append(
            sum(
                w * counts[t] * (K1 + 1) / (counts[t] + norm)
                for t, w in weight.items()
                if t in counts
            )
        )
    best = max(raw, default=0.0) or 1.0
    return [own / best for own in raw]

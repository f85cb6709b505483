"""How well each sentence of the sources answers a question: by its words, weighed by their rarity.

    citations → sentences → terms → IDF among the sentences → own words, neighbours, title, page

A rare word of the question says more than a frequent one. A sentence also gets a part of what its
neighbours and its title have ("He was born in 1867." under "Natsume Soseki"), and its page's share.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kensaku.answers.sentences import whole_sentences
from kensaku.index.languages import guess_language
from kensaku.index.tokens import document_terms, query_terms
from kensaku.text.clean import one_line

if TYPE_CHECKING:
    from kensaku.answers.context import Citation

LONGEST = 1_000  # characters of a sentence; what is longer is a table or minified code
NEIGHBOUR, TITLE = 0.3, 0.3  # of the weight of a word that stands only there
PAGES = 8  # that are looked at: the answer is hardly ever further down
PAGE_DECAY = 0.3  # how fast a page counts less with its rank
# [1] and [1, 2], with the blanks before: a source's own [12] would pass for one of our numbers. A
# run of blanks is looked at once, from its start.
MARK = re.compile(r"(?<!\s)\s*+\[(\d{1,3}(?:\s*+[,;、]\s*+\d{1,3})*+)\]")

Terms = frozenset[int]


@dataclass(slots=True)
class Sentence:
    """A sentence of a source, and how well it answers."""

    text: str
    citation: int
    position: int  # among the sentences of all sources
    terms: Terms
    own: float = 0.0  # share of the question that it has itself
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class Scored:
    """The sentences of the sources, and how much of the question they have."""

    sentences: Sequence[Sentence]
    share: float  # of the question in the best sentence
    page_share: float  # of the question in the best page

    def factors(self, confidence: float) -> dict[str, float]:
        """Return what the model "answer" weighs, with the confidence of the search."""
        sure = min(0.999, max(0.001, confidence))
        odds = math.log(sure / (1 - sure))
        return {"confidence": odds, "sentence": self.share, "page": self.page_share}


def score_sentences(query: str, citations: Sequence[Citation]) -> Scored:
    """Score every sentence of the citations; the first is the page that ranked highest."""
    citations = citations[:PAGES]
    found: list[list[Sentence]] = []
    position = 0
    for citation in citations:
        texts = [t for passage in citation.passages for t in _texts(passage.text)]
        found.append(
            [Sentence(t, citation.n, position + n, _terms(t)) for n, t in enumerate(texts)]
        )
        position += len(texts)
    languages = {guess_language(p.text) for c in citations for p in c.passages}
    weights = _weights(query_terms(query, languages), [s.terms for page in found for s in page])
    total = sum(weights.values())
    if not total:
        return Scored([s for page in found for s in page], 0.0, 0.0)
    page_share = 0.0
    for rank, (citation, page) in enumerate(zip(citations, found, strict=True)):
        title = _terms(citation.title)
        share = _sum(weights, title.union(*(s.terms for s in page))) / total
        page_share = max(share, page_share)
        _score_page(page, title, weights, total, share / (1 + PAGE_DECAY * rank))
    sentences = [s for page in found for s in page]
    return Scored(sentences, max((s.own for s in sentences), default=0.0), page_share)


def _score_page(
    page: Sequence[Sentence],
    title: Terms,
    weights: Mapping[int, float],
    total: float,
    page_points: float,
) -> None:
    nothing: Terms = frozenset()
    for n, sentence in enumerate(page):
        before = page[n - 1].terms if n else nothing
        after = page[n + 1].terms if n + 1 < len(page) else nothing
        near = (before | after) - sentence.terms
        above = title - sentence.terms
        sentence.own = _sum(weights, sentence.terms) / total
        points = NEIGHBOUR * _sum(weights, near) + TITLE * _sum(weights, above)
        sentence.score = sentence.own + points / total + page_points


def _texts(text: str) -> list[str]:
    text = MARK.sub("", text)
    lines = (one_line(text[start:end]).strip("#*- …|") for start, end in whole_sentences(text))
    return [line for line in lines if 0 < len(line) <= LONGEST]


def _terms(text: str) -> Terms:
    read = document_terms(text)
    return frozenset(read.words) | frozenset(read.pairs)


def _weights(wanted: Mapping[int, float], sentences: Sequence[Terms]) -> dict[int, float]:
    """The weight of each word of the question: its own, times its IDF among the sentences."""
    count = len(sentences)
    weights = {}
    for term, times in wanted.items():
        having = sum(term in s for s in sentences)
        weights[term] = times * math.log(1 + (count - having + 0.5) / (having + 0.5))
    return weights


def _sum(weights: Mapping[int, float], terms: Terms) -> float:
    return sum(weight for term, weight in weights.items() if term in terms)

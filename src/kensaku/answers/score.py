"""How well each sentence of the sources answers a question: by its words, weighed by their rarity.

    citations → sentences → terms → IDF among the sentences
              → own words, phrases, neighbours, title, page → score

A rare word of the question says more than a frequent one, and words in the question's own order
(`phrases.py`) more than the same words apart. A sentence also gets a part of what its neighbours
and its title have ("He was born in 1867." under "Natsume Soseki"), and its page's share.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kensaku.answers.phrases import letters_of, names_in, phrases_of
from kensaku.answers.sentences import whole_sentences
from kensaku.index.languages import guess_language
from kensaku.index.tokens import document_terms, query_terms
from kensaku.text.clean import one_line

if TYPE_CHECKING:
    from kensaku.answers.context import Citation

LONGEST = 1_000  # characters of a sentence; what is longer is a table or minified code
NEIGHBOUR, TITLE = 0.3, 0.3  # of the weight of a word that stands only there
PHRASE = 0.4  # for all phrases of the question, beside 1 for all of its words
NO_NAME = 0.6  # share of names in the sources that a question without a name counts with
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
    own: float = 0.0  # share of the question's words that it has itself
    phrase: float = 0.0  # share of the question's phrases
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class Scored:
    """The sentences of the sources, and how much of the question they have."""

    sentences: Sequence[Sentence]
    share: float = 0.0  # of the question's words in the best sentence
    page_share: float = 0.0  # … in the best page
    phrase: float = 0.0  # share of its phrases in the best sentence
    names: float = 0.0  # share of its names in the best page

    def factors(self, confidence: float) -> dict[str, float]:
        """Return what the model "answer" weighs, with the confidence of the search."""
        sure = min(0.999, max(0.001, confidence))
        odds = math.log(sure / (1 - sure))
        return {
            "confidence": odds,
            "sentence": self.share,
            "page": self.page_share,
            "phrase": self.phrase,
            "names": self.names,
        }


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
    sentences = [s for page in found for s in page]
    weights = _weights(query_terms(query, languages), [s.terms for s in sentences])
    total = sum(weights.values())
    if not total or not sentences:
        return Scored(sentences)
    _find_phrases(query, sentences)
    page_share = 0.0
    for rank, (citation, page) in enumerate(zip(citations, found, strict=True)):
        title = _terms(citation.title)
        share = _sum(weights, title.union(*(s.terms for s in page))) / total
        page_share = max(share, page_share)
        _score_page(page, title, weights, total, share / (1 + PAGE_DECAY * rank))
    return Scored(
        sentences,
        share=max(s.own for s in sentences),
        page_share=page_share,
        phrase=max(s.phrase for s in sentences),
        names=_share_of_names(query, found),
    )


def _find_phrases(query: str, sentences: Sequence[Sentence]) -> None:
    wanted = phrases_of(query)
    for sentence in sentences if wanted else ():
        letters = letters_of(sentence.text)
        sentence.phrase = sum(phrase in letters for phrase in wanted) / len(wanted)


def _share_of_names(query: str, pages: Sequence[Sequence[Sentence]]) -> float:
    """The share of the question's names that the page with most of them has."""
    names = names_in(query)
    if not names:
        return NO_NAME
    texts = (" ".join(s.text for s in page).lower() for page in pages)
    return max(sum(name in text for name in names) for text in texts) / len(names)


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
        own = sentence.own + PHRASE * sentence.phrase
        sentence.score = own + points / total + page_points


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

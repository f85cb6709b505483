"""How well each sentence of the sources answers a question: by its words, weighed by their rarity.

    citations → sentences → terms → IDF among the sentences
              → own words, phrases, kind of answer, neighbours, title, page → score

A rare word of the question says more than a frequent one, a word that only asks hardly anything
(`kinds.py`), and words in the question's own order (`phrases.py`) more than the same words apart.
A sentence also gets a part of what its neighbours and its title have ("He was born in 1867." under
"Natsume Soseki"), and points for its page. The weights were fitted, and rounded:
docs/benchmarks.md.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from kensaku.answers.kinds import (
    asking_terms,
    has_kind,
    kind_of,
    letters_of,
    names_in,
    phrases_of,
)
from kensaku.answers.sentences import whole_sentences
from kensaku.text.clean import one_line
from kensaku.text.languages import guess_language
from kensaku.text.tokens import document_terms, query_terms

if TYPE_CHECKING:
    from kensaku.answers.context import Citation

LONGEST = 1_000  # characters of a sentence; what is longer is a table or minified code
BEFORE, AFTER, TITLE = 0.35, 0.25, 0.4  # of the weight of a word that stands only there
PHRASE = 0.4  # for all phrases of the question, beside 1 for all of its words
PAGES = 8  # that are looked at: the answer is hardly ever further down
PAGE, FIRST = 0.3, 0.4  # for all words on the page, and for the page that ranked highest
ASKING, NAME = 0.2, 1.5  # times its weight: a word that asks, one of a name or a figure
DAMPING = 0.7  # power of the IDF, which is rough among so few sentences
# [1] and [1, 2], with the blanks before: a source's own [12] would pass for one of our numbers. A
# run of blanks is looked at once, from its start.
MARK = re.compile(r"(?<!\s)\s*+\[(\d{1,3}(?:\s*+[,;、]\s*+\d{1,3})*+)\]")
_STRONG = re.compile(r"\*\*(?=\S)([^*\n]+)(?<=\S)\*\*")

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
    kind: float = 0.0  # points for the kind of answer that is asked for
    score: float = 0.0


class Title(NamedTuple):
    """The title of a page: its terms, and its letters."""

    terms: Terms
    text: str


@dataclass(frozen=True, slots=True)
class Scored:
    """The sentences of the sources, the words of the question by weight, and the pages' titles."""

    sentences: Sequence[Sentence]
    weights: Mapping[int, float] = field(default_factory=dict)
    titles: Mapping[int, Title] = field(default_factory=dict)  # by the number of the citation

    def may_answer(self, sentence: Sentence) -> bool:
        """Whether a sentence has a word of the question; or the kind of answer that it asks for, on
        the first page, if the question names that: "It was released in 1987." under "Push It"."""
        if sentence.own or not sentence.kind or sentence.citation != self.sentences[0].citation:
            return sentence.own > 0
        return not self.titles[sentence.citation].terms.isdisjoint(self.weights)


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
    languages = frozenset(guess_language(p.text) for c in citations for p in c.passages)
    sentences = [s for page in found for s in page]
    weights = _weights(query, languages, [s.terms for s in sentences])
    if not weights or not sentences:
        return Scored(sentences)
    _find_phrases(query, sentences)
    _find_kind(query, sentences)
    titles = {
        c.n: Title(_terms(spoken), spoken) for c in citations for spoken in [_spoken(c.title)]
    }
    for rank, (citation, page) in enumerate(zip(citations, found, strict=True)):
        _score_page(page, titles[citation.n].terms, weights, FIRST / (1 + rank))
    return Scored(sentences, weights, titles)


def _spoken(title: str) -> str:
    return title.replace("_", " ").replace("|", " ")


def _find_phrases(query: str, sentences: Sequence[Sentence]) -> None:
    wanted = phrases_of(query)
    for sentence in sentences if wanted else ():
        letters = letters_of(sentence.text)
        sentence.phrase = sum(phrase in letters for phrase in wanted) / len(wanted)


def _find_kind(query: str, sentences: Sequence[Sentence]) -> None:
    if (kind := kind_of(query)) is None:
        return
    for sentence in sentences:
        sentence.kind = kind.points * has_kind(kind, query, sentence.text)


def _score_page(
    page: Sequence[Sentence], title: Terms, weights: Mapping[int, float], rank_points: float
) -> None:
    """Score the sentences of a page."""
    nothing: Terms = frozenset()
    total = sum(weights.values())
    body = nothing.union(*(s.terms for s in page))
    page_points = PAGE * _sum(weights, title | body) / total + rank_points
    for n, sentence in enumerate(page):
        before = page[n - 1].terms if n else nothing
        after = page[n + 1].terms if n + 1 < len(page) else nothing
        near = BEFORE * _sum(weights, before - sentence.terms)
        near += AFTER * _sum(weights, after - sentence.terms)
        near += TITLE * _sum(weights, title - sentence.terms)
        sentence.own = _sum(weights, sentence.terms) / total
        own = sentence.own + PHRASE * sentence.phrase + sentence.kind
        sentence.score = own + near / total + page_points


def _texts(text: str) -> list[str]:
    text = _STRONG.sub(r"\1", MARK.sub("", text))
    lines = (one_line(text[start:end]).strip("#*- …|") for start, end in whole_sentences(text))
    return [line for line in lines if 0 < len(line) <= LONGEST]


def _terms(text: str) -> Terms:
    read = document_terms(text)
    return frozenset(read.words) | frozenset(read.pairs)


def _weights(query: str, languages: frozenset[str], sentences: Sequence[Terms]) -> dict[int, float]:
    """The weight of each word of the question: its own, times its IDF among the sentences."""
    count = len(sentences)
    asking = asking_terms(languages)
    names = query_terms(" ".join(names_in(query)), languages)
    weights = {}
    for term, times in query_terms(query, languages).items():
        having = sum(term in s for s in sentences)
        idf = math.log(1 + (count - having + 0.5) / (having + 0.5))
        factor = ASKING if term in asking else NAME if term in names else 1.0
        weights[term] = times * factor * idf**DAMPING
    return weights


def _sum(weights: Mapping[int, float], terms: Terms) -> float:
    return sum(weight for term, weight in weights.items() if term in terms)

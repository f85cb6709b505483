"""What the sources say to a question, in their own words, and where two of them differ. Pure.

    citations → sentences → scored by the query's words → the best few, in reading order
                          → one, when it has the figure that is asked for
                          → none, when even the best say too little about the question
                          → compared by `conflicts.py`

Nothing is made up: every sentence stands in a source, word for word (without that source's own
reference marks).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kensaku.answers.check import clean_quote
from kensaku.answers.conflicts import differences, differs_in_a_word
from kensaku.answers.kinds import asking_terms, gives_figure
from kensaku.answers.score import Scored, Sentence, score_sentences
from kensaku.answers.support import LEAST, support_of
from kensaku.messages import msg
from kensaku.models import Hit
from kensaku.models.confidence import confidence_of
from kensaku.text.languages import guess_language
from kensaku.text.tokens import query_terms

if TYPE_CHECKING:
    from kensaku.answers.context import Citation

SENTENCES = 3
DIFFER = msg("Sources differ:")
COPY = 0.7  # share of its words that a sentence may have in common with one that was chosen
WEAK = 0.45  # of the best sentence's score: what has less adds nothing to it
WHOLE = 0.8  # share of the question's words with which a sentence answers by itself


@dataclass(frozen=True, slots=True)
class Finding:
    """A question, and the sentences that answer it, the best first."""

    question: str
    sentences: tuple[Sentence, ...]
    citations: tuple[Citation, ...]
    differences: tuple[tuple[Sentence, ...], ...] = ()
    unsure: bool = False  # two sources differ in a word, which may be no contradiction
    searched: bool = True  # False: nobody could search for it
    confidence: float | None = None  # of the search
    support: float = 1.0  # probability that the sentences answer


def find_answer(
    question: str,
    query: str,
    citations: tuple[Citation, ...],
    *,
    confidence: float | None = None,
    count: int = SENTENCES,
    searched: bool = True,
) -> Finding:
    """Return the best sentences for a query, and where two sources differ on it."""
    scored = score_sentences(query, citations)
    chosen, support = _choose(query, scored, citations, confidence, count)
    differ = tuple(differences(query, scored.sentences, citations)) if chosen else ()
    unsure = not differ and differs_in_a_word(query, chosen, scored.sentences, citations)
    return Finding(
        question, tuple(chosen), citations, differ, unsure, searched, confidence, support
    )


def on_subject(carried: Sequence[str], citations: tuple[Citation, ...]) -> tuple[Citation, ...]:
    """Return the citations that speak of the subject which a part of a question left out."""
    wanted = [word.casefold() for word in carried]
    if not wanted:
        return citations
    texts = {c.n: " ".join((c.title, *(p.text for p in c.passages))).casefold() for c in citations}
    return tuple(c for c in citations if any(word in texts[c.n] for word in wanted))


def extractive(
    query: str, citations: Sequence[Citation], confidence: float | None = None
) -> str | None:
    """Return the sentences that answer best, in reading order; None when the sources do not.

    `confidence` is that of the search, if it is known.
    """
    chosen = best_sentences(query, citations, confidence)
    chosen.sort(key=lambda s: (s.citation, s.position))
    addresses = frozenset(c.url for c in citations)
    return " ".join(f"{clean_quote(s.text, addresses)} [{s.citation}]" for s in chosen) or None


def best_sentences(
    query: str,
    citations: Sequence[Citation],
    confidence: float | None = None,
    count: int = SENTENCES,
) -> list[Sentence]:
    """Return at most `count` sentences that answer, the best first; none when none does."""
    scored = score_sentences(query, citations)
    return _choose(query, scored, citations, confidence, count)[0]


def says_more(part: str, chosen: Iterable[Sentence]) -> bool:
    """Whether a sentence has a word of the part of a question, and not only of its subject."""
    languages = frozenset({guess_language(part)})
    own = query_terms(part, languages).keys() - asking_terms(languages)
    return not own or any(own & sentence.terms for sentence in chosen)


def _choose(
    query: str,
    scored: Scored,
    citations: Sequence[Citation],
    confidence: float | None,
    count: int,
) -> tuple[list[Sentence], float]:
    """Return the sentences that answer, and the probability that they do."""
    if not any(s.own for s in scored.sentences):
        return [], 0.0
    if confidence is None:
        confidence = confidence_of(query, [as_hit(c) for c in citations]).score
    support = support_of(query, scored, confidence)
    return (choose_sentences(query, scored, count) if support >= LEAST else []), support


def choose_sentences(query: str, scored: Scored, count: int = SENTENCES) -> list[Sentence]:
    """Return at most `count` sentences, the best first, whether or not they answer."""
    chosen: list[Sentence] = []
    for sentence in sorted(scored.sentences, key=lambda s: -s.score):
        if len(chosen) == count:
            break
        if not scored.may_answer(sentence) and not any(_is_beside(sentence, o) for o in chosen):
            continue
        if chosen and _is_superfluous(query, sentence, chosen[0]):
            continue
        if all(_adds_to(sentence.terms, other.terms) for other in chosen):
            chosen.append(sentence)
    return chosen


def as_hit(citation: Citation) -> Hit:
    """Return a citation as a hit whose content are its passages."""
    return Hit(citation.url, citation.title, " ".join(p.text for p in citation.passages))


def _is_beside(sentence: Sentence, other: Sentence) -> bool:
    """Whether two sentences are neighbours: "Its existence was proved in 1962." has no word of the
    question, and answers it behind the sentence that has."""
    near = abs(sentence.position - other.position) == 1
    return near and sentence.citation == other.citation


def _is_superfluous(query: str, sentence: Sentence, best: Sentence) -> bool:
    """Whether a sentence says nothing that the best one has left open.

    A question for a figure is answered once the figure is there: the lighthouse beside the harbour
    that "was built in 1893" was not asked about. Another source may confirm it.
    """
    if sentence.own and sentence.score < WEAK * best.score:
        return True
    if sentence.citation != best.citation or not gives_figure(query, best.text):
        return False
    return not sentence.own or best.own >= WHOLE


def _adds_to(terms: frozenset[int], other: frozenset[int]) -> bool:
    return not terms or len(terms & other) / len(terms) < COPY

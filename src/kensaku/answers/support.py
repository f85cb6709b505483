"""How likely it is that the best sentence answers, and not only speaks of the same things. Pure.

    scored sentences → the best one, its neighbours, its page, other pages → factors → probability

Each factor is in 0..1 (but the odds of the search), and 1 speaks for an answer. The weights are
under "answer" in `models/confidence.json`. They were fitted on questions whose answer is there and
on near misses: the right page or its sentence taken away, another subject asked about, questions
that people wrote to have no answer (`bench/answers.py`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from kensaku.answers.kinds import has_kind, kind_of, names_in
from kensaku.models.calibration import shipped_models

if TYPE_CHECKING:
    from kensaku.answers.score import Scored, Sentence

# Probability below which the sources are said not to answer. Fitted with twice as many questions
# that have an answer as near misses; docs/benchmarks.md has what other values give.
LEAST = 0.26
NO_KIND = 0.6  # that a question counts with whose kind of answer cannot be seen
BEFORE, AFTER = 2, 1  # sentences that are read with the best one
_FIGURE = re.compile(r"\d+")
_QUESTION = re.compile(r"[?？]\W*$")


def support_of(query: str, scored: Scored, confidence: float) -> float:
    """Return the probability that the best sentence answers. `confidence`: of the search."""
    return shipped_models()["answer"].probability(support_factors(query, scored, confidence))


def support_factors(query: str, scored: Scored, confidence: float) -> dict[str, float]:
    """Return what the model "answer" weighs."""
    best = max(scored.sentences, key=lambda s: (scored.may_answer(s), s.score))
    page = [s for s in scored.sentences if s.citation == best.citation]
    near = [s for s in page if -BEFORE <= s.position - best.position <= AFTER]
    title, title_text = scored.titles[best.citation]
    words = frozenset().union(*(s.terms for s in page), title)
    read = " ".join((title_text, *(s.text for s in near))).lower()
    all_read = " ".join((title_text, *(s.text for s in page))).lower()
    rest = {t: w for t, w in scored.weights.items() if t not in title}
    kind = kind_of(query)
    sure = min(0.999, max(0.001, confidence))
    return {
        "confidence": math.log(sure / (1 - sure)),
        "sentence": best.own,
        "rest": _share(rest, frozenset().union(*(s.terms for s in near))) if rest else 1.0,
        "phrase": best.phrase,
        "kind": NO_KIND if kind is None else float(has_kind(kind, query, best.text)),
        "figures": _share_in(_FIGURE.findall(query), read),
        "names": _share_in(list(names_in(query)), all_read),
        "subject": _subject(scored, best, words),
        "statement": float(not _QUESTION.search(best.text)),
    }


def _subject(scored: Scored, best: Sentence, words: frozenset[int]) -> float:
    """Return how far the best page is about what the question names.

    If the question has the whole title of another page, and this page hardly speaks of it, the
    question is about the other one.
    """
    asked = scored.weights.keys()
    own = scored.titles[best.citation].terms
    most = 1 - (len(own & asked) / len(own) if own else 0.0)
    missing = 0.0
    for n, (title, _) in scored.titles.items():
        if n != best.citation and title and title <= asked:
            named = {t: scored.weights[t] for t in title}
            missing = max(missing, 1 - _share(named, words))
    return 1 - min(most, missing)


def _share(weights: Mapping[int, float], terms: frozenset[int]) -> float:
    total = sum(weights.values())
    return sum(w for t, w in weights.items() if t in terms) / total if total else 1.0


def _share_in(wanted: Sequence[str], text: str) -> float:
    return sum(w in text for w in wanted) / len(wanted) if wanted else 1.0

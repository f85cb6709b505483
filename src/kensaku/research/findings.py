"""What the sources say to each question, in their own words. Pure.

evidence → best sentences of each question → where two sources differ → subtopics of the pages
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kensaku.answers.answer import as_hit, best_sentences
from kensaku.models import Outcome
from kensaku.models.confidence import confidence_of
from kensaku.research.differences import differences
from kensaku.text.clean import one_line
from kensaku.text.terms import terms

if TYPE_CHECKING:
    from kensaku.answers.context import Citation
    from kensaku.answers.score import Sentence
    from kensaku.research.evidence import Evidence
    from kensaku.research.state import State

HEADING_CHARS = 60
_BOILERPLATE = re.compile(
    r"references|see also|external links|further reading|contents|notes|bibliography|comments?|"
    r"related|share|menu|navigation|sources|footnotes|sign in|subscribe|cookie|"
    r"脚注|出典|関連項目|外部リンク|参考文献|目次|注釈|関連|コメント|共有",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Finding:
    """A question, and the sentences that answer it, the best first."""

    question: str
    sentences: tuple[Sentence, ...]
    citations: tuple[Citation, ...]
    differences: tuple[tuple[Sentence, Sentence], ...] = ()
    searched: bool = True  # False: nobody could search for it
    confidence: float | None = None


def find_answers(state: State, evidence: Evidence, sentences: int) -> list[Finding]:
    """Return what was found for each question of the plan."""
    findings = []
    for n, question in enumerate(state.plan["questions"]):
        query = question["queries"][0]
        citations = evidence.citations(query, n)
        confidence = _confidence(query, citations, evidence, n)
        chosen = best_sentences(query, citations, confidence, sentences)
        findings.append(
            Finding(
                question["text"],
                tuple(chosen),
                citations,
                tuple(differences(query, citations)) if chosen else (),
                was_searched(state, n),
                confidence,
            )
        )
    return findings


def _confidence(
    query: str, citations: Sequence[Citation], evidence: Evidence, question: int
) -> float | None:
    """Return how sure the search was, or, if more, what it found once its pages were read."""
    searched = evidence.confidence(question)
    if searched is None or not evidence.was_read(question):
        return searched
    return max(searched, confidence_of(query, [as_hit(c) for c in citations]).score)


def was_searched(state: State, question: int) -> bool:
    """Whether somebody searched for a question, or files may answer it."""
    if state.request.files:
        return True
    found = (r for s, r in state.all_searched() if s.question == question)
    return any(r["outcome"] != Outcome.UNAVAILABLE for r in found)


def find_subtopics(state: State, count: int) -> list[str]:
    """Return headings of the pages that were read, those of several pages first.

    They become sections made of these pages; nothing is searched for them.
    """
    about = set(terms(state.request.input))
    seen: dict[str, list[str]] = {}
    for page in state.pages().values():
        for heading in dict.fromkeys(one_line(h) for h in page["headings"]):
            short = 2 <= len(heading) <= HEADING_CHARS
            if not short or _BOILERPLATE.search(heading) or set(terms(heading)) >= about:
                continue
            seen.setdefault(heading.casefold(), []).append(heading)
    ranked = sorted(seen.values(), key=lambda same: -len(same))
    return [same[0] for same in ranked[:count]]

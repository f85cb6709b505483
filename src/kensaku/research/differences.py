"""Where two sources contradict each other on a question. Pure.

    best sentences of each host → claims → same thing, other amount, other date, or a denial

It claims little: sentences of two hosts that share most of their words and whose amounts of one
unit, or whose dates, exclude each other, or of which one denies what the other says. Amounts of two
years do not contradict each other, and dates count only where a date is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from kensaku.answers.phrases import names_in
from kensaku.answers.score import score_sentences
from kensaku.research.claims import Claims, are_apart, are_different_days, claims_of
from kensaku.text.urls import host_of

if TYPE_CHECKING:
    from kensaku.answers.context import Citation
    from kensaku.answers.score import Sentence

CANDIDATES = 12  # sentences that are compared with each other
ALIKE = 0.5  # share of their words that two statements on one thing have in common
ALIKE_DENIAL = 0.6  # a denial has no figure that could tell the two apart
CLOSE = 0.8  # of the best sentence's share of the question
CLOSE_DATED = 0.3  # the same for "Was it built in 1893?": who says otherwise has another year
_ASKS_DATE = re.compile(
    r"\bwhen\b|\b(?:what|which) (?:year|date|day|month)\b|いつ|何[年月日]|年月日|日付",
    re.IGNORECASE,
)

_YES_OR_NO = re.compile(
    r"^(?:is|are|was|were|do|does|did|has|have|had|can|will)\b(?!.*\b(?:wh\w+|how)\b)"
    r"|^(?!.*(?:何|いつ|どこ|誰|だれ|なぜ|どの|どう|どれ|どんな)).*か[？?。]*$",
    re.IGNORECASE,
)
_YEAR = re.compile(r"\d{4}")


def differences(query: str, citations: Sequence[Citation]) -> list[tuple[Sentence, Sentence]]:
    """Return at most one pair of sentences of two hosts that contradict each other."""
    hosts = {c.n: host_of(c.url) or c.url for c in citations}
    scored = sorted(score_sentences(query, citations).sentences, key=lambda s: -s.own)
    asked = claims_of(query)
    on_date = bool(asked.dates and _YES_OR_NO.search(query))
    least = CLOSE_DATED if on_date else CLOSE
    on_date = on_date or bool(_ASKS_DATE.search(query))
    names = {name for name in names_in(query) if not _YEAR.fullmatch(name)}
    close = [s for s in scored[:CANDIDATES] if s.own and s.own >= least * scored[0].own]
    for at, one in enumerate(close):
        for other in close[at + 1 :]:
            if hosts[one.citation] == hosts[other.citation]:
                continue
            if _names(one, names) != _names(other, names):  # they tell of two things
                continue
            if _differ(asked, one, other, on_date=on_date):
                return [(one, other)]
    return []


def _names(sentence: Sentence, names: Iterable[str]) -> set[str]:
    text = sentence.text.lower()
    return {name for name in names if name in text}


def _differ(asked: Claims, one: Sentence, other: Sentence, *, on_date: bool) -> bool:
    alike = _alike(one, other)
    if alike < ALIKE:
        return False
    mine, theirs = claims_of(one.text), claims_of(other.text)
    another_time = _exclude(mine.dates, theirs.dates)
    if another_time and on_date:
        return True
    if not another_time and _amounts_differ(asked, mine, theirs):
        return True
    return alike >= ALIKE_DENIAL and mine.denies != theirs.denies and not another_time


def _amounts_differ(asked: Claims, mine: Claims, theirs: Claims) -> bool:
    for unit in mine.amounts.keys() & theirs.amounts.keys():
        given = asked.amounts.get(unit, ())
        left, right = (
            [a for a in side.amounts[unit] if all(are_apart(a, g) for g in given)]
            for side in (mine, theirs)
        )
        if left and right and all(are_apart(a, b) for a in left for b in right):
            return True
    return False


def _exclude(ones: Iterable[tuple[int | None, ...]], others: Sequence[object]) -> bool:
    pairs = [(a, b) for a in ones for b in others]
    return bool(pairs) and all(are_different_days(a, b) for a, b in pairs)  # type: ignore[arg-type]


def _alike(one: Sentence, other: Sentence) -> float:
    fewest = min(len(one.terms), len(other.terms))
    return len(one.terms & other.terms) / fewest if fewest else 0.0

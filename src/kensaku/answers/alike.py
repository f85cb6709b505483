"""Whether two sentences contradict each other, if they tell of one thing in like words. Pure.

    one denies what the other says
    | amounts of one unit, or dates, that exclude each other
    | another number or name between the same words, where the question asks for one

A difference claims little: the two sentences share most of their words, or the words around what
differs are the question's. Amounts of two years do not contradict each other, dates count only
where a date is asked for, and two spellings, a short form or a rounded number are no other value.
"""

from __future__ import annotations

import itertools
import math
import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from kensaku.answers.asked import has_name, is_of_another
from kensaku.answers.claims import Claims, are_apart, are_different_days, claims_of
from kensaku.answers.kinds import DATE, FIGURE, is_spaced
from kensaku.answers.slots import Slot, apart, is_other_name, is_same_number, slots_of

if TYPE_CHECKING:
    from kensaku.answers.asked import Asked
    from kensaku.answers.claims import Date
    from kensaku.answers.score import Sentence

CANDIDATES = 12  # sentences that are compared with each other
ALIKE = 0.5  # share of their words that two statements on one thing have in common
ALIKE_DENIAL = 0.6  # a denial has no figure that could tell the two apart
NEAR = 0.7  # the same sentence but for a name
ABOUT_IT = 0.3  # the same thing in other words: what differs stands beside a word of the question
CLOSE = 0.8  # of the best sentence's share of the question
CLOSE_DATED = 0.3  # the same for "Was it built in 1893?": who says otherwise has another year
CLOSE_NAMED = 0.55  # the same for sentences that have the same names of the question
SHORT = 12  # characters
LEAST = 0.4  # share of the question's words in sentences that are no copies of each other
_UNSPACED = re.compile(r"[\u30a1-\u30faー\u4e00-\u9fff々]{2}")


def like_pairs(asked: Asked, sentences: Sequence[Sentence]) -> Iterator[tuple[Sentence, Sentence]]:
    """Yield the sentences to compare, those with most of the question's words first."""
    ranked = sorted(sentences, key=lambda s: -s.own)[:CANDIDATES]
    if not ranked or not ranked[0].own:
        return
    least = CLOSE_DATED if asked.date and asked.claims.dates else CLOSE
    close = [s for s in ranked if s.own >= least * ranked[0].own]
    yield from itertools.combinations(close, 2)
    # The answer may stand in a sentence that has few words of the question, beside one with many.
    best = sorted(sentences, key=lambda s: -s.score)[:CANDIDATES]
    for one, other in itertools.combinations(best, 2):
        if one in close and other in close:
            continue
        if is_copy(one, other) or _are_named(asked, one, other, CLOSE_NAMED * ranked[0].own):
            yield one, other


def _are_named(asked: Asked, one: Sentence, other: Sentence, least: float) -> bool:
    """Whether two sentences on the question have the same names of it."""
    if min(one.own, other.own) < least:
        return False
    names = names_of(asked, one.text)
    return bool(names) and names == names_of(asked, other.text)


def is_copy(one: Sentence, other: Sentence) -> bool:
    """Whether two sentences are one but for a place or a clause. Short ones are alike by chance."""
    short, long = sorted((len(one.text), len(other.text)))
    if short < SHORT or short < long / 2:
        return False
    if _same_ends(one.text, other.text) >= NEAR:
        return True
    return _alike(one, other) >= NEAR and is_spaced(one.text)


def _have_numbers(asked: Asked, one: Sentence, other: Sentence) -> bool:
    """Whether both sentences have the numbers of the question: version 3.0, Louis XVIII."""
    return all(n in one.text and n in other.text for n in asked.numbers)


def contradict(asked: Asked, one: Sentence, other: Sentence) -> bool:
    alike = _alike(one, other)
    if one.text == other.text:
        return False
    near = is_copy(one, other)
    if not near and (alike < ABOUT_IT or not _have_numbers(asked, one, other)):
        return False
    mine, theirs = claims_of(one.text), claims_of(other.text)
    another_time = _exclude(mine.dates, theirs.dates)
    names = names_of(asked, one.text)
    if alike >= ALIKE and names == names_of(asked, other.text):
        if another_time and asked.date and (near or _are_on(asked, one, other)):
            return True
        if not another_time and _amounts_differ(asked.claims, mine, theirs):
            return True
        if alike >= ALIKE_DENIAL and mine.denies != theirs.denies and not another_time:
            return True
    another_time = another_time or _some_exclude(mine.dates, theirs.dates)
    if another_time and not asked.date:
        return False
    if not near and (min(one.own, other.own) < LEAST or not _are_on(asked, one, other)):
        return False
    may_agree = another_time or _may_agree(mine, theirs)
    return _other_value(asked, one.text, other.text, near, may_agree) is not None


def _are_on(asked: Asked, one: Sentence, other: Sentence) -> bool:
    """Whether both sentences have what is asked for, and not only the names of it."""
    if is_of_another(one.text) != is_of_another(other.text):
        return False
    if not is_spaced(one.text) or (asked.relation is None and not asked.rest):
        return True
    return all(asked.relates(sentence.text) for sentence in (one, other))


def names_of(asked: Asked, text: str, without: str = "") -> set[str]:
    """Return the question's names in a text. What has others tells of two things."""
    text = text.lower().replace(without.lower(), " ") if without else text.lower()
    return {name for name in asked.names if has_name(name, text)}


def _other_value(
    asked: Asked, first: str, second: str, near: bool, may_agree: bool
) -> tuple[str, str] | None:
    """Return what two sentences have in the same place, if it is not the same."""
    one, other = (unicodedata.normalize("NFKC", text).lower() for text in (first, second))
    mine = _own(asked, slots_of(first), one, other)
    theirs = _own(asked, slots_of(second), other, one)
    alone = _is_alone(asked, mine) and _is_alone(asked, theirs)
    for a, b in itertools.product(mine, theirs):
        if not _may_differ(asked, a, b) or (may_agree and not a.is_year and a.number is not None):
            continue
        names = names_of(asked, one, a.value)
        if names != names_of(asked, other, b.value):
            continue
        if names and alone:
            return a.value, b.value
        if _same_place(asked, a, b, near=near, named=bool(names)):
            return a.value, b.value
    return None


def _is_alone(asked: Asked, own: Sequence[Slot]) -> bool:
    """Whether a sentence has one value of the kind that is asked for, wherever it stands."""
    if asked.kind in (DATE, FIGURE):
        return sum(s.number is not None for s in own) == 1
    return asked.one_name and sum(s.number is None for s in own) == 1


def _may_differ(asked: Asked, a: Slot, b: Slot) -> bool:
    """Whether two values are of the kind that is asked for, and not the same."""
    if a.number is None or b.number is None:
        if not asked.name or a.number is not b.number or not is_other_name(a.value, b.value):
            return False
        return a.spaced or not any(part.lower() in asked.text for part in apart(a.value, b.value))
    if not asked.number or a.is_year != b.is_year or (a.is_year and asked.kind is FIGURE):
        return False
    return not is_same_number(a, b)


def _own(asked: Asked, slots: Sequence[Slot], one: str, other: str) -> list[Slot]:
    """Return what only one of the sentences has, and not the question."""
    own = (s for s in slots if s.value.lower() not in asked.text)
    return [s for s in own if _count(s.value, one) > _count(s.value, other)]


def _count(value: str, text: str) -> int:
    if value.lower() not in text:
        return 0
    return len(re.findall(rf"(?<![\d.,]){re.escape(value.lower())}(?!\d)", text))


def _same_place(asked: Asked, a: Slot, b: Slot, *, near: bool, named: bool) -> bool:
    """Whether two values stand between the same words, or beside the same word of the question."""
    for mine, theirs in ((a.before, b.before), (a.after, b.after)):
        if mine != theirs or not any(mine):
            continue
        if near or any(word[:4] in asked.stems for word in mine):
            return True
        if named and a.spaced and any(len(word) > 4 for word in mine):
            return True
        pieces = (piece for word in mine for piece in _UNSPACED.findall(word))
        if asked.is_narrow and any(piece in asked.text for piece in pieces):
            return True
    if not named or a.number is not None:
        return False
    beside = ({w[:4] for w in (*s.before, *s.after)} & asked.verbs for s in (a, b))
    return bool(set.intersection(*beside))


def _amounts_differ(asked: Claims, mine: Claims, theirs: Claims) -> bool:
    for unit in (mine.amounts.keys() & theirs.amounts.keys()) - {""}:
        given = asked.amounts.get(unit, ())
        left, right = (
            [a for a in side.amounts[unit] if all(are_apart(a, g) for g in given)]
            for side in (mine, theirs)
        )
        if left and right and all(are_apart(a, b) for a in left for b in right):
            return True
    return False


def _may_agree(mine: Claims, theirs: Claims) -> bool:
    """Whether amounts that are not the same may both be true: 20 to 45 kg, 30 kg, 66 pounds."""
    for unit in mine.amounts.keys() & theirs.amounts.keys():
        ones, others = set(mine.amounts[unit]), set(theirs.amounts[unit])
        for a, b in itertools.product(ones - others, others - ones):
            same_bound = a[0] == b[0] == 0.0 or a[1] == b[1] == math.inf
            if not same_bound and not are_apart(a, b):
                return True
    return False


def _exclude(ones: Sequence[Date], others: Sequence[Date]) -> bool:
    compared = [are_different_days(a, b) for a in ones for b in others]
    return True in compared and False not in compared


def _some_exclude(ones: Sequence[Date], others: Sequence[Date]) -> bool:
    """Whether each has a date that excludes all of the other's."""
    return any(_exclude([a], others) for a in ones) and any(_exclude([b], ones) for b in others)


def _same_ends(one: str, other: str) -> float:
    """The share of the shorter text with which both begin and end."""
    size = min(len(one), len(other))
    return 1 - min(map(len, apart(one, other))) / size if size else 0.0


def _alike(one: Sentence, other: Sentence) -> float:
    fewest = min(len(one.terms), len(other.terms))
    return len(one.terms & other.terms) / fewest if fewest else 0.0

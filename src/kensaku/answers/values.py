"""What a source says to a question: the value of the asked kind that stands nearest. Pure.

    "When was Anna Hartley born?", "Anna Hartley (3 May 1840 – 1912) was a painter" → 1840
    "Who directed Otterton?", "Otterton is a 1962 film, directed by Piotr Nowak"    → Piotr Nowak

Two sources that give two values need no words in common. They agree if either has the other's value
anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kensaku.answers.asked import has_name, is_of_another
from kensaku.answers.kinds import DATE, FIGURE, is_spaced
from kensaku.answers.slots import Slot, is_other_name, is_same_number, normal, slots_of

if TYPE_CHECKING:
    from kensaku.answers.asked import Asked
    from kensaku.answers.score import Sentence

BEHIND, BEFORE = 40, 20  # characters between a value and the word that relates it
HEAD = 250  # characters of a sentence in which it says what its subject is
# "Anna Hartley (3 May 1840 – 1912) was a painter", "Otterton is a 1962 film"
DEFINITION = re.compile(r"\b(?:is|was|are|were)\s+(?:an?|the|one of the)\s+(?P<what>[^.;()]{3,90})")
_LIFE = re.compile(r"\((?P<dates>[^()]{0,80}?\d{4}[^()]{0,80})\)")
_YEAR = re.compile(r"\b(?:1\d{3}|20\d\d)\b")
_DIED = re.compile(r"\bdied\b|\bd\.|[–—-]")
_WORD = re.compile(r"\b[a-z]{4,}")
_NOT_SAID = frozenset(
    "former retired professional with from that which this their best known also first most "
    "international national late notable famous well born during member current currently "
    "plays played playing working worked active".split()
)
_PRONOUN = re.compile(r"\b(?:[Hh]e|[Ss]he|[Ii]t|[Tt]hey|[Hh]is|[Hh]er|[Ii]ts)\b|\bThe [a-z]+\b")
_ADJECTIVE = re.compile(r"[A-Z][a-z]+(?:ish|an|ese|ch|ek|ss|[^c]i)")
_SAID_OF = re.compile(
    r"(?:['’]s)?,?(?:\s+(?:is|was|who|has|had|been|also|first|later|then|the|a|an|its|his|her))*\s+"
)
_PLACED = frozenset("in at from near of to within".split())


@dataclass(frozen=True, slots=True)
class Value:
    """A value, and the sentence that gives it."""

    text: str
    sentence: Sentence
    slot: Slot | None = None  # None: the plain words of a definition


def value_of(asked: Asked, page: Sequence[Sentence], title: str) -> Value | None:
    """Return what a page says to a question; None: nothing, or not of its subject."""
    if not asked.names or not asked.is_plain:
        return None
    for n, sentence in sorted(enumerate(page), key=lambda pair: -pair[1].score):
        if _is_on(asked, sentence.text, title, page[:n]):
            found = next(_values(asked, sentence), None)
            if found is not None:
                return found
    return None


def _is_on(asked: Asked, text: str, title: str, before: Sequence[Sentence]) -> bool:
    """Whether a sentence has all that the question names: itself, or by a pronoun."""
    lower = text.lower()
    if not all(stem in lower for stem in asked.rest) or is_of_another(lower):
        return False
    if text.endswith("?"):
        return False
    if _PRONOUN.search(text):
        lower = " ".join((title, *(s.text for s in before), text)).lower()
    named = all(has_name(name, lower) for name in asked.names)
    return named and all(year in lower for year in asked.years)


def differ(one: Value, other: Value) -> bool:
    """Whether two values cannot be one."""
    if one.slot is None or other.slot is None:
        return not _stems(one.text) & _stems(other.text)
    if one.slot.number is not None and other.slot.number is not None:
        return not is_same_number(one.slot, other.slot)
    return is_other_name(one.text, other.text)


def _values(asked: Asked, sentence: Sentence) -> Iterator[Value]:
    """Yield the values of a sentence, the nearest first."""
    text = normal(sentence.text)
    if not is_spaced(text):
        return
    defined = DEFINITION.search(text, 0, HEAD)
    if asked.definition:
        words = (
            [w for w in _WORD.findall(defined["what"]) if w not in asked.text] if defined else []
        )
        if any(word not in _NOT_SAID for word in words):
            yield Value(" ".join(words), sentence)
        return
    slots = [s for s in slots_of(sentence.text) if _is_asked(asked, s)]
    if asked.nation:
        spans = [defined.span("what")] if defined else []
        ranked = [s for s in slots for a, b in spans if a <= s.start < b]
    else:
        ranked = [*_of_life(asked, text, slots, defined), *_near(asked, text, slots)]
    yield from (Value(slot.value, sentence, slot) for slot in ranked)


def _is_asked(asked: Asked, slot: Slot) -> bool:
    if slot.value.lower() in asked.text:
        return False
    if asked.kind is DATE or asked.date:
        return slot.is_year
    if asked.kind is FIGURE:
        return slot.number is not None and not slot.is_year
    if slot.number is not None:
        return False
    adjective = _ADJECTIVE.fullmatch(slot.value) and slot.after[0].isalpha()
    return asked.nation or asked.place or not adjective


def _of_life(
    asked: Asked, text: str, slots: Sequence[Slot], defined: re.Match[str] | None
) -> list[Slot]:
    """Return the year that stands beside the name: (1840–1912), or "is a 1962 film"."""
    if defined is None or asked.relation is None or not (asked.kind is DATE or asked.date):
        return []
    years = {s.start: s for s in slots}
    if asked.relation.search("born") or asked.relation.search("died"):
        life = _LIFE.search(text, 0, defined.start())
        if life is None:
            return []
        end = _DIED.search(text, *life.span("dates"))
        died = bool(asked.relation.search("died"))
        if died and end is None:
            return []
        span = (life.start(), end.start() if end and not died else life.end())
        found = _YEAR.search(text, end.end() if died and end else span[0], span[1])
    elif asked.relation.search("released"):
        found = re.compile(r"\d{4}\b").match(text, defined.start("what"))
    else:
        return []
    return [years[found.start()]] if found and found.start() in years else []


def _near(asked: Asked, text: str, slots: Sequence[Slot]) -> list[Slot]:
    """Return the values within reach of a word that relates them, the nearest first."""
    if asked.relation is None:
        return []
    found: dict[int, tuple[int, Slot]] = {}
    for word in asked.relation.finditer(text):
        if text[word.end() : word.end() + 1] in "'’" and word.end() < len(text):
            continue  # the Director's Cut
        for slot in slots:
            behind, before = slot.start - word.end(), word.start() - slot.start - len(slot.value)
            if asked.place and not _PLACED & set(slot.before[-1:]):
                continue
            if 0 <= behind <= BEHIND:
                reach = behind
            elif 0 <= before <= BEFORE and _is_subject(
                text[slot.start + len(slot.value) : word.start()]
            ):
                reach = 2 * before
            else:
                continue
            if slot.start not in found or reach < found[slot.start][0]:
                found[slot.start] = reach, slot
    return [slot for _, slot in sorted(found.values(), key=lambda pair: pair[0])]


def _is_subject(between: str) -> bool:
    """Whether a value before a word is what it is said of: "Anna Hartley, who directed"."""
    return bool(_SAID_OF.fullmatch(between))


def _stems(text: str) -> frozenset[str]:
    return frozenset(w[:5] for w in _WORD.findall(text) if w not in _NOT_SAID)

"""Whether two pages are about two bearers of one name. Pure.

    "Otterton is a 1962 British film …" | "Otterton is a village in the north of Poland …"
    "John Vane (1840–1912) was …"       | "John Vane (born 1955) is …"

What each says of itself in its first words decides: another year beside the name, or not one word
in common.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kensaku.answers.asked import has_name
from kensaku.answers.slots import normal
from kensaku.answers.values import DEFINITION, HEAD

if TYPE_CHECKING:
    from kensaku.answers.asked import Asked
    from kensaku.answers.score import Sentence

FEWEST = 2  # words in which a page says what its subject is
_YEAR = re.compile(r"\b(?:1\d{3}|20\d\d)\b")
_WORD = re.compile(r"[^\W\d_]{4,}")
_FIRST = 3  # sentences of a page


@dataclass(frozen=True, slots=True)
class Bearer:
    """What a page says its subject is."""

    year: str | None  # beside the name: of birth, or of a work
    words: frozenset[str]


def bearer_of(asked: Asked, page: Sequence[Sentence]) -> Bearer | None:
    """Return what the subject of a page is; None: it does not say, or it is not the question's."""
    for sentence in page[:_FIRST]:
        text = normal(sentence.text)
        defined = DEFINITION.search(text, 0, HEAD)
        if defined is None:
            continue
        head = text[: defined.start()]
        if not asked.names or not _is_named(asked, head):
            return None
        years = _YEAR.findall(head) or _YEAR.findall(defined["what"])
        words = {w.lower()[:5] for w in _WORD.findall(defined["what"])}
        return Bearer(years[0] if years else None, frozenset(words - {n[:5] for n in asked.names}))
    return None


def _is_named(asked: Asked, head: str) -> bool:
    """Whether the subject of a sentence is the question's. A middle name makes it no other one."""
    own = re.split(r"[(,]", head, maxsplit=1)[0]
    more = any(word.islower() and word not in asked.text for word in _WORD.findall(own))
    return not more and all(has_name(name, head.lower()) for name in asked.names)


def are_others(one: Bearer, other: Bearer) -> bool:
    """Whether two can hardly be one."""
    if one.year and other.year:
        return one.year != other.year
    few = min(len(one.words), len(other.words)) < FEWEST
    return not few and not one.words & other.words

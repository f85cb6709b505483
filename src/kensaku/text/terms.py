"""The words that a query is about, and how many of them a hit has."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kensaku.models import Hit

ENOUGH = 0.45  # share of a query's words in a text that is about it
_WORD = re.compile(r"[^\W_]+")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_STOP = frozenset(
    "a an and are as at be by can do does for from how i in is it my of on or that the this to was "
    "what when where which who why will with you your".split()
)


@lru_cache(maxsize=64)  # ranking and weighing look at the same query
def terms(text: str) -> frozenset[str]:
    """The words that a query is about; pairs of characters where words have no spaces."""
    lower = text.lower()
    if lower.isascii():
        return frozenset(_WORD.findall(lower)) - _STOP
    words = {w for w in _WORD.findall(_CJK.sub(" ", lower)) if w not in _STOP}
    for run in _CJK.findall(lower):
        words |= {run[i : i + 2] for i in range(len(run) - 1)} or {run}
    return frozenset(words)


def coverage(words: frozenset[str], hit: Hit) -> float:
    """The share of the query's words that occur in the title or the text of a hit."""
    return text_coverage(words, f"{hit.title} {hit.content} {hit.url}")


def text_coverage(words: frozenset[str], text: str) -> float:
    if not words:
        return 0.0
    lower, found = text.lower(), 0
    for word in words:
        if word in lower:
            found += 1
    return _share(found, len(words))


def is_about(query: str, hits: Iterable[Hit]) -> bool:
    """Whether one of the hits has enough of the query's words to be about it.

    All of one or two words, two of three, else `ENOUGH`: docs/benchmarks.md has the numbers.
    """
    words = terms(query)
    enough = 1.0 if len(words) <= 2 else 0.6 if len(words) == 3 else ENOUGH
    return any(coverage(words, hit) >= enough for hit in hits)


@lru_cache(maxsize=256)  # rounding takes longer than counting
def _share(part: int, whole: int) -> float:
    return round(part / whole, 3)

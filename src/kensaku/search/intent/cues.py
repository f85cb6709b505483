"""Phrases to look for in a query: English ones as whole words, Japanese ones anywhere. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

_TOKEN = re.compile(r"[A-Za-z0-9_+#./'-]+")
_LONGEST = 5  # words of a phrase
_EDGES = "./'-"  # that are no part of a word when they stand at its end


class Text:
    """A query, with its English phrases of one to five words, in lower case."""

    def __init__(self, raw: str) -> None:
        self.raw = raw
        self.is_japanese = any("\u3041" <= c <= "\u9fff" for c in raw)

    @cached_property
    def phrases(self) -> frozenset[str]:
        tokens = [t.rstrip(_EDGES) for t in _TOKEN.findall(self.raw.lower())]
        lengths = range(1, _LONGEST + 1)
        return frozenset(" ".join(tokens[i : i + n]) for n in lengths for i in range(len(tokens)))


@dataclass(frozen=True)
class Cue:
    """Phrases that give something away: English ones as whole words, Japanese ones anywhere.

    `english` has one a line or between bars ("repos?" is two), `japanese` has blanks between them.
    `shape` is a pattern of whole words; in it, a blank is any blank.
    """

    english: str = ""
    japanese: str = ""
    shape: str = ""

    def __contains__(self, text: Text) -> bool:
        return (
            not self.phrases.isdisjoint(text.phrases)
            or (text.is_japanese and any(p in text.raw for p in self._japanese))
            or bool(self._shape and self._shape.search(text.raw))
        )

    def count(self, text: Text) -> int:
        """How many different phrases there are; a shape counts as one."""
        there = len(self.phrases & text.phrases)
        if text.is_japanese:
            there += sum(p in text.raw for p in self._japanese)
        return there + bool(self._shape and self._shape.search(text.raw))

    @cached_property
    def phrases(self) -> frozenset[str]:
        """The English phrases."""
        parts = [p.strip() for line in self.english.splitlines() for p in line.split("|")]
        several = [p[:-1] if p.endswith("s?") else p for p in parts if p]
        return frozenset([*several, *(p[:-2] for p in parts if p.endswith("s?"))])

    @cached_property
    def _japanese(self) -> tuple[str, ...]:
        return tuple(self.japanese.split())

    @cached_property
    def _shape(self) -> re.Pattern[str] | None:
        if not self.shape:
            return None
        joined = "|".join(p.strip().replace(" ", r"\s+") for p in self.shape.splitlines() if p)
        # Not \b: a word also ends where Japanese begins.
        edges = rf"(?<![A-Za-z0-9_])(?:{joined})(?![A-Za-z0-9_])"
        return re.compile(edges, re.IGNORECASE)

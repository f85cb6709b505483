"""Phrases to look for in a query, as `words/*.toml` lists them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files

WORD_LISTS = ("code", "error", "paper", "daily")
_TOKEN = re.compile(r"[A-Za-z0-9_+#./'-]+")
_LONGEST = 5  # words of a phrase
_EDGES = "./'-"  # that are no part of a word when they stand at its end
_PLURAL = re.compile(r"(?<=[a-z]{3})(?:'s|(?<!s)s)$")


class Text:
    """A query, with its English phrases of one to five words, in lower case."""

    def __init__(self, raw: str) -> None:
        self.raw = raw
        self.is_japanese = any("\u3041" <= c <= "\u9fff" for c in raw)

    @cached_property
    def phrases(self) -> frozenset[str]:
        """The phrases as they stand, and with the last word in the singular."""
        tokens = [t.rstrip(_EDGES) for t in _TOKEN.findall(self.raw.lower())]
        lengths = range(1, _LONGEST + 1)
        there = {" ".join(tokens[i : i + n]) for n in lengths for i in range(len(tokens))}
        return frozenset(there | {_singular(phrase) for phrase in there})


@dataclass(frozen=True)
class Cue:
    """Phrases that give something away: English ones as whole words, Japanese ones anywhere.

    `english` has one a line or between bars, in the singular where both will do; `japanese` has
    blanks between them. `shape` has a pattern of whole words on each line; a blank is any blank.
    """

    english: str = ""
    japanese: str = ""
    shape: str = ""

    def __contains__(self, text: Text) -> bool:
        return self.count(text) > 0

    def count(self, text: Text) -> int:
        """How many different phrases there are; a shape counts as one."""
        there = len({_singular(phrase) for phrase in self.phrases & text.phrases})
        if text.is_japanese:
            there += sum(phrase in text.raw for phrase in self._japanese)
        return there + bool(self._shape and self._shape.search(text.raw))

    @cached_property
    def phrases(self) -> frozenset[str]:
        """The English phrases."""
        parts = (p.strip() for line in self.english.splitlines() for p in line.split("|"))
        return frozenset(p for p in parts if p)

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


@cache
def read_cues() -> Mapping[str, Cue]:
    """Return the cues of all word lists, by name."""
    words = files("kensaku.search.intent") / "words"
    lists = (tomllib.loads((words / f"{name}.toml").read_text("utf-8")) for name in WORD_LISTS)
    return {name: Cue(**cue) for read in lists for name, cue in read.items()}


def _singular(phrase: str) -> str:
    return _PLURAL.sub("", phrase)

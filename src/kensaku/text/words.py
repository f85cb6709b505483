"""One spaced word → the ids of its terms: stem, parts, joined forms. Pure.

    "RTX4090"   → rtx4090, and the parts rtx, 4090
    "e-mail"    → e, mail, and joined email        "3.14" → 3, 14, and joined 3.14
    "getItem"   → getitem, and the parts get, item
    "Haftpflichtversicherung" (German) → its stem, and its beginnings and ends of 5 letters or more

Stored texts have all of them. A query uses the parts only of a word that no document has.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Callable, Iterator
from typing import NamedTuple
from zlib import crc32

from kensaku.text.languages import STEMMERS, STOP_WORDS

MAX_WORD = 64  # longer "words" are keys, hashes and base64: nobody searches for their middle
CACHED_WORDS = 200_000  # about 30 MB; the cache starts anew when it is full

# Languages that write compounds as one word, which no stemmer takes apart. A dictionary would be
# more exact and fifty times as large as this package.
_COMPOUNDING = frozenset({"da", "de", "fi", "hu", "nl", "no", "sv"})
_COMPOUND_FROM, _COMPOUND_PART, _COMPOUND_REST = 10, 5, 4  # letters

_SEPARATOR = re.compile(r"[.\-']+")
# Where a word changes: getItem, HTTPServer, RTX4090.
_CHANGE = re.compile(
    r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])"
)
# Letters that Unicode does not take apart into a letter and an accent; points of Hebrew and Arabic.
_PLAIN = str.maketrans(
    {"ł": "l", "đ": "d", "ð": "d", "ø": "o", "œ": "oe", "æ": "ae", "ß": "ss", "ı": "i",
     "þ": "th", "ħ": "h", "ŧ": "t", "ŋ": "n", "\u0640": None,
     **{chr(c): None for c in (*range(0x300, 0x370), *range(0x591, 0x5C8), *range(0x64B, 0x660))}}
)  # fmt: skip


class Expansion(NamedTuple):
    """The terms of a word that is more than one stem."""

    words: tuple[int, ...]
    joined: tuple[int, ...]
    parts: tuple[int, ...]


class WordIds(dict[str, int]):
    """Word → id of its stem; 0 for words that do not count; negative: see `expansions`."""

    def __init__(self, language: str) -> None:
        self._language = language
        self.stop = STOP_WORDS.get(language, frozenset())
        self.stem = _stemmer(language)
        self.expansions: dict[int, Expansion] = {}
        self._ids: dict[str, int] = {}  # by the lower-case word

    def __missing__(self, word: str) -> int:
        expansion = self._expand(word)
        simple = len(expansion.words) <= 1 and not expansion.joined and not expansion.parts
        if simple:
            id = expansion.words[0] if expansion.words else 0
        else:
            id = -len(self.expansions) - 1
            self.expansions[id] = expansion
        self[word] = id
        return id

    def start_text(self) -> None:
        """Empty a full cache; not during a text, since its counts refer to expansions."""
        if len(self) >= CACHED_WORDS:
            self.clear()
            self.expansions.clear()
            self._ids.clear()

    def _expand(self, word: str) -> Expansion:
        pieces = [piece for piece in _SEPARATOR.split(word) if piece]
        words = [id for piece in pieces if (id := self._id(piece.lower()))]
        joined = [self._id(text) for text in _joined(word, pieces)]
        parts = [self._id(part) for piece in pieces for part in self._parts(piece)]
        extra = dict.fromkeys(id for id in joined if id and id not in words)
        other = dict.fromkeys(id for id in parts if id and id not in words and id not in extra)
        return Expansion(tuple(words), tuple(extra), tuple(other))

    def _id(self, word: str) -> int:
        id = self._ids.get(word)
        if id is None:
            counted = word not in self.stop and len(word) <= MAX_WORD
            id = self._ids[word] = term_id(self.stem(strip_accents(word))) if counted else 0
        return id

    def _parts(self, piece: str) -> Iterator[str]:
        if not 4 <= len(piece) <= MAX_WORD:
            return
        if (piece.isascii() and not piece.islower() and not piece.isdigit()) or not piece.isalpha():
            changed = _CHANGE.split(piece)
            if len(changed) > 1 and all(len(p) > 1 or p.isdigit() for p in changed):
                yield from (p.lower() for p in changed)
        if self._language in _COMPOUNDING and len(piece) >= _COMPOUND_FROM and piece.isalpha():
            lower = piece.lower()
            for cut in range(_COMPOUND_REST, len(lower) - _COMPOUND_PART + 1):
                yield lower[cut:]
            for cut in range(_COMPOUND_PART, len(lower) - _COMPOUND_REST + 1):
                yield lower[:cut]


def _joined(word: str, pieces: list[str]) -> Iterator[str]:
    if 2 <= len(pieces) <= 4:
        if all(piece.isdigit() for piece in pieces):
            yield ".".join(pieces)
        elif "-" in word and "." not in word:
            yield "".join(pieces).lower()


class _ThreadsWordIds(threading.local):
    """The ids of each language, for each thread: a full cache is emptied between its own texts."""

    def __init__(self) -> None:
        self.by_language: dict[str, WordIds] = {}


_WORD_IDS = _ThreadsWordIds()


def word_ids(language: str) -> WordIds:
    """Return the ids of a language's words; English for languages without a stemmer."""
    language = language if language in STEMMERS else "en"
    ids = _WORD_IDS.by_language.get(language)
    if ids is None:
        ids = _WORD_IDS.by_language[language] = WordIds(language)
    return ids


def term_id(term: str) -> int:
    """Return the number of a term: the same on every machine."""
    return crc32(term.encode()) or 1


def strip_accents(word: str) -> str:
    """Return a lower-case word as people type it who have no accents: é → e, ł → l."""
    if word.isascii():
        return word
    # Marks of other scripts carry meaning.
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", word).translate(_PLAIN))


def _stemmer(language: str) -> Callable[[str], str]:
    import Stemmer  # type: ignore[import-not-found, unused-ignore]  # PyStemmer: Snowball in C

    stem: Callable[[str], str] = Stemmer.Stemmer(STEMMERS[language], 0).stemWord  # 0: no cache
    return stem


_ALPHABETS = (
    "abcdefghijklmnopqrstuvwxyz",
    "абвгдежзийклмнопрстуфхцчшщъыьэюя",
    "αβγδεζηθικλμνξοπρστυφχψω",
)
_TYPO_LETTERS = range(4, 25)  # of words that may be misspelled


def spellings(word: str) -> set[str]:
    """Return all words that differ from a lower-case word by one letter, or by two swapped."""
    if not word.isalpha() or len(word) not in _TYPO_LETTERS:
        return set()
    letters = next((a for a in _ALPHABETS if word[0] in a), "")
    splits = [(word[:n], word[n:]) for n in range(len(word) + 1)]
    deleted = {a + b[1:] for a, b in splits if b}
    swapped = {a + b[1] + b[0] + b[2:] for a, b in splits if len(b) > 1}
    replaced = {a + c + b[1:] for a, b in splits if b for c in letters}
    inserted = {a + c + b for a, b in splits for c in letters}
    return deleted | swapped | replaced | inserted

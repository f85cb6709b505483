"""Text → terms: what the index counts, and the same for a query. Pure.

    text → NFKC, lower case → runs of one script → terms → numbers with their frequencies

Words are stemmed by Snowball. Chinese, Japanese, Korean and Thai are written without spaces (or
with endings that hide the word), so they are cut into pairs of neighbouring characters; Japanese
also into dictionary words when `sudachipy` and a dictionary are installed (extra `ja`), else into
single characters. A term travels as the CRC-32 of its letters: the same number on every machine,
and 1 million different terms share about 100 numbers, which ranking does not notice.
"""

from __future__ import annotations

import functools
import logging
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple
from zlib import crc32

from kensaku.index.languages import STEMMERS, STOP_WORDS, guess_language

log = logging.getLogger("kensaku")

MAX_WORD = 64  # longer "words" are keys, hashes and base64: nobody searches for their middle
_CACHED_WORDS = 150_000  # about 20 MB; the cache starts anew when it is full
_SUDACHI_CHARS = 8_000  # the analyser refuses inputs over 49,149 bytes

_CJK = (
    r"\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
    r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_UNSPACED = r"\uac00-\ud7af\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_RUNS = re.compile(rf"([{_CJK}]+)|([{_UNSPACED}]+)|[^\W_{_CJK}{_UNSPACED}]+")
_KANA = re.compile(r"[\u3041-\u3096\u30a1-\u30fa]")
# ASCII takes a short cut: one pass lowers letters and blanks out the rest.
_ASCII = {c: chr(c).lower() if chr(c).isalnum() else " " for c in range(128)}

_HIRAGANA = re.compile(r"[\u3041-\u309f]+")
_CJK_ANY = re.compile(f"[{_CJK}]")
_UNSPACED_ANY = re.compile(f"[{_CJK}{_UNSPACED}]")
UNSPACED = frozenset({"ja", "zh", "ko", "th"})
_PAIR = 0.3  # what a pair weighs in a query beside dictionary words; alone it weighs 1


class Terms(NamedTuple):
    """How often each term occurs: words, and pairs of characters where words are not spaced."""

    words: Mapping[int, int]
    pairs: Mapping[int, int]

    @property
    def length(self) -> int:
        """In words, whatever the script: what BM25 compares."""
        return sum(self.words.values())


def document_terms(text: str, language: str | None = None) -> Terms:
    """The terms of a text that is stored."""
    return _terms(text, language or guess_language(text))


def query_terms(text: str, languages: Iterable[str] = ("en",)) -> dict[int, float]:
    """What each term of a query weighs, read in every language the collection holds.

    Frequencies are kept: a word that is said twice counts twice (CACM 0.426 → 0.487).
    """
    weights: dict[int, float] = {}
    for language in _readings(text, set(languages)):
        words, pairs = _terms(text, language)
        pair = _PAIR if language == "ja" and _japanese() else 1.0
        for term, count in words.items():
            weights[term] = max(count, weights.get(term, 0.0))
        for term, count in pairs.items():
            weights[term] = max(count * pair, weights.get(term, 0.0))
    return weights


def query_pattern(text: str) -> re.Pattern[str] | None:
    """What finds a query's words in lower-case text at a glance: their stems, or pairs."""
    begin: dict[str, None] = {}  # of words
    inside: dict[str, None] = {}
    stems = _words("en")
    for match in _RUNS.finditer(unicodedata.normalize("NFKC", text).lower()):
        run = match[0]
        if match[1] or match[2]:
            pairs = [run[n : n + 2] for n in range(len(run) - 1)] or [run]
            inside |= dict.fromkeys(p for p in pairs if not _HIRAGANA.fullmatch(p))
        elif stems[run]:
            begin[re.escape(_shared(run, stems.stem(run)))] = None
    either = [rf"\b(?:{'|'.join(begin)})"] if begin else []
    return re.compile("|".join([*either, *inside])) if begin or inside else None


def _shared(word: str, stem: str) -> str:
    """The letters that both begin with: `studies` and `studi` are found by `studi`."""
    same = (n for n, (a, b) in enumerate(zip(word, stem, strict=False)) if a != b)
    return word[: next(same, min(len(word), len(stem)))] or word


def _readings(text: str, known: set[str]) -> list[str]:
    unspaced = known & UNSPACED
    if unspaced and _UNSPACED_ANY.search(text):
        return sorted(unspaced)
    return sorted(known & STEMMERS.keys()) or ["en"]


def _terms(text: str, language: str) -> Terms:
    stems = _words(language)
    if text.isascii():
        counts = Counter(map(stems.__getitem__, text.translate(_ASCII).split()))
        counts.pop(0, None)
        return Terms(counts, _NONE)
    return _mixed(unicodedata.normalize("NFKC", text).lower(), stems, language)


def _mixed(text: str, stems: _Words, language: str) -> Terms:
    words: Counter[int] = Counter()
    pairs: Counter[int] = Counter()
    spaced: list[str] = []
    japanese = _japanese() if language == "ja" and _CJK_ANY.search(text) else None
    for match in _RUNS.finditer(text):
        run = match[0]
        if match[1]:
            pairs.update(_pairs(run))
            if japanese is None:
                words.update(_number(c) for c in run if not _HIRAGANA.match(c))
        elif match[2]:
            pairs.update(_pairs(run))
            words[_number(run)] += 1
        else:
            spaced.append(run)
    if japanese is not None:
        words.update(map(_number, japanese(text)))
    words.update(map(stems.__getitem__, spaced))
    words.pop(0, None)
    return Terms(words, pairs)


_NONE: Mapping[int, int] = {}


def _number(term: str) -> int:
    return crc32(term.encode()) or 1


def _pairs(run: str) -> list[int]:
    # A pair gets a mark, so that 検索 the pair and 検索 the dictionary word are two terms.
    # Two hiragana are grammar more often than not.
    both = (run[n : n + 2] for n in range(len(run) - 1))
    return [_number(f"{pair}\0") for pair in both if not _HIRAGANA.fullmatch(pair)]


class _Words(dict[str, int]):
    """Word → number of its stem; 0 for what is not counted. Filled as words are met."""

    def __init__(self, language: str) -> None:
        self._stop = STOP_WORDS.get(language, frozenset())
        self.stem = _stemmer(language)

    def __missing__(self, word: str) -> int:
        if len(self) >= _CACHED_WORDS:
            self.clear()
        counted = word not in self._stop and len(word) <= MAX_WORD
        number = self[word] = _number(self.stem(_unaccented(word))) if counted else 0
        return number


@functools.lru_cache(maxsize=len(STEMMERS) + 1)
def _words(language: str) -> _Words:
    return _Words(language if language in STEMMERS else "en")


def _unaccented(word: str) -> str:
    if word.isascii():
        return word
    # é → e for everyone who types without accents. Marks of other scripts carry meaning.
    plain = (c for c in unicodedata.normalize("NFD", word) if not "\u0300" <= c <= "\u036f")
    return unicodedata.normalize("NFC", "".join(plain))


def _stemmer(language: str) -> Callable[[str], str]:
    import snowballstemmer  # type: ignore[import-untyped]

    stem: Callable[[str], str] = snowballstemmer.stemmer(STEMMERS[language]).stemWord
    return stem


@functools.cache
def _japanese() -> Callable[[str], list[str]] | None:
    """Japanese text → dictionary words, or None when there is no dictionary."""
    try:
        from sudachipy import Dictionary, SplitMode  # type: ignore[import-untyped]
    except ImportError:
        return None
    for size in ("small", "core", "full"):
        try:
            analyser = Dictionary(dict=size).tokenizer(mode=SplitMode.A)
        except Exception:  # its errors have no common type; the next size may be there
            continue
        return functools.partial(_dictionary_words, analyser)
    log.warning("sudachipy has no dictionary; Japanese goes without: pip install sudachidict-small")
    return None


# Particles, auxiliaries, punctuation and spaces: they are in every sentence.
_GRAMMAR = frozenset({"助詞", "助動詞", "補助記号", "空白"})


def _dictionary_words(analyser: Any, text: str) -> list[str]:
    found = []
    for start in range(0, len(text), _SUDACHI_CHARS):
        for morpheme in analyser.tokenize(text[start : start + _SUDACHI_CHARS]):
            if morpheme.part_of_speech()[0] not in _GRAMMAR:
                word = morpheme.normalized_form()
                if not word.isascii():  # Latin words are stemmed with the others
                    found.append(word)
    return found

"""Turn text into terms, for documents and queries alike. Pure.

    text → NFKC, lower case → runs of one script → terms → numbers with their frequencies

Words are stemmed by Snowball. Chinese, Japanese, Korean and Thai are written without spaces (or
with endings that hide the word), so they are split into pairs of neighbouring characters; Japanese
also into dictionary words when `sudachipy` and a dictionary are installed (extra `ja`), else into
single characters. A term's id is the CRC-32 of its letters: the same on every machine. Among
1 million different terms about 100 ids collide, which does not change rankings.
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
# ASCII has a fast path: one pass lowers letters and blanks out the rest.
_ASCII = {c: chr(c).lower() if chr(c).isalnum() else " " for c in range(128)}

_HIRAGANA = re.compile(r"[\u3041-\u309f]+")
_CJK_ANY = re.compile(f"[{_CJK}]")
_UNSPACED_ANY = re.compile(f"[{_CJK}{_UNSPACED}]")
UNSPACED = frozenset({"ja", "zh", "ko", "th"})
_PAIR_WEIGHT = 0.3  # of a pair in a query, beside dictionary words; alone it weighs 1


class Terms(NamedTuple):
    """Term id → frequency: words, and pairs of characters where words are not spaced."""

    words: Mapping[int, int]
    pairs: Mapping[int, int]

    @property
    def ids(self) -> list[int]:
        """All terms, in the order of their weights."""
        return [*self.words, *self.pairs]

    @property
    def length(self) -> int:
        """The length in words, whatever the script: what BM25 normalises by."""
        return sum(self.words.values())


def document_terms(text: str, language: str | None = None) -> Terms:
    """Return the terms of a text to store."""
    return _terms(text, language or guess_language(text))


def query_terms(text: str, languages: Iterable[str] = ("en",)) -> dict[int, float]:
    """Return the weight of each term of a query, tokenised in each language of the collection.

    Frequencies count: a word that occurs twice weighs twice (CACM 0.426 → 0.487).
    """
    weights: dict[int, float] = {}
    for language in _query_languages(text, set(languages)):
        words, pairs = _terms(text, language)
        pair = _PAIR_WEIGHT if language == "ja" and _japanese_tokenizer() else 1.0
        for term, count in words.items():
            weights[term] = max(count, weights.get(term, 0.0))
        for term, count in pairs.items():
            weights[term] = max(count * pair, weights.get(term, 0.0))
    return weights


def query_pattern(text: str) -> re.Pattern[str] | None:
    """Return a pattern that matches the query's stems, or pairs, in lower-case text."""
    prefixes: dict[str, None] = {}  # of words
    inside: dict[str, None] = {}
    stems = _stem_ids("en")
    for match in _RUNS.finditer(unicodedata.normalize("NFKC", text).lower()):
        run = match[0]
        if match[1] or match[2]:
            pairs = [run[n : n + 2] for n in range(len(run) - 1)] or [run]
            inside |= dict.fromkeys(p for p in pairs if not _HIRAGANA.fullmatch(p))
        elif stems[run]:
            prefixes[re.escape(_common_prefix(run, stems.stem(run)))] = None
    words = [rf"\b(?:{'|'.join(prefixes)})"] if prefixes else []
    return re.compile("|".join([*words, *inside])) if prefixes or inside else None


def _common_prefix(word: str, stem: str) -> str:
    """Return the letters that both begin with: `studi` matches `studies` and `studied`."""
    same = (n for n, (a, b) in enumerate(zip(word, stem, strict=False)) if a != b)
    return word[: next(same, min(len(word), len(stem)))] or word


def _query_languages(text: str, languages: set[str]) -> list[str]:
    unspaced = languages & UNSPACED
    if unspaced and _UNSPACED_ANY.search(text):
        return sorted(unspaced)
    return sorted(languages & STEMMERS.keys()) or ["en"]


def _terms(text: str, language: str) -> Terms:
    stems = _stem_ids(language)
    if text.isascii():
        counts = Counter(map(stems.__getitem__, text.translate(_ASCII).split()))
        counts.pop(0, None)
        return Terms(counts, _NO_PAIRS)
    return _mixed_terms(unicodedata.normalize("NFKC", text).lower(), stems, language)


def _mixed_terms(text: str, stems: _StemIds, language: str) -> Terms:
    words: Counter[int] = Counter()
    pairs: Counter[int] = Counter()
    spaced: list[str] = []
    japanese = _japanese_tokenizer() if language == "ja" and _CJK_ANY.search(text) else None
    for match in _RUNS.finditer(text):
        run = match[0]
        if match[1]:
            pairs.update(_pair_ids(run))
            if japanese is None:
                words.update(_term_id(c) for c in run if not _HIRAGANA.match(c))
        elif match[2]:
            pairs.update(_pair_ids(run))
            words[_term_id(run)] += 1
        else:
            spaced.append(run)
    if japanese is not None:
        words.update(map(_term_id, japanese(text)))
    words.update(map(stems.__getitem__, spaced))
    words.pop(0, None)
    return Terms(words, pairs)


_NO_PAIRS: Mapping[int, int] = {}


def _term_id(term: str) -> int:
    return crc32(term.encode()) or 1


def _pair_ids(run: str) -> list[int]:
    # A marked pair: 検索 the pair and 検索 the dictionary word are two terms.
    # Two hiragana are grammar more often than not.
    both = (run[n : n + 2] for n in range(len(run) - 1))
    return [_term_id(f"{pair}\0") for pair in both if not _HIRAGANA.fullmatch(pair)]


class _StemIds(dict[str, int]):
    """Word → id of its stem; 0 for words that do not count. Filled on first use of a word."""

    def __init__(self, language: str) -> None:
        self._stop = STOP_WORDS.get(language, frozenset())
        self.stem = _stemmer(language)

    def __missing__(self, word: str) -> int:
        if len(self) >= _CACHED_WORDS:
            self.clear()
        counted = word not in self._stop and len(word) <= MAX_WORD
        id = self[word] = _term_id(self.stem(_strip_accents(word))) if counted else 0
        return id


@functools.lru_cache(maxsize=len(STEMMERS) + 1)
def _stem_ids(language: str) -> _StemIds:
    return _StemIds(language if language in STEMMERS else "en")


def _strip_accents(word: str) -> str:
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
def _japanese_tokenizer() -> Callable[[str], list[str]] | None:
    """Return a function from Japanese text to dictionary words; None without a dictionary."""
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
    words = []
    for start in range(0, len(text), _SUDACHI_CHARS):
        for morpheme in analyser.tokenize(text[start : start + _SUDACHI_CHARS]):
            if morpheme.part_of_speech()[0] not in _GRAMMAR:
                word = morpheme.normalized_form()
                if not word.isascii():  # Latin words are stemmed with the others
                    words.append(word)
    return words

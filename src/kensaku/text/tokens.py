"""Turn text into terms, for documents and queries alike. Pure.

    text → NFKC → runs of one script → terms → numbers with their frequencies

Words are stemmed by Snowball (`words.py`). Chinese, Japanese, Korean and Thai are written without
spaces (or with endings that hide the word), so they are split into pairs of neighbouring
characters; Japanese also into dictionary words when `sudachipy` and a dictionary are installed
(extra `ja`), else into single characters. A term's id is the CRC-32 of its letters: the same on
every machine. Among 1 million different terms about 100 ids collide, which does not change
rankings.
"""

from __future__ import annotations

import functools
import re
import threading
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from importlib.util import find_spec
from typing import Any, NamedTuple

from kensaku._logger import get_logger
from kensaku.text.languages import STEMMERS, STOP_WORDS, guess_language
from kensaku.text.words import (
    Expansion,
    WordIds,
    spellings,
    strip_accents,
    term_id,
    word_ids,
)

log = get_logger("kensaku")

_SUDACHI_CHARS = 8_000  # the analyser refuses inputs over 49,149 bytes

_CJK = (
    r"\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
    r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_UNSPACED = r"\uac00-\ud7af\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
# Marks that belong to the letter before them, which `\w` does not know: accents, Hebrew and Arabic
# points, the vowels of Indian scripts.
_MARKS = r"\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0963\u0966-\u0dff"
_LETTERS = rf"[^\W_{_CJK}{_UNSPACED}]+(?:[{_MARKS}]+[^\W_{_CJK}{_UNSPACED}]*)*"
_SPACED = rf"{_LETTERS}(?:[.\-']{_LETTERS})*"
_RUNS = re.compile(rf"([{_CJK}]+)|([{_UNSPACED}]+)|{_SPACED}")
_SPACED_RUNS = re.compile(_SPACED)
# Invisible inside a word: soft hyphen, joiners, byte order mark.
_INVISIBLE = re.compile("[\xad\u200c\u200d\u2060\ufeff]")
_KANA = re.compile(r"[\u3041-\u3096\u30a1-\u30fa]")
# ASCII has a fast path: one pass blanks out all but letters, digits and what may be in a word.
_ASCII = {c: chr(c) if chr(c).isalnum() or chr(c) in ".-'" else " " for c in range(128)}

_WORD = re.compile(r"[^\W_]+")
_SMALL_WORDS = STOP_WORDS["en"]
_TYPO_WORDS = 8  # of a query that may be misspelled
_HIRAGANA = re.compile(r"[\u3041-\u309f]+")
_CJK_ANY = re.compile(f"[{_CJK}]")
_UNSPACED_ANY = re.compile(f"[{_CJK}{_UNSPACED}]")
UNSPACED = frozenset({"ja", "zh", "ko", "th"})
_PAIR_WEIGHT = 0.3  # of a pair in a query, beside dictionary words; alone it weighs 1


class Terms(NamedTuple):
    """Term id → frequency: words, and what else a text is found by.

    `pairs` are pairs of characters where words are not spaced, and parts and joined forms of words.
    """

    words: Mapping[int, int]
    pairs: Mapping[int, int]
    length: int  # in words, whatever the script: what BM25 normalises by

    @property
    def ids(self) -> list[int]:
        """All terms, in the order of their weights."""
        return [*self.words, *self.pairs]


def document_terms(text: str, language: str | None = None) -> Terms:
    """Return the terms of a text to store."""
    language = language or guess_language(text)
    words, pairs = _terms(text, language)
    if words and min(words) < 0:
        pairs = _expand(words, pairs, word_ids(language).expansions)
    return Terms(words, pairs, sum(words.values()))


def _expand(
    words: Counter[int], pairs: Mapping[int, int], expansions: Mapping[int, Expansion]
) -> dict[int, int]:
    """Replace negative numbers in `words`; return `pairs` with the parts and joined forms."""
    found = [(expansions[id], words.pop(id)) for id in [id for id in words if id < 0]]
    extra = dict(pairs)
    for expansion, count in found:
        for id in expansion.words:
            words[id] += count
    for expansion, count in found:
        for id in expansion.joined + expansion.parts:
            if id not in words:
                extra[id] = extra.get(id, 0) + count
    return extra


def name_terms(name: str) -> dict[int, int]:
    """Return the terms by which a name is found that is, or begins with, stop words: The Who."""
    terms: dict[int, int] = {}
    for match in _WORD.finditer(name.lower()):
        if match[0] not in _SMALL_WORDS:
            break
        terms[term_id(f"{match[0]}\0\0")] = 1
    return terms


def query_terms(
    text: str, languages: Iterable[str] = ("en",), known: Callable[[int], bool] | None = None
) -> dict[int, float]:
    """Return the weight of each term of a query, tokenised in each language of the collection.

    Frequencies count: a word that occurs twice weighs twice (CACM 0.426 → 0.487). `known` says
    whether any document has a term: a word that none has is searched by its parts. A query of stop
    words finds names that consist of them.
    """
    weights: dict[int, float] = {}

    def add(term: int, weight: float) -> None:
        weights[term] = max(weight, weights.get(term, 0.0))

    for language in _query_languages(text, set(languages)):
        words, pairs = _terms(text, language)
        pair = _PAIR_WEIGHT if language == "ja" and _japanese_tokenizer() else 1.0
        expansions = word_ids(language).expansions
        for term, count in pairs.items():
            add(term, count * pair)
        for id, count in words.items():
            terms = expansions[id] if id < 0 else Expansion((id,), (), ())
            for term in (*terms.words, *terms.joined):
                add(term, count)
            whole = (*terms.words, *terms.joined)
            if terms.parts and known is not None and not any(map(known, whole)):
                for term in terms.parts:
                    add(term, count)
    if _SMALL_WORDS.issuperset(_WORD.findall(text.lower())):
        weights |= dict.fromkeys(name_terms(text), 1.0)
    return weights


def similar_terms(text: str, languages: Iterable[str]) -> dict[int, float]:
    """Return the terms of all words that differ from one of the query's by one letter."""
    words = _WORD.findall(unicodedata.normalize("NFKC", text).lower())[:_TYPO_WORDS]
    weights: dict[int, float] = {}
    for language in _query_languages(text, set(languages)):
        ids = word_ids(language)
        for word in words:
            if word not in ids.stop:
                for spelling in (word, *spellings(strip_accents(word))):
                    weights[term_id(ids.stem(spelling))] = 1.0
    return weights


def query_pattern(text: str) -> re.Pattern[str] | None:
    """Return a pattern that matches the query's stems, or pairs, in lower-case text."""
    prefixes: dict[str, None] = {}  # of words
    inside: dict[str, None] = {}
    stems = word_ids("en")
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


def _terms(text: str, language: str) -> tuple[Counter[int], Mapping[int, int]]:
    """Count words, those that are more than one term by their negative number, and pairs."""
    ids = word_ids(language)
    ids.start_text()
    if text.isascii():
        counts = Counter(map(ids.__getitem__, text.translate(_ASCII).split()))
        counts.pop(0, None)
        return counts, {}
    normal = unicodedata.normalize("NFKC", text).replace("’", "'")
    visible = _INVISIBLE.sub("", normal)
    if not _UNSPACED_ANY.search(visible):  # half the time of the general way
        words = Counter(map(ids.__getitem__, _SPACED_RUNS.findall(visible)))
        words.pop(0, None)
        return words, {}
    return _mixed_terms(visible, ids, language)


def _mixed_terms(text: str, ids: WordIds, language: str) -> tuple[Counter[int], Counter[int]]:
    words: Counter[int] = Counter()
    pairs: Counter[int] = Counter()
    spaced: list[str] = []
    japanese = _japanese_tokenizer() if language == "ja" and _CJK_ANY.search(text) else None
    for match in _RUNS.finditer(text):
        run = match[0]
        if match[1]:
            pairs.update(_pair_ids(run))
            if japanese is None:
                words.update(term_id(c) for c in run if not _HIRAGANA.match(c))
        elif match[2]:
            pairs.update(_pair_ids(run))
            words[term_id(run)] += 1
        else:
            spaced.append(run)
    if japanese is not None:
        words.update(map(term_id, japanese(text.lower())))
    words.update(map(ids.__getitem__, spaced))
    words.pop(0, None)
    return words, pairs


def _pair_ids(run: str) -> list[int]:
    # A marked pair: 検索 the pair and 検索 the dictionary word are two terms.
    # Two hiragana are grammar more often than not.
    both = (run[n : n + 2] for n in range(len(run) - 1))
    return [term_id(f"{pair}\0") for pair in both if not _HIRAGANA.fullmatch(pair)]


@functools.cache
def _japanese_tokenizer() -> Callable[[str], list[str]] | None:
    """Return a function from Japanese text to dictionary words; None without a dictionary."""
    try:
        from sudachipy import Dictionary, SplitMode  # type: ignore[import-untyped]
    except ImportError:
        return None
    sizes = (size for size in ("small", "core", "full") if find_spec(f"sudachidict_{size}"))
    if (size := next(sizes, None)) is None:
        log.warning("sudachipy has no dictionary; install one: pip install sudachidict-small")
        return None
    return functools.partial(_dictionary_words, _Analysers(Dictionary(dict=size), SplitMode.A))


class _Analysers(threading.local):
    """An analyser for each thread: one refuses to be used by two at once. They share the words."""

    def __init__(self, dictionary: Any, mode: Any) -> None:
        self.analyser = dictionary.tokenizer(mode=mode)


# Particles, auxiliaries, punctuation and spaces: they are in every sentence.
_GRAMMAR = frozenset({"助詞", "助動詞", "補助記号", "空白"})


def _dictionary_words(analysers: _Analysers, text: str) -> list[str]:
    words = []
    for start in range(0, len(text), _SUDACHI_CHARS):
        for morpheme in analysers.analyser.tokenize(text[start : start + _SUDACHI_CHARS]):
            if morpheme.part_of_speech()[0] not in _GRAMMAR:
                word = morpheme.normalized_form()
                if not word.isascii():  # Latin words are stemmed with the others
                    words.append(word)
    return words

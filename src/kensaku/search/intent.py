"""What kind of thing a query looks for, by rules on its text: English and Japanese. Pure.

    intent_of("ModuleNotFoundError: No module named 'cv2'") → "errors"
    subject("github repo for a terminal ui", "code") → "terminal ui"

The rules are for `auto`: they decide who is asked beside the web, never instead of it. So a wrong
guess costs a request, and a cue that is often wrong is not among them.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from kensaku.search import intent_words as words
from kensaku.search.cues import Text

Intent = Literal["papers", "code", "errors", "news", "general"]

MAX_CHARS = 500  # of a query that are looked at: what kind it is shows at its beginning
TITLE_WORDS = 4  # a title of a paper has as many, or more

# Words that say where to look, and are not looked for.
_PLACES = re.compile(
    r"(?<![A-Za-z0-9_])(?:(?:on |from )?(?:github|gitlab|arxiv|pubmed|stack ?overflow)"
    r"|repos?|repository|repositories|source code|code snippets?|papers?|preprints?|publications?"
    r"|(?:research|survey|academic|scientific|recent|peer[ -]reviewed) (?:papers?|articles?)"
    r"|(?:find|show|give) me|please|looking for|search for|pdf)(?![A-Za-z0-9_])",
    re.IGNORECASE,
)
_PLACES_JA = re.compile(
    "(?:に関する|についての|の)?(?:最新の?|査読付き)?(?:研究論文|学術論文|サーベイ論文|論文|プレプリント)"
    "|(?:の)?(?:GitHub\\s?の?)?(?:リポジトリ|レポジトリ)|の?(?:ソースコード|サンプルコード)|GitHub|arXiv"
    "|を?(?:教えて|探して|探す|検索)|の?(?:解決方法|対処法|解決策|原因と対策|原因)"
    "|と(?:出る|表示される)|が(?:発生する|出る)",
    re.IGNORECASE,
)
_LOOSE_ENDS = re.compile(
    r"^(?:of|for|on|about|in|by|an?|the|で|の|を|が)\s+"
    r"|\s+(?:of|for|on|about|in|by|an?|the|の|を|が|と)$|の$",
    re.IGNORECASE,
)


@lru_cache(maxsize=256)  # a cached response is found in less time than this takes
def intent_of(query: str) -> Intent:
    """What kind of thing the query looks for; "general" when nothing gives it away."""
    text = Text(query[:MAX_CHARS])
    if words.IDENTIFIED.search(text.raw):
        return "papers"
    if _is_error(text):
        return "errors"
    if _is_literature(text):
        return "papers"
    if _is_code(text):
        return "code"
    return "news" if text in words.NEWS and text not in words.NOT_NEWS else "general"


@lru_cache(maxsize=256)
def subject(query: str, intent: Intent) -> str:
    """The query without the words that say where to look: upstreams would look for them, too."""
    if len(query) > MAX_CHARS or words.IDENTIFIED.search(query):
        return query
    if intent not in ("papers", "code", "errors"):
        return query
    bare = " ".join(_PLACES_JA.sub(" ", _PLACES.sub(" ", query)).split())
    while (shorter := _LOOSE_ENDS.sub("", bare)) != bare:
        bare = shorter
    return bare if any(c.isalnum() for c in bare) else query


def _is_error(text: Text) -> bool:
    if words.EXCEPTION.search(text.raw) or words.PREFIX.search(text.raw) or text in words.MESSAGE:
        return True
    if text in words.HANDLING or text not in words.TROUBLE:
        return False
    return _names_technology(text) or _has_identifier(text)


def _is_literature(text: Text) -> bool:
    if text in words.NOT_PAPERS or words.NOT_PAPERS_JA.search(text.raw):
        return False
    if text in words.LITERATURE or words.PAPERS_AT_END.search(text.raw):
        return True
    return (
        words.ACADEMIC.count(text) >= 2
        or (text in words.OVERVIEW and text in words.SCIENCE)
        or bool(words.ACADEMIC_JA.search(text.raw))
        or _is_title(text)
    )


def _is_title(text: Text) -> bool:
    """Whether it is written as a title is, and of words that titles of papers are made of."""
    long_words = [w for w in text.raw.replace(":", " ").split() if len(w) > 3]
    if len(text.raw.split()) < TITLE_WORDS or len(long_words) < TITLE_WORDS - 1:
        return False
    written = all(w[0].isupper() and w.isascii() for w in long_words)
    return written and 2 * words.FIELD.count(text) >= len(long_words)


def _is_code(text: Text) -> bool:
    if text in words.BUSINESS:
        return False
    if text in words.REPOSITORY or _names_repository(text) or _has_identifier(text):
        return True
    if text in words.OPEN_SOURCE and text in words.SOFTWARE:
        return True
    if _names_technology(text):
        return " " in text.raw or text.is_japanese
    named = text in words.LANGUAGE or words.SHORT_LANGUAGE.search(text.raw)
    return bool(named and text in words.PROGRAMMING) or text in words.IN_LANGUAGE


def _names_technology(text: Text) -> bool:
    """Whether it names a language, framework or tool. In Japanese, "Python" is no animal."""
    return text in words.TECHNOLOGY or (text.is_japanese and text in words.LANGUAGE)


def _names_repository(text: Text) -> bool:
    named = words.OWNER_AND_NAME.search(text.raw)
    return bool(named) and text not in words.NOT_OWNER_AND_NAME


def _has_identifier(text: Text) -> bool:
    return bool(words.IDENTIFIER.search(words.HOST_NAME.sub(" ", text.raw)))

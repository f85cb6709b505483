"""A question that needs the one before it gets its topic. Pure, by rule, English and Japanese.

    "How do sea otters sleep?", then "And what do they eat?" → "sea otters sleep: And what do …"

Only the person's own words are carried over: an answer has words of the web.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kensaku.research.questions import PRONOUN, keywords, topic_of

_ELLIPSIS = re.compile(
    r"^\W*(?:and|but|so|or|also|then|what about|how about|what else|why|why not|more|since when)\b"
    r"|^\W*(?:では|じゃあ?|それ|そこ|そちら|ほか|他に|なぜ|どうして|もっと|また|ちなみに|あと)",
    re.IGNORECASE,
)
_WRITTEN_JA = re.compile("[\u30a1-\u30ff\u4e00-\u9fff]{2}")  # katakana, kanji
FEW_WORDS = 2  # that carry meaning
MAX_CHARS = 200


def in_context(question: str, earlier: Sequence[str]) -> str:
    """Return the question with the topic of the last one that names one, if it needs that."""
    if not needs_context(question):
        return question
    for before in reversed(earlier):
        topic = topic_of(before)
        if topic and not needs_context(before):
            return question if topic.casefold() in question.casefold() else f"{topic}: {question}"
    return question


def needs_context(question: str) -> bool:
    """Whether a question leaves out what it is about."""
    if len(question) > MAX_CHARS:
        return False
    pronoun = PRONOUN.search(question)
    if pronoun is not None:
        return not _names_something(question[: pronoun.start()]) and not _has_name(question)
    return bool(_ELLIPSIS.match(question)) and not _has_name(question)


def _names_something(before: str) -> bool:
    """Whether words before a pronoun say what it stands for: "How do sea otters raise their …"."""
    if _WRITTEN_JA.search(before):
        return True
    return len(keywords(_ELLIPSIS.sub("", before)).split()) >= FEW_WORDS


def _has_name(question: str) -> bool:
    """Whether a question has a name and more besides, in words of its own."""
    bare = _ELLIPSIS.sub("", PRONOUN.sub(" ", question))
    return len(keywords(bare).split()) > FEW_WORDS and bool(re.search(r"\b[A-Z][a-z]", bare[1:]))

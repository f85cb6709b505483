"""What a question asks for, the words that only ask, its phrases and its names. Pure.

    "How many people live in Tokyo?" → a figure, and "many" and "people" count for little
    "When was the Treaty of Versailles signed?" → runs of letters: …, "reatyofve", … and Versailles

A source seldom has the words that ask ("What is the name of …", …は何という名前ですか). A sentence
that has a figure, a date or a name of its own is the likelier answer to who asks for one. Phrases
and names are hardly said in other words. Runs of characters need no tokenizer, allow for endings
("signed", "signing") and work in scripts without spaces.
"""

from __future__ import annotations

import functools
import re
from typing import NamedTuple

from kensaku.text.tokens import query_terms

_ASKING = (
    "many much long old far high tall big large often wide deep fast number amount percent "
    "percentage rate year years date century decade day month time age name names named called "
    "call known term terms title word words type types kind kinds sort form example reason place "
    "person people group city country state company located famous another main major common "
    "happen happened describe mean stand"
)
_ASKING_JAPANESE = (
    "何 いつ どこ 誰 どの どう どんな どれ どちら 幾 幾つ 幾ら 何人 何時 何処 何語 何年 何故 なぜ "
    "名前 名称 名 西暦 人物 事 こと 物 答える 言う 居る 有る 成る 為る"
)
_NUMBER_WORDS = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|hundreds?|thousands?|"
    "millions?|billions?|half|third|quarter|dozens?|several|once|twice"
)
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_DAYS = "(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?"
_FIGURE = re.compile(r"\d+")
RUN, RUN_UNSPACED = 9, 4  # characters: about two words
_CJK = re.compile(r"[\u3041-\u30ff\u3400-\u9fff]")
_NOT_LETTERS = re.compile(r"[\W_]+")
_HIRAGANA = re.compile(r"[\u3041-\u309f]")
# Capitalised words but for the first of the question, and figures.
_NAMES = re.compile(r"(?<!^)\b(?:[A-Z][\w’-]+|\d[\d,.]*)")
_NAMES_UNSPACED = re.compile(r"[\u30a1-\u30f4ー]{2,}|[A-Za-z0-9]{2,}|[\u4e00-\u9fff]{2,}")


class AnswerKind(NamedTuple):
    """A kind of answer: the questions for it, what it looks like, and what having it is worth."""

    asks: re.Pattern[str]
    looks: re.Pattern[str]
    points: float  # beside 1 for all words of the question


DATE = AnswerKind(
    re.compile(
        r"\bwhen\b|\b(?:what|which) (?:year|date|century|decade|day|month|time)\b"
        r"|いつ|何[^がをはかも、]{0,3}?(?:年|月|日|世紀)",
        re.IGNORECASE,
    ),
    re.compile(
        r"\b(?:1\d{3}|20\d\d)\b|\b\d{3,4}s\b|\b\d{1,2}(?:st|nd|rd|th) century\b"
        rf"|\b\d+ (?:BC|AD|years?|days?|months?|hours?)\b|\b(?:{_MONTHS}|{_DAYS})\b"
        r"|\b\d{1,2}:\d\d\b|\b\d{1,2} ?[ap]\.?m\b"
        r"|[\d〇一二三四五六七八九十百千元]+(?:年|世紀|月|日|時)|[月火水木金土日]曜"
    ),
    0.25,
)
FIGURE = AnswerKind(
    re.compile(
        r"\bhow (?:many|much|long|old|far|high|tall|big|large|often|wide|deep|fast)\b"
        r"|\bwhat (?:percent\w*|number|age|population|amount)\b"
        r"|いくつ|いくら|(?:どの|どれ)(?:くらい|ぐらい|ほど)"
        r"|何[^がをはかも、]{0,3}?(?:人|個|回|歳|位|度|番|パーセント|km|m|％)",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\d[\d,.]*|\b(?:{_NUMBER_WORDS})\b"
        r"|[一二三四五六七八九十百千万億]+(?:人|名|つ|個|回|歳|位|番)",
        re.IGNORECASE,
    ),
    0.5,
)
PERSON = AnswerKind(
    re.compile(r"\bwho(?:m|se)?\b", re.IGNORECASE),
    re.compile(r"(?<!^)(?<![.!?] )\b[A-Z][\w’-]+"),  # the first word of a sentence is no name
    0.2,
)


def kind_of(question: str) -> AnswerKind | None:
    """Return the kind of answer that a question asks for, if it can be seen in a sentence."""
    return next((k for k in (DATE, FIGURE, PERSON) if k.asks.search(question)), None)


def has_kind(kind: AnswerKind, question: str, sentence: str) -> bool:
    """Whether a sentence has something of this kind that the question does not have."""
    return not set(kind.looks.findall(sentence)) <= set(kind.looks.findall(question))


def gives_figure(question: str, sentence: str) -> bool:
    """Whether a question asks for a figure or a date, and a sentence has digits of its own."""
    if kind_of(question) not in (DATE, FIGURE):
        return False
    return not set(_FIGURE.findall(sentence)) <= set(_FIGURE.findall(question))


@functools.cache
def asking_terms(languages: frozenset[str]) -> frozenset[int]:
    """Return the terms of words that ask, tokenised in these languages."""
    texts = (_ASKING, _ASKING_JAPANESE)
    return frozenset(term for text in texts for term in query_terms(text, languages))


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

"""What a sentence claims that can be compared: amounts by unit, dates, and whether it denies. Pure.

    "約30キログラム"        → amount 30 in kg        "from 20 to 30 kg" → 20..30 in kg
    "明治26年5月"           → date 1893-05           "on 2 March 2024"  → date 2024-03-02
    "They do not hibernate" → denies

Full-width digits, Japanese numerals (三十万), eras, multiples (5 million, 1億2000万) and units that
can be converted are read as the same amount.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from kensaku.text.dates import month_number
from kensaku.text.denial import denies

ABOUT = 0.05  # share by which an amount may be off that is said to be about right
EXACT = 0.01
Date = tuple[int | None, int | None, int | None]
Range = tuple[float, float]
_DIGITS = {c: n for n, c in enumerate("〇一二三四五六七八九")}
_SMALL = {"十": 10, "百": 100, "千": 1_000}
_LARGE = {"万": 10**4, "億": 10**8, "兆": 10**12}
_WORDS = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
# Only before a counter: 三菱 and 一部 are no numbers.
_KANJI = re.compile(
    r"(?<![\d,.〇一二三四五六七八九十百千万億兆])[〇一二三四五六七八九十百千万億兆]{1,24}(?=(?:か月|ヶ月|年|月|日|人|名|個|回|歳|才|円|本|枚|台|頭|匹|件|位|階"
    r"|割|度|分|秒|時間|週間|キロ|メートル|センチ|グラム|トン|パーセント|%|ドル|ユーロ))"
)
_PARTS = re.compile(r"(\d[\d,]*(?:\.\d+)?)?([千万億兆])?")
_WORD = re.compile("|".join(_WORDS), re.IGNORECASE)
_NAMES: dict[str, dict[float, str]] = {
    "%": {1: "% percent パーセント", 10: "割"},
    "m": {
        0.001: "mm ミリ",
        0.01: "cm centimetre centimeter センチ センチメートル",
        0.0254: "inch inches",
        0.3048: "ft foot feet",
        1: "m metre meter メートル",
        1_000: "km kilometre kilometer キロメートル",
        1_609.344: "mile",
    },
    "kg": {
        0.001: "g gram グラム",
        0.4536: "lb pound",
        1: "kg kilogram キログラム",
        1_000: "t ton tonne トン",
    },
    "s": {1: "second 秒", 60: "minute 分 分間", 3_600: "hour 時間"},
    "day": {1: "day 日間", 7: "week 週間"},
    "month": {1: "month か月 ヶ月 カ月"},
    "year": {1: "year 年間"},
    "age": {1: "歳 才"},
    "people": {1: "people person inhabitant 人 名"},
    "°C": {1: "°c ℃ 度"},
    "$": {1: "$ dollar usd ドル"},
    "¥": {1: "¥ yen 円"},
    "€": {1: "€ euro ユーロ"},
    "times": {1: "time 回"},
    **{counter: {1: counter} for counter in "個本頭匹台件位階枚"},
}
UNITS = {
    name: (unit, factor)
    for unit, factors in _NAMES.items()
    for factor, names in factors.items()
    for name in names.split()
}


@dataclass(frozen=True, slots=True)
class Claims:
    """The comparable part of a sentence."""

    amounts: dict[str, tuple[Range, ...]]
    dates: tuple[Date, ...]
    denies: bool


_ERAS = {"明治": 1867, "大正": 1911, "昭和": 1925, "平成": 1988, "令和": 2018}
_COUNTER = "|".join(name for name in UNITS if not name.isascii())
_MONTH = r"[A-Z][a-zé]{2,8}\.?"
_DATES = (
    re.compile(r"\b(?P<y>\d{4})[-/](?P<m>\d{1,2})(?:[-/](?P<d>\d{1,2}))?\b"),
    re.compile(
        r"(?:(?P<era>明治|大正|昭和|平成|令和)(?P<ey>元|\d{1,2})|(?<!\d)(?P<y>\d{3,4}))年(?!間)"
        r"(?:\s*(?P<m>\d{1,2})月(?:\s*(?P<d>\d{1,2})日)?)?"
    ),
    re.compile(r"(?<!\d)(?P<m>\d{1,2})月(?P<d>\d{1,2})日"),
    re.compile(
        rf"\b(?P<name>{_MONTH})\s+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?:,?\s+(?P<y>\d{{4}}))?\b"
    ),
    re.compile(
        rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<name>{_MONTH}),?(?:\s+(?P<y>\d{{4}}))?"
    ),
    re.compile(rf"\b(?P<name>{_MONTH})\s+(?P<y>\d{{4}})\b"),
    # Not of an amount: 1500人, 1億2000万.
    re.compile(
        r"(?<![\d.,$¥€千万億兆])(?P<y>1[0-9]{3}|20[0-9]{2})"
        rf"(?![\d.,]\d|[千万億兆]|\s*(?:[%°]|\d|[a-z]+s\b|{_COUNTER}))"
    ),
)
# The longest first: センチ would match before センチメートル.
_UNIT = "|".join(sorted(map(re.escape, UNITS), key=len, reverse=True))
_NUMBER = r"\d[\d,]*(?:\.\d+)?(?:\s*(?:thousand|million|billion|trillion)|[千万億兆]\d*)*"
_AMOUNT = re.compile(
    rf"(?P<sign>[$¥€]\s*)?(?P<low>{_NUMBER})"
    rf"(?:\s*(?:-|–|—|~|〜|から|to|and)\s*(?P<high>{_NUMBER}))?"
    rf"\s*-?(?P<unit>(?:{_UNIT})(?:s\b|(?![a-z])))?",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"(?:\b(?:about|around|approximately|roughly|nearly|almost|some)|約|およそ|ほぼ|~)\s*$", re.I
)
_AT_LEAST = re.compile(r"\b(?:over|more than|at least|above|exceed\w*)\s*$", re.IGNORECASE)
_AT_MOST = re.compile(
    r"\b(?:up to|less than|at most|under|below|fewer than|最大|最高)\s*$", re.IGNORECASE
)
_AT_LEAST_JA = re.compile(r"\s*(?:以上|超|を超え|を上回)")
_AT_MOST_JA = re.compile(r"\s*(?:以下|未満|以内|まで)")


@lru_cache(maxsize=512)
def claims_of(sentence: str) -> Claims:
    """Return what a sentence claims."""
    text = plain_digits(unicodedata.normalize("NFKC", sentence[:2_000]))
    dates: list[Date] = []
    for pattern in _DATES:
        for match in pattern.finditer(text):
            if date := _date(match):
                dates.append(date)
                text = text[: match.start()] + " " * len(match[0]) + text[match.end() :]
    amounts: dict[str, list[Range]] = {}
    for unit, span in _amounts(text):
        amounts.setdefault(unit, []).append(span)
    return Claims({u: tuple(r) for u, r in amounts.items()}, tuple(dates), denies(text))


def are_apart(one: Range, other: Range) -> bool:
    """Whether two amounts exclude each other."""
    return one[1] < other[0] or other[1] < one[0]


def are_different_days(one: Date, other: Date) -> bool | None:
    """Whether two dates cannot be the same day: "1893" and "May 1893" can.

    None if they say nothing in common: "1893" and "4 May".
    """
    pairs = [(a, b) for a, b in zip(one, other, strict=True) if a is not None and b is not None]
    return any(a != b for a, b in pairs) if pairs else None


def _date(match: re.Match[str]) -> Date | None:
    found = match.groupdict()
    year = int(found["y"]) if found.get("y") else None
    if found.get("era"):
        year = _ERAS[found["era"]] + (1 if found["ey"] == "元" else int(found["ey"]))
    month = int(found["m"]) if found.get("m") else None
    if name := found.get("name"):
        month = month_number(name)
        if month is None:
            return None
    day = int(found["d"]) if found.get("d") else None
    in_year, in_month = month in (None, *range(1, 13)), day in (None, *range(1, 32))
    return (year, month, day) if in_year and in_month else None


def _amounts(text: str) -> Iterator[tuple[str, Range]]:
    for match in _AMOUNT.finditer(text):
        low = number_in(match["low"])
        high = number_in(match["high"]) if match["high"] else low
        unit, factor = unit_of(match["unit"] or match["sign"] or "")
        if low is None or high is None:
            continue
        if match["high"] and high < low:  # "5 to 3": two amounts, and no range
            low = high = low * factor
            yield unit, _around(text, match, low, high)
            continue
        yield unit, _around(text, match, low * factor, high * factor)


def _around(text: str, match: re.Match[str], low: float, high: float) -> Range:
    before, after = text[max(0, match.start() - 20) : match.start()], text[match.end() :]
    if _AT_LEAST.search(before) or _AT_LEAST_JA.match(after):
        return low, math.inf
    if _AT_MOST.search(before) or _AT_MOST_JA.match(after):
        return 0.0, high
    off = ABOUT if _ABOUT.search(before) else EXACT
    return low * (1 - off), high * (1 + off)


def plain_digits(text: str) -> str:
    """Return a text with Japanese numerals before a counter as digits."""
    return _KANJI.sub(lambda match: str(_from_kanji(match[0])), text)


def number_in(text: str) -> float | None:
    """Return the number that a text is: digits with multiples. None: it is none."""
    factor = 1
    for word in _WORD.findall(text):
        factor *= _WORDS[word.lower()]
    parts = [p for p in _PARTS.findall(_WORD.sub("", text).replace(" ", "")) if any(p)]
    total = part = 0.0
    for digits, unit in parts:
        value = float(digits.replace(",", "")) if digits else 0.0
        if unit in _LARGE:  # 5千億: the thousand counts in it, too
            total += (part + value or 1) * _LARGE[unit]
            part = 0.0
        else:
            part += (value or 1) * _SMALL[unit] if unit else value
    return (total + part) * factor if parts else None


def _from_kanji(text: str) -> int:
    total = part = digit = 0
    if all(c in _DIGITS for c in text):  # 二〇二四
        return int("".join(str(_DIGITS[c]) for c in text))
    for char in text:
        if char in _DIGITS:
            digit = _DIGITS[char]
        elif char in _SMALL:
            part += (digit or 1) * _SMALL[char]
            digit = 0
        else:
            total += (part + digit or 1) * _LARGE[char]
            part = digit = 0
    return total + part + digit


def unit_of(name: str) -> tuple[str, float]:
    """Return a unit and the factor to it; an unknown name stands for itself."""
    bare = name.strip().lower()
    return UNITS.get(bare) or UNITS.get(bare.removesuffix("s")) or (bare, 1.0)

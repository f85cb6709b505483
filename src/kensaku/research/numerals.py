"""Numbers as people write them: 三十万, 1億2000万, 5 million, 1,234.5. Pure."""

from __future__ import annotations

import re

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

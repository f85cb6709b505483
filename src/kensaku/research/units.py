"""Units by the names that English and Japanese sentences have for them, with their factors."""

from __future__ import annotations

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


def unit_of(name: str) -> tuple[str, float]:
    """Return a unit and the factor to it; an unknown name stands for itself."""
    bare = name.strip().lower()
    return UNITS.get(bare) or UNITS.get(bare.removesuffix("s")) or (bare, 1.0)

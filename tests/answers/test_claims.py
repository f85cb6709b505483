"""What a sentence claims: its amounts in one unit, its dates, and whether it denies."""

from __future__ import annotations

from math import inf
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kensaku.answers.claims import claims_of, unit_of


@pytest.mark.parametrize(
    ("sentence", "dates"),
    [
        ("It opened on 2024-03-02.", [(2024, 3, 2)]),
        ("It opened in 2024/3.", [(2024, 3, None)]),
        ("It opened on March 3, 1893.", [(1893, 3, 3)]),
        ("It opened on March 3rd.", [(None, 3, 3)]),
        ("It opened on the 3rd of March 1893.", [(1893, 3, 3)]),
        ("It opened on 2 Mar. 1893.", [(1893, 3, 2)]),
        ("It opened in March 1893.", [(1893, 3, None)]),
        ("It opened in 1893.", [(1893, None, None)]),
        ("It opened in 2099.", [(2099, None, None)]),
        ("明治26年5月に開いた。", [(1893, 5, None)]),
        ("大正元年に開いた。", [(1912, None, None)]),
        ("大正12年9月1日に開いた。", [(1923, 9, 1)]),
        ("昭和20年8月15日に開いた。", [(1945, 8, 15)]),
        ("令和6年1月に開いた。", [(2024, 1, None)]),
        ("二〇二四年に開いた。", [(2024, None, None)]),
        ("794年に開いた。", [(794, None, None)]),
        ("5月4日に開いた。", [(None, 5, 4)]),
        ("It opened on 2024-12-31 and on 2025-01-01.", [(2024, 12, 31), (2025, 1, 1)]),
        # No day, no month, no year.
        ("It opened on 2024-13-02.", [(2024, None, None)]),
        ("It opened on 2024-02-32.", [(2024, None, None)]),
        ("5月0日に開いた。", []),
        ("It was Otters 2, 1893.", [(1893, None, None)]),
        ("It cost $1893.", []),
        ("It had 1893 otters.", []),
        ("It rose by 1893 % since.", []),
        ("It has 1893.25 of them.", []),
        ("千五百人が住む。", []),
        ("1億2000万円です。", []),
        ("2000万人です。", []),
        ("2000年間続いた。", []),
        ("It opened in 3000.", []),
    ],
)
def test_dates_are_read(sentence: str, dates: Any) -> None:
    """In the forms of two languages; an amount is no year."""
    assert claims_of(sentence).dates == tuple(dates)


@pytest.mark.parametrize(
    ("sentence", "amounts"),
    [
        ("It weighs 100 kg.", {"kg": [(99, 101)]}),
        ("It weighs about 100 kg.", {"kg": [(95, 105)]}),
        ("約100キログラムです。", {"kg": [(95, 105)]}),
        (f"It weighs approximately{' ' * 7}100 kg.", {"kg": [(95, 105)]}),
        (f"It weighs approximately{' ' * 8}100 kg.", {"kg": [(99, 101)]}),  # too far off
        ("From 20 to 30 kg.", {"kg": [(19.8, 30.3)]}),
        ("20〜30キログラムです。", {"kg": [(19.8, 30.3)]}),
        ("20–30-kg otters.", {"kg": [(19.8, 30.3)]}),
        ("It weighs 10 to 10 kg.", {"kg": [(9.9, 10.1)]}),
        ("A vote of 5 to 3 kg.", {"kg": [(4.95, 5.05)]}),
        ("A vote of 5 to 3 t.", {"kg": [(4_950, 5_050)]}),
        ("It weighs over 20 kg.", {"kg": [(20, inf)]}),
        ("It weighs more than 2 to 3 t.", {"kg": [(2_000, inf)]}),
        ("20kg以上です。", {"kg": [(20, inf)]}),
        ("It weighs up to 30 kg.", {"kg": [(0, 30)]}),
        ("30kg以下です。", {"kg": [(0, 30)]}),
        ("最大30kgです。", {"kg": [(0, 30)]}),
        ("More than one of them, it is said, weighs 100 kg.", {"kg": [(99, 101)]}),
        ("It costs $5 million.", {"$": [(4_950_000, 5_050_000)]}),
        ("It costs ¥ 100.", {"¥": [(99, 101)]}),
        ("1億2000万円です。", {"¥": [(118_800_000, 121_200_000)]}),
        ("千五百人が住む。", {"people": [(1_485, 1_515)]}),
        ("２００人が住む。", {"people": [(198, 202)]}),
        ("It has 100 legs.", {"": [(99, 101)]}),
        ("100 m by 200 m, 50 kg.", {"m": [(99, 101), (198, 202)], "kg": [(49.5, 50.5)]}),
        ("It opened in 1893.", {}),
        ("Nothing is said.", {}),
    ],
)
def test_amounts_are_read_as_ranges(sentence: str, amounts: Any) -> None:
    """Exact figures are taken for one percent more or less, those that are about right for five."""
    found = claims_of(sentence).amounts
    assert list(found) == list(amounts)
    for unit, ranges in amounts.items():
        assert [pytest.approx(r) for r in found[unit]] == ranges


@pytest.mark.parametrize(
    ("sentence", "denies"),
    [
        ("They do not sleep.", True),
        ("They don't sleep.", True),
        ("They DON’T sleep.", True),
        ("No otter sleeps.", True),
        ("They never do not sleep.", False),
        ("They never do not not sleep.", True),
        ("They sleep.", False),
        ("Not only do they sleep.", False),
        ("No doubt they sleep.", False),
        ("They know a notable knot.", False),
        ("ラッコは眠らない。", True),
        ("ラッコは眠りません。", True),
        ("ラッコは眠れず、泳ぐ。", False),
        ("ラッコは泳げるかもしれない。", False),
        ("貝だけでなく、ウニも食べる。", False),
    ],
)
def test_a_sentence_denies_by_an_odd_number_of_denials(sentence: str, denies: bool) -> None:
    """And phrases that only look like one do not count."""
    assert claims_of(sentence).denies is denies


def test_only_the_beginning_of_a_long_sentence_is_read() -> None:
    """2,000 characters of it."""
    assert claims_of("a" * 1_998 + " 5").amounts
    assert not claims_of("a" * 1_999 + " 5").amounts


def kanji(number: int) -> str:
    """A number below 10,000 in Japanese numerals."""
    written = ""
    for place, mark in ((1_000, "千"), (100, "百"), (10, "十")):
        digit, number = divmod(number, place)
        written += ("" if digit == 1 else "〇一二三四五六七八九"[digit]) + mark if digit else ""
    return written + ("〇一二三四五六七八九"[number] if number else "")


@given(st.integers(1, 9_999), st.integers(1, 9_999), st.sampled_from([("万", 1e4), ("億", 1e8)]))
def test_japanese_numerals_are_numbers(high: int, low: int, mark: tuple[str, float]) -> None:
    """Each place of a number counts, in numerals and in digits."""
    name, multiple = mark
    number = high * multiple + low
    for written in (f"{kanji(high)}{name}{kanji(low)}", f"{high}{name}{low}"):
        [(least, most)] = claims_of(f"{written}人が住む。").amounts["people"]
        assert least <= number <= most


@pytest.mark.parametrize(
    ("number", "value"),
    [
        ("2 thousand", 2e3),
        ("1.5 trillion", 1.5e12),
        ("1,234.5", 1_234.5),
        ("1千5", 1_005),
        ("1兆5千億", 1.5e12),
    ],
)
def test_numbers_have_multiples(number: str, value: float) -> None:
    """Of two languages, one inside of another."""
    [found] = claims_of(f"It weighs {number} kg.").amounts["kg"]
    assert found == pytest.approx((0.99 * value, 1.01 * value))


def test_a_numeral_in_a_name_is_no_number() -> None:
    """三菱 is a company, and 一部 a part."""
    assert claims_of("三菱と一部の人が住む。").amounts == {}


@pytest.mark.parametrize(
    ("names", "unit", "factor"),
    [
        ("% percent パーセント", "%", 1),
        ("割", "%", 10),
        ("mm ミリ", "m", 0.001),
        ("ft foot feet", "m", 0.3048),
        ("m metres meter メートル", "m", 1),
        ("lb lbs pounds", "kg", 0.4536),
        ("kg KG kilogram キログラム", "kg", 1),
        ("t tons tonnes トン", "kg", 1_000),
        ("minute 分 分間", "s", 60),
        ("months か月 ヶ月 カ月", "month", 1),
        ("people inhabitants 人 名", "people", 1),
        ("$ dollars USD ドル", "$", 1),
        ("otters", "otters", 1),
    ],
)
def test_a_unit_has_many_names(names: str, unit: str, factor: float) -> None:
    """Plurals, capitals and two languages; an unknown one stands for itself."""
    assert {unit_of(f" {name} ") for name in names.split()} == {(unit, factor)}

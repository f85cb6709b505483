"""Dates as the web writes them, in one form."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from kensaku.text.dates import month_number, parse_date

NOW = datetime(2026, 11, 15, 12, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("written", "iso"),
    [
        ("2006-01-02", "2006-01-02"),
        ("2006.1.2", "2006-01-02"),
        ("20060102", "2006-01-02"),
        ("20060102T150405Z", "2006-01-02T15:04:05Z"),
        ("2006-01-02T15:04:05Z", "2006-01-02T15:04:05Z"),
        ("2006-01-02T15:04:05.123456+09:00", "2006-01-02T15:04:05+09:00"),
        ("2006-01-02 15:04", "2006-01-02T15:04:00Z"),
        ("2006-01-02T15:04:05-0700", "2006-01-02T15:04:05-07:00"),
        ("2016-12-31T23:59:60Z", "2016-12-31T23:59:59Z"),
        ("2006-01-02T24:00:00Z", "2006-01-03T00:00:00Z"),
        ("2006-01-02 12:04 p.m.", "2006-01-02T12:04:00Z"),
        ("2006-01-02 11:04 p.m.", "2006-01-02T23:04:00Z"),
        ("1900-01-01", "1900-01-01"),
        ("2100-12-31", "2100-12-31"),
        ("31 Dec 2100", "2100-12-31"),
        ("2006-01-02".ljust(80), "2006-01-02"),
        ("Mon, 02 Jan 2006 15:04:05 GMT", "2006-01-02T15:04:05Z"),
        ("Mon, 02 Jan 2006 15:04:05 +0100", "2006-01-02T15:04:05+01:00"),
        ("Monday, 02-Jan-2006 15:04:05 UTC", "2006-01-02T15:04:05Z"),
        ("Mon Jan  2 15:04:05 2006", "2006-01-02T15:04:05Z"),
        ("Jan. 2nd, 2006", "2006-01-02"),
        ("January 2, 2006, 3:04 PM EST", "2006-01-02T15:04:00-05:00"),
        ("January 2, 2006 at 12:04 am", "2006-01-02T00:04:00Z"),
        ("2nd January, 2006", "2006-01-02"),
        ("Sunday, 2 April 2006", "2006-04-02"),
        ("2. März 2006", "2006-03-02"),
        ("2 de enero de 2006", "2006-01-02"),
        ("2024年5月3日", "2024-05-03"),
        ("２０２４年５月３日", "2024-05-03"),
        ("2024年5月3日 9時05分", "2024-05-03T09:05:00Z"),
        ("令和6年5月3日", "2024-05-03"),
        ("平成元年1月8日", "1989-01-08"),
        ("昭和64年1月7日", "1989-01-07"),
        ("2024년 5월 3일", "2024-05-03"),
        (100_000_000, "1973-03-03T09:46:40Z"),
        (4_199_999_999, "2103-02-04T02:39:59Z"),
        (100_000_000_000, "1973-03-03T09:46:40Z"),
        (4_199_999_999_999, "2103-02-04T02:39:59Z"),
        ("100000000", "1973-03-03T09:46:40Z"),
        (1136214245.7, "2006-01-02T15:04:05Z"),
        (date(2006, 1, 2), "2006-01-02"),
        (datetime(2006, 1, 2, 15, 4, 5), "2006-01-02T15:04:05Z"),  # noqa: DTZ001
        (
            datetime(2006, 1, 2, 15, 4, 5, tzinfo=timezone(timedelta(hours=9))),
            "2006-01-02T15:04:05+09:00",
        ),
    ],
)
def test_a_date_becomes_iso_8601_as_exact_as_it_was_written(written: object, iso: str) -> None:
    """Providers agree on nothing; a filter by date needs one form."""
    assert parse_date(written) == iso


@pytest.mark.parametrize(
    ("written", "iso"),
    [
        ("3 days ago", "2026-11-12"),
        ("a day ago", "2026-11-14"),
        ("1 hour ago", "2026-11-15T11:30:00Z"),
        ("last week", "2026-11-08"),
        ("just now", "2026-11-15T12:30:00Z"),
        ("２時間前", "2026-11-15T10:30:00Z"),
        ("約5分前", "2026-11-15T12:25:00Z"),
        ("一昨日", "2026-11-13"),
    ],
)
def test_an_age_is_counted_back_from_now(written: str, iso: str) -> None:
    """Search pages write ages, in the reader's language."""
    assert parse_date(written, NOW) == iso


@pytest.mark.parametrize(
    "written",
    ["", "   ", "soon", "2006", "2006-13-02", "2006-02-30", "32 January 2006", "2 Janvember 2006",
     "1 000 days", "5 days", "3日", "12345", "99999999999999999", "2006-01-02T25:00:00Z",
     "1899-12-31", "2101-01-01", "1 Jan 2101", "1 Jan 1899", "2006-01-02".ljust(81), 99_999_999,
     4_200_000_000, 99_999_999_999, 4_200_000_000_000, "2 hrs", "last 日", "a fortnight ago",
     "2006-01-02T10:00:00 XYZ", "Jan 2, 0006", "9" * 5000, "2006-01-02" * 50, "999999 years ago",
     True, None, [], {}, -5, 0, 1e300, float("nan"), float("inf"), b"2006-01-02"],
)  # fmt: skip
def test_what_is_not_a_date_is_nothing(written: object) -> None:
    """A wrong date is worse than none: an agent would say it."""
    assert parse_date(written, NOW) is None


@pytest.mark.parametrize(
    ("zone", "read"),
    [("+05:45", "+05:45"), ("-0330", "-03:30"), ("+09", "+09:00"), ("-09", "-09:00")],
)
def test_an_offset_has_hours_and_minutes(zone, read):
    """Nepal and Newfoundland, with a colon and without."""
    assert parse_date(f"2026-03-04T12:00:00{zone}") == f"2026-03-04T12:00:00{read}"


@pytest.mark.parametrize(
    ("days", "names"),
    [
        (0, "today 今日 本日 今天 오늘"),
        (1, "yesterday 昨日 昨天 어제"),
        (2, "一昨日 おととい 前天"),
    ],
)
def test_days_have_names(days, names):
    """In the four languages that upstreams write them in."""
    now = datetime(2026, 3, 4, 12, tzinfo=UTC)

    for name in names.split():
        assert parse_date(name, now) == (now - timedelta(days=days)).date().isoformat(), name


@pytest.mark.parametrize(
    ("iso", "units"),
    [
        ("2026-11-15T12:29:57Z", "s sec secs second seconds 秒"),
        ("2026-11-15T12:27:00Z", "m min mins minute minutes 分"),
        ("2026-11-15T09:30:00Z", "h hr hrs hour hours 時間 小时 小時 시간"),
        ("2026-11-12", "d day days 日 天 일"),
        ("2026-10-25", "w wk wks week weeks 週間 週 周 주"),
        ("2026-08-16", "mo mos month months か月 ヶ月 カ月 ケ月 箇月 个月 個月 개월"),
        ("2023-11-15", "y yr yrs year years 年 년"),
    ],
)
def test_an_age_has_a_unit(iso: str, units: str) -> None:
    """Written short or in full; without "ago" only where it is short."""
    for unit in units.split():
        ago = " ago" if unit.isascii() else "前"
        assert parse_date(f"3{unit}{ago}", NOW) == iso, unit
        alone = iso if unit.isascii() and len(unit) <= 2 else None
        assert parse_date(f"3{unit}", NOW) == alone, unit


def test_one_is_written_in_words() -> None:
    """ "An hour ago" is one hour ago; only "last" needs no "ago"."""
    for one in ("a", "an", "one", "last", "1"):
        assert parse_date(f"{one} week ago", NOW) == "2026-11-08"
        assert parse_date(f"{one} week", NOW) == ("2026-11-08" if one == "last" else None)


@pytest.mark.parametrize(("name", "number"), [("Sept.", 9), ("MÄRZ", 3), ("dez", 12), ("x", None)])
def test_a_month_is_known_by_its_name(name: str, number: int | None) -> None:
    """In the languages of western Europe, in any case, short with a dot."""
    assert month_number(name) == number

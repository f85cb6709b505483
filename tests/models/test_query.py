"""What a query may be: every bound, each broken one named."""

from __future__ import annotations

from datetime import date, datetime

import pytest

from kensaku import Query
from kensaku.errors import InvalidQuery
from kensaku.models import MAX_QUERY_CHARS
from kensaku.models.query import date_window
from kensaku.text.short import cut_at_word

TODAY = date(2026, 11, 15)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("  otters  ", "otters"),
        ("otters\nand\tbeavers\x00", "otters and beavers"),
        ("カワウソ　とは", "カワウソ　とは"),
        ("a\u2028b", "a b"),
        ("x" * MAX_QUERY_CHARS, "x" * MAX_QUERY_CHARS),
    ],
)
def test_a_text_is_one_line_without_control_characters(given, kept):
    """What people type stays as it is; what a machine slipped in does not."""
    assert Query(given).text == kept


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"text": ""}, "empty"),
        ({"text": 5}, "not int"),
        ({"text": "\ud800"}, "not valid Unicode"),
        ({"text": "x" * (MAX_QUERY_CHARS + 1)}, "2,001"),
        ({"max_results": 0}, "0"),
        ({"max_results": "five"}, "'five'"),
        ({"max_results": True}, "True"),
        ({"depth": "deep"}, "'deep'"),
        ({"topic": "sport"}, "'sport'"),
        ({"time_range": "hour"}, "'hour'"),
        ({"start_date": "31.1.2026"}, "'31.1.2026'"),
        ({"start_date": "2026-02-30"}, "'2026-02-30'"),
        ({"start_date": "2026-03-01", "end_date": "2026-02-01"}, "after"),
        ({"time_range": "day", "end_date": "2026-02-01"}, "not both"),
        ({"include_domains": "a.example"}, "include_domains"),
        ({"exclude_domains": [""]}, "''"),
        ({"exclude_domains": [None]}, "None"),
        ({"include_domains": ["a b.example"]}, "'a b.example'"),
        ({"include_domains": ["x" * 300]}, "no host name"),
        ({"country": "Atlantis"}, "'Atlantis'"),
        ({"country": 49}, "49"),
        ({"language": "japanese?"}, "'japanese?'"),
        ({"collection": "a/b"}, "'a/b'"),
        ({"include_answer": "advanced"}, "'advanced'"),
        ({"include_raw_content": 1}, "1"),
        ({"include_images": "yes"}, "'yes'"),
        ({"min_score": 1.1}, "1.1"),
        ({"min_score": True}, "True"),
        ({"include_domains": {"a.example": 1}}, "list of host names"),
        ({"include_domains": (f"{n}.example" for n in range(10**9))}, "at most 300"),
        ({"end_date": 5}, "end_date is 5"),
    ],
)
def test_a_broken_bound_is_named_in_one_sentence(options, named):
    """The value and the bound, never the query."""
    with pytest.raises(InvalidQuery) as refused:
        Query(**{"text": "secret otters", **options})

    assert named in str(refused.value)
    assert "secret" not in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("name", "given", "kept"),
    [
        ("include_domains", ["https://www.A.Example/path", "a.example"], ("a.example",)),
        ("include_domains", ["*.jp", "B\u00fccher.example"], ("*.jp", "xn--bcher-kva.example")),
        ("include_domains", None, ()),
        ("exclude_domains", {"a.example"}, ("a.example",)),
        ("country", "Japan", "jp"),
        ("country", "JP", "jp"),
        ("language", "ja-JP", "ja"),
        ("language", "PT_br", "pt"),
        ("time_range", "w", "week"),
        ("start_date", "2026-01-31", date(2026, 1, 31)),
        ("start_date", datetime(2026, 1, 31, 10), date(2026, 1, 31)),  # noqa: DTZ001
    ],
)
def test_values_are_written_in_one_way(name, given, kept):
    """So that equal queries are equal, and share their cache."""
    query = Query("otters", **{name: given})

    assert getattr(query, name) == kept
    assert hash(query)


@pytest.mark.parametrize(
    ("options", "days"),
    [
        ({}, (None, None)),
        ({"time_range": "week"}, (date(2026, 11, 8), None)),
        ({"start_date": "2026-01-01"}, (date(2026, 1, 1), None)),
        ({"end_date": "2026-01-01"}, (None, date(2026, 1, 1))),
    ],
)
def test_the_window_of_days(options, days):
    """`time_range` is counted back from today."""
    assert date_window(Query("otters", **options), TODAY) == days


@pytest.mark.parametrize(
    ("text", "limit", "cut"),
    [
        ("one two three", 100, "one two three"),
        ("one two three", 9, "one two"),
        ("one two three", 7, "one two"),
        ("カワウソの生態について", 5, "カワウソの"),
        ("ab cdefg", 4, "ab c"),  # half of the text is kept at least
        ("ab cdefg", 3, "ab"),
        ("ab cdefg", 1, "a"),
    ],
)
def test_a_text_is_cut_at_a_word(text, limit, cut):
    """Where there are words; and never to next to nothing."""
    assert cut_at_word(text, limit) == cut


@pytest.mark.parametrize(
    ("name", "given", "kept"),
    [
        ("min_score", 1, 1.0),
        ("time_range", "d", "day"),
        ("language", "jpn", "jpn"),
        ("end_date", date(2026, 1, 31), date(2026, 1, 31)),
        ("end_date", "2026-01-31T23:59:59Z", date(2026, 1, 31)),
        ("include_domains", ["x" * 63 + ".example"], ("x" * 63 + ".example",)),
        ("include_domains", [".".join(["x" * 49] * 5) + ".com"],
         (".".join(["x" * 49] * 5) + ".com",)),
        ("exclude_domains", [" .A.example. ", "ftp://b.example/c/d"], ("a.example", "b.example")),
    ],
)  # fmt: skip
def test_the_bounds_themselves_are_allowed(name, given, kept):
    """One beside them is not."""
    query = Query(**{"text": "otters", name: given})

    assert getattr(query, name) == kept
    assert type(getattr(query, name)) is type(kept)


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("language", "j"),
        ("language", "japa"),
        ("include_domains", ["x" * 64 + ".example"]),
        ("include_domains", [".".join(["x" * 49] * 5) + ".museum"]),
        ("include_domains", ["a..example"]),
        ("include_domains", ["a.*.example"]),
    ],
)
def test_one_beside_the_bound_is_refused(name, given):
    """A label has 63 characters at most, a host 253, a language two or three."""
    with pytest.raises(InvalidQuery):
        Query("otters", **{name: given})


def test_a_range_of_one_day_is_one():
    """From and to are both inside."""
    query = Query("otters", start_date="2026-02-01", end_date="2026-02-01")

    assert date_window(query, TODAY) == (date(2026, 2, 1), date(2026, 2, 1))


@pytest.mark.parametrize(
    ("time_range", "first"),
    [("day", date(2026, 11, 14)), ("month", date(2026, 10, 15)), ("year", date(2025, 11, 14))],
)
def test_a_month_has_31_days_and_a_year_366(time_range, first):
    """Rather a day too many than a page too few."""
    assert date_window(Query("otters", time_range=time_range), TODAY) == (first, None)

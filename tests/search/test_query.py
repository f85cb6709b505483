"""What a query may be: every bound, each broken one named."""

from __future__ import annotations

from datetime import date, datetime

import pytest

from kensaku import Query
from kensaku.errors import InvalidQuery
from kensaku.models import MAX_QUERY_CHARS, MAX_RESULTS
from kensaku.search.query import cut_at_word, date_window

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
        ({"text": " \n "}, "empty"),
        ({"text": "x" * (MAX_QUERY_CHARS + 1)}, "2,001"),
        ({"max_results": 0}, "0"),
        ({"max_results": -1}, "-1"),
        ({"max_results": MAX_RESULTS + 1}, "51"),
        ({"max_results": 10**9}, "1000000000"),
        ({"max_results": "five"}, "'five'"),
        ({"max_results": True}, "True"),
        ({"max_results": 5.0}, "5.0"),
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
        ("include_domains", [], ()),
        ("include_domains", None, ()),
        ("exclude_domains", {"a.example"}, ("a.example",)),
        ("country", "Japan", "jp"),
        ("country", "JP", "jp"),
        ("language", "ja-JP", "ja"),
        ("language", "PT_br", "pt"),
        ("time_range", "w", "week"),
        ("start_date", "2026-01-31", date(2026, 1, 31)),
        ("start_date", datetime(2026, 1, 31, 10), date(2026, 1, 31)),  # noqa: DTZ001
        ("max_results", 7, 7),
    ],
)
def test_values_are_written_in_one_way(name, given, kept):
    """So that equal queries are equal, and share their cache."""
    query = Query("otters", **{name: given})

    assert getattr(query, name) == kept
    assert hash(query)
    if name == "max_results":
        assert query.limit == 7


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
        ("a " + "b" * 50, 20, "a " + "b" * 18),
    ],
)
def test_a_text_is_cut_at_a_word(text, limit, cut):
    """Where there are words; and never to next to nothing."""
    assert cut_at_word(text, limit) == cut

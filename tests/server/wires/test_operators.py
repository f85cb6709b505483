"""Filters as search engines write them."""

from __future__ import annotations

import pytest

from kensaku.server.wires import exa, searxng, serper
from kensaku.server.wires.base import Asked


@pytest.mark.parametrize(
    ("text", "rest", "only", "never"),
    [
        ("otters", "otters", (), ()),
        ("otters site:a.example", "otters", ("a.example",), ()),
        ("otters -site:a.example kelp", "otters kelp", (), ("a.example",)),
        ("otters (site:a.example OR site:b.example) -SITE:c.example", "otters", ("a.example", "b.example"), ("c.example",)),
        ("a site:*.example.co_m OR b", "a OR b", ("*.example.co_m",), ()),
        ("website:a.example otters", "website:a.example otters", (), ()),
        ("site:a.example/x otters", "site:a.example/x otters", (), ()),
        ("site:a.example", "site:a.example", (), ()),  # nothing else is asked for
        ("two  blanks", "two blanks", (), ()),
    ],
)  # fmt: skip
def test_sites_are_taken_out_of_the_text(text, rest, only, never):
    """A text that is nothing but operators is left as it is."""
    query = serper.read_web(Asked({"q": text})).query

    assert (query.text, query.include_domains, query.exclude_domains) == (rest, only, never)


@pytest.mark.parametrize(
    ("tbs", "dates"),
    [
        ("", {}),
        ("qdr:d", {"time_range": "day"}),
        ("sbd:1,qdr:w", {"time_range": "week"}),
        ("qdr:m2", {"time_range": "month"}),
        ("qdr:y", {"time_range": "year"}),
        ("qdr:x", {}),
        ("qdr,x", {}),
        ("cdr:1,cd_min:01/31/2026", {"start_date": "2026-01-31"}),
        ("cdr:1,cd_max:1/31/2026", {"end_date": "2026-01-31"}),
        ("cd_min:1/2/2026,cd_max:2:3", {"start_date": "2026-01-02"}),
        (
            "cd_min:1/2/2026,cd_max:2/3/2026",
            {"start_date": "2026-01-02", "end_date": "2026-02-03"},
        ),
    ],
)
def test_googles_dates_are_read(tbs, dates):
    """What is unknown is ignored."""
    query = serper.read_web(Asked({"q": "otters", "tbs": tbs})).query
    read = {name: getattr(query, name) for name in ("time_range", "start_date", "end_date")}

    assert {name: str(value) for name, value in read.items() if value} == dates


@pytest.mark.parametrize(
    ("value", "day"),
    [
        ("2026-01-31", "2026-01-31"),
        ("2026-01-31T10:00:00Z", "2026-01-31"),
        ("2026-1-31", None),
        ("31.01.2026", None),
        ("x2026-01-31", None),
        (20260131, None),
        (None, None),
    ],
)
def test_the_day_of_a_time_is_read(value, day):
    """Clients send dates, and times."""
    body = {"query": "otters", "startPublishedDate": value}

    start = exa.read_search(Asked(body)).query.start_date

    assert (start and str(start)) == day


@pytest.mark.parametrize(
    ("value", "language", "country"),
    [
        ("ja-JP", "ja", "jp"),
        ("JA_jp", "ja", "jp"),
        ("en", "en", None),
        ("en-x", "en", None),
        ("en-latn", "en", None),
        ("all", None, None),
        ("auto", None, None),
        ("-JP", None, None),
        ("", None, None),
        ("ja-JP-x", "ja", None),
    ],
)
def test_a_locale_is_a_language_and_perhaps_a_country(value, language, country):
    """`all` and `auto` are neither."""
    asked = Asked(params={"q": "otters", "format": "json", "language": value})
    query = searxng.read_search(asked).query

    assert (query.language, query.country) == (language, country)


@pytest.mark.parametrize(
    ("value", "window"),
    [("day", "day"), ("WEEK", "week"), ("month", "month"), ("year", "year"), ("d", None),
     ("hour", None), ("", None), (None, None), (5, None)],
)  # fmt: skip
def test_a_time_range_is_one_of_four_words(value, window):
    """Anything else is no filter."""
    body = {"q": "otters", "format": "json", "time_range": value}

    assert searxng.read_search(Asked(body)).query.time_range == window

"""Filters as search engines write them."""

from __future__ import annotations

import pytest

from kensaku.server.wires import exa, searxng, serper
from kensaku.server.wires.base import Asked


@pytest.mark.parametrize(
    ("text", "rest", "only", "never"),
    [
        ("otters (site:a.example OR site:b.example) -SITE:c.example", "otters", ("a.example", "b.example"), ("c.example",)),
        ("a site:*.example.co_m OR b", "a OR b", ("*.example.co_m",), ()),
        ("website:a.example otters", "website:a.example otters", (), ()),
        ("site:a.example/x otters", "site:a.example/x otters", (), ()),
        ("site:a.example", "site:a.example", (), ()),  # nothing else is asked for
    ],
)  # fmt: skip
def test_sites_are_taken_out_of_the_text(text, rest, only, never):
    """A text that is nothing but operators is left as it is."""
    query = serper.read_web(Asked({"q": text})).query

    assert (query.text, query.include_domains, query.exclude_domains) == (rest, only, never)


@pytest.mark.parametrize(
    ("tbs", "dates"),
    [
        ("sbd:1,qdr:w", {"time_range": "week"}),
        ("qdr:m2", {"time_range": "month"}),
        ("qdr:x", {}),
        ("cd_min:1/2/2026,cd_max:2:3", {"start_date": "2026-01-02"}),
    ],
)
def test_googles_dates_are_read(tbs, dates):
    """What is unknown is ignored."""
    query = serper.read_web(Asked({"q": "otters", "tbs": tbs})).query
    read = {name: getattr(query, name) for name in ("time_range", "start_date", "end_date")}

    assert {name: str(value) for name, value in read.items() if value} == dates


def test_the_day_of_a_time_is_read():
    """Clients send dates, and times; what is neither is no filter."""
    days = {"2026-01-31T10:00:00Z": "2026-01-31", "2026-1-31": None, "x2026-01-31": None}

    for value, day in days.items():
        body = {"query": "otters", "startPublishedDate": value}
        start = exa.read_search(Asked(body)).query.start_date
        assert (start and str(start)) == day


@pytest.mark.parametrize(
    ("value", "language", "country"),
    [
        ("JA_jp", "ja", "jp"),
        ("en-x", "en", None),
        ("auto", None, None),
        ("-JP", None, None),
    ],
)
def test_a_locale_is_a_language_and_perhaps_a_country(value, language, country):
    """`all` and `auto` are neither."""
    asked = Asked(params={"q": "otters", "format": "json", "language": value})
    query = searxng.read_search(asked).query

    assert (query.language, query.country) == (language, country)


def test_a_time_range_is_one_of_four_words():
    """Anything else is no filter."""
    for value, window in (("WEEK", "week"), ("year", "year"), ("hour", None), (5, None)):
        body = {"q": "otters", "format": "json", "time_range": value}
        assert searxng.read_search(Asked(body)).query.time_range == window

"""Days, ranges, scripts and sites as they are written for upstreams: pure functions."""

from __future__ import annotations

from datetime import timedelta

import pytest

from kensaku.models import Query
from kensaku.providers._filters import days, freshness, one_site, seconds, today, written_in


@pytest.mark.parametrize(
    ("first", "last", "language"),
    [
        ("\u3041", "\u30ff", "ja"), ("\uac00", "\ud7a3", "ko"), ("\u0400", "\u04ff", "ru"),
        ("\u0370", "\u03ff", "el"), ("\u0590", "\u05ff", "he"), ("\u0600", "\u06ff", "ar"),
        ("\u0900", "\u097f", "hi"), ("\u0e00", "\u0e7f", "th"),
    ],
)  # fmt: skip
def test_a_script_gives_its_language_away_from_its_first_character_to_its_last(
    first, last, language
):
    """One character among Latin ones will do; its neighbours are of other scripts."""
    assert written_in(f"otter {first}") == language
    assert written_in(f"otter {last}") == language
    assert written_in(chr(ord(first) - 1)) != language
    assert written_in(chr(ord(last) + 1)) != language


def test_days_and_seconds_cover_whole_days():
    """From midnight to the last second before the next one, in UTC."""
    query = Query("otter", start_date="1970-01-02", end_date="1970-01-03")

    assert days(query) == ("1970-01-02", "1970-01-03")
    assert seconds(query) == ("86400", str(3 * 86_400 - 1))
    assert days(Query("otter")) == seconds(Query("otter")) == ("", "")
    assert days(Query("otter", start_date="1970-01-02")) == ("1970-01-02", "")
    assert seconds(Query("otter", end_date="1970-01-01")) == ("", "86399")


@pytest.mark.parametrize(("name", "back"), [("day", 1), ("week", 7), ("month", 31), ("year", 366)])
def test_a_range_begins_so_many_days_ago(name, back):
    """The longest month and year: what is too old is filtered afterwards."""
    first, last = days(Query("otter", time_range=name))

    assert (first, last) == ((today() - timedelta(days=back)).isoformat(), "")


def test_an_open_end_of_two_days_is_filled_in():
    """From the beginning of the web until today."""
    between, names = "{0}to{1}", {"week": "pw"}

    assert freshness(Query("otter", time_range="week"), names, between) == "pw"
    assert freshness(Query("otter"), names, between) is None
    assert (
        freshness(Query("otter", end_date="2026-01-02"), names, between) == "1990-01-01to2026-01-02"
    )
    assert freshness(Query("otter", start_date="2026-01-02"), names, between) == (
        f"2026-01-02to{today().isoformat()}"
    )


def test_one_site_alone_is_one():
    """Without the wildcard, which upstreams do not know."""
    assert one_site(Query("otter", include_domains=["*.a.example"])) == "a.example"
    assert one_site(Query("otter", include_domains=["a.example", "b.example"])) == ""
    assert one_site(Query("otter")) == ""

"""The view Usage: groups and periods of an address, and the bars of the chart."""

from __future__ import annotations

from datetime import date

import pytest

from kensaku.database.usage import UsageRow
from kensaku.server.page.usage.view import bars, failures, grouping, period


def test_an_address_chooses_one_of_the_groups_and_periods_that_the_page_offers():
    """By provider and for a month, unless it says otherwise."""
    for text in ("provider", "key", "day", "endpoint"):
        assert grouping(text) == text
    for text in ("tenant", "", "x"):
        assert grouping(text) == "provider"
    for days in (7, 30, 90):
        assert period(str(days)) == days
    for text in ("8", "", "many", "٧", "-7"):
        assert period(text) == 30


def test_what_found_nothing_has_not_failed():
    """Only what could not find out has."""
    assert failures(UsageRow("x", outcomes={"found": 4, "empty": 2, "unavailable": 3, "": 1})) == 4


def test_every_day_has_a_bar():
    """As high as its share of the busiest day, and visible when there was one request."""
    rows = [
        UsageRow("2026-02-27T00:00", 200, outcomes={"found": 150, "unavailable": 50}),
        UsageRow("2026-02-28", 1),
    ]

    drawn = bars(rows, 3, date(2026, 3, 1))

    assert [tuple(getattr(b, n) for n in b.__slots__) for b in drawn] == [
        ("2026-02-27", 200, 50, 0.0, pytest.approx(168.0), 120.0, 30.0),
        ("2026-02-28", 1, 0, 240.0, pytest.approx(168.0), 2.0, 0.0),
        ("2026-03-01", 0, 0, 480.0, pytest.approx(168.0), 0.0, 0.0),
    ]
    assert [b.height for b in bars([], 7, date(2026, 3, 1))] == [0.0] * 7

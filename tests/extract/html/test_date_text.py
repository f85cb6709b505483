"""The dates inside of a visible text."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from kensaku.extract.html.date_text import dates_in


@pytest.mark.parametrize(
    ("text", "day_first", "date"),
    [
        ("03/04/2024", False, "2024-03-04"),
        ("03/04/2024", True, "2024-04-03"),
        ("03.04.2024", False, "2024-04-03"),
        ("03-04-2024", False, "2024-03-04"),
        ("13/04/2024", False, "2024-04-13"),
        ("12/04/2024", False, "2024-12-04"),
        ("04/13/2024", True, "2024-04-13"),
        ("04/12/2024", True, "2024-12-04"),
        ("04.13.2024", False, "2024-04-13"),
    ],
)
def test_a_date_in_numbers_is_read_in_the_order_of_its_language(
    text: str, day_first: bool, date: str
) -> None:
    """Unless only one order makes a date of it, or dots stand between, as in Europe."""
    assert list(dates_in(f"On {text}.", day_first=day_first)) == [(date, 3, 13)]


def test_a_date_of_tomorrow_may_be_today_elsewhere_and_a_later_one_is_none() -> None:
    """What lies in the future is an event."""
    now = datetime.now(UTC)
    tomorrow, later = ((now + timedelta(days=n)).date().isoformat() for n in (1, 3))

    found = dates_in(f"{tomorrow} {later}", day_first=False)

    assert [date for date, _, _ in found] == [tomorrow]

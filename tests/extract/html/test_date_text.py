"""The dates inside of a visible text."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from kensaku.extract.html.date_text import dates_in


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1990-01-01", ["1990-01-01"]),
        ("1989-12-31", []),
        ("on 2024/5/3, 2024.5.4", ["2024-05-03", "2024-05-04"]),
        ("2024-5/3", []),
        ("May 3rd, 2024 and 4. Mai 2024", ["2024-05-03", "2024-05-04"]),
        ("3 de mayo de 2024", ["2024-05-03"]),
        ("2024 May 3", ["2024-05-03"]),
        ("2024年5月3日", ["2024-05-03"]),
        ("2024년 5월 3일", ["2024-05-03"]),
        ("v2024-05-03", []),
        ("2024-05-031", []),
        ("2024-13-03", []),
        ("nothing", []),
    ],
)
def test_dates_are_found_in_their_common_forms(text: str, found: list[str]) -> None:
    """Those that can be of the web."""
    assert [date for date, _, _ in dates_in(text, day_first=False)] == found


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

"""Find the dates inside a visible text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from kensaku.text.dates import parse_date

_WORD = r"[^\W\d_]{3,10}\.?"
_DATE = re.compile(
    r"(?<![\w/.-])(?:"
    r"(?P<iso>\d{4}(?P<s>[-/.])\d{1,2}(?P=s)\d{1,2})"
    rf"|(?P<words>{_WORD}\s\d{{1,2}}(?:st|nd|rd|th)?,?\s\d{{4}}"
    rf"|\d{{1,2}}(?:st|nd|rd|th|\.)?[\s-](?:de\s)?{_WORD},?[\s-](?:de\s)?\d{{4}})"
    rf"|(?P<journal>\d{{4}}\s{_WORD}\s\d{{1,2}})"
    r"|(?P<numbers>\d{1,2}(?P<n>[/.-])\d{1,2}(?P=n)\d{4})"
    r"|(?P<cjk>\d{4}\s?[年년]\s?\d{1,2}\s?[月월]\s?\d{1,2}\s?[日일])"
    r")(?!\d)"
)
_HINT = re.compile(r"(?:19|20)\d\d")
_EARLIEST = "1990-01-01"  # there was no web before


def dates_in(text: str, *, day_first: bool) -> Iterator[tuple[str, int, int]]:
    """Yield each date as ISO 8601, with where it begins and ends.

    `day_first` decides 03/04/2025. Dates that lie in the future are not those of a publication.
    """
    if not _HINT.search(text):
        return
    latest = (datetime.now(UTC) + timedelta(days=1)).date().isoformat()
    for match in _DATE.finditer(text):
        date = parse_date(_written(match, day_first))
        if date and _EARLIEST <= date <= latest:
            yield date, match.start(), match.end()


def _written(match: re.Match[str], day_first: bool) -> str:
    """Return the date in an order that `parse_date` knows."""
    if match["journal"]:
        year, month, day = match[0].split()
        return f"{day} {month} {year}"
    if not match["numbers"]:
        return match[0]
    first, second, year = re.split(r"[/.-]", match[0])
    month, day = (
        (second, first)
        if _is_day_first(int(first), int(second), match["n"], day_first)
        else (first, second)
    )
    return f"{year}-{month}-{day}"


def _is_day_first(first: int, second: int, separator: str, day_first: bool) -> bool:
    if first > 12 or second > 12:
        return first > 12
    return day_first or separator == "."

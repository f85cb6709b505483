"""Dates as numbers that can be compared: days since 1970-01-01. Pure."""

from __future__ import annotations

import functools
from datetime import date

_EPOCH = date(1970, 1, 1).toordinal()


@functools.lru_cache(maxsize=4_096)
def day_of(published: str | date | None) -> int | None:
    """Days since 1970-01-01 of an ISO date, as far as it can be read."""
    if not published:
        return None
    text = str(published)[:10]
    text = {4: f"{text}-01-01", 7: f"{text}-01"}.get(len(text), text)
    try:
        return date.fromisoformat(text).toordinal() - _EPOCH
    except ValueError:
        return None


@functools.lru_cache(maxsize=4_096)
def date_of(day: int | None) -> str | None:
    """The ISO date of a day."""
    return None if day is None else date.fromordinal(day + _EPOCH).isoformat()

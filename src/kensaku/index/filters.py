"""What may be asked of a search: bounds and filters. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from kensaku.errors import InvalidQuery
from kensaku.index.days import day_of
from kensaku.models import MAX_QUERY_CHARS

MAX_LIMIT = 1_000


def where(
    include: Sequence[str],
    exclude: Sequence[str],
    start: date | str | None,
    end: date | str | None,
    language: str | None,
) -> dict[str, Any]:
    """What a hit must be like, as plain values; a domain takes its subdomains."""
    return {
        "sites": [_site(name) for name in include],
        "not_sites": [_site(name) for name in exclude],
        "first_day": day_of(start),
        "last_day": day_of(end),
        "language": language,
    }


def _site(name: str) -> str:
    return name.lower().strip().removeprefix("*.").removeprefix("www.").strip(".")


def check(text: str, limit: int, mmr: float | None) -> None:
    """Refuse a value out of its bounds, in one sentence."""
    if not text.strip():
        raise InvalidQuery("the query is empty", remedy="say what to search for")
    if len(text) > MAX_QUERY_CHARS:
        raise InvalidQuery(f"the query has {len(text)} characters, over {MAX_QUERY_CHARS}")
    if not 1 <= limit <= MAX_LIMIT:
        raise InvalidQuery(f"limit is {limit}, and must be 1 to {MAX_LIMIT}")
    if mmr is not None and not 0 <= mmr <= 1:
        raise InvalidQuery(f"mmr is {mmr}, and must be 0 to 1")

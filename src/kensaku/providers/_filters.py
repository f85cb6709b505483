"""How a query's filters are written for upstreams: dates, sites, languages. Pure.

What an upstream can only take roughly is sent roughly; the pipeline filters the hits again.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, time
from typing import TYPE_CHECKING, Any

from kensaku.models.query import date_window

if TYPE_CHECKING:
    from kensaku.models import Query, TimeRange

_REACH: dict[TimeRange, int] = {"day": 1, "week": 7, "month": 30, "year": 365}


def drop_empty(members: Mapping[str, Any]) -> dict[str, Any]:
    """Drop empty values, so that only requested filters are sent."""
    return {name: value for name, value in members.items() if value}


def today() -> date:
    """Today's date in UTC."""
    return datetime.now(UTC).date()


def days(query: Query) -> tuple[str, str]:
    """The first and last day of the query, as 2026-01-31; "" for no bound."""
    first, last = date_window(query, today())
    return first.isoformat() if first else "", last.isoformat() if last else ""


def seconds(query: Query) -> tuple[str, str]:
    """The first and last second of the query, as Unix time; "" for no bound."""
    first, last = date_window(query, today())
    return _second(first, time.min), _second(last, time.max)


def _second(day: date | None, hour: time) -> str:
    return str(int(datetime.combine(day, hour, UTC).timestamp())) if day else ""


def time_range(query: Query) -> TimeRange | None:
    """The query's time range, or the shortest one that reaches back to its first day."""
    if query.start_date is None:
        return query.time_range
    age = (today() - query.start_date).days
    return next((name for name, reach in _REACH.items() if age <= reach), None)


def freshness(query: Query, names: Mapping[str, str], between: str) -> str | None:
    """The upstream's word for a time range, or its form for two days: "{0}to{1}"."""
    if query.time_range:
        return names[query.time_range]
    if query.start_date is None and query.end_date is None:
        return None
    first, last = days(query)
    return between.format(first or "1990-01-01", last or today().isoformat())


def tbs(query: Query) -> str | None:
    """Google's own `tbs` parameter, which resellers of its results pass on."""
    if query.time_range:
        return f"qdr:{query.time_range[0]}"
    bounds = [("cd_min", query.start_date), ("cd_max", query.end_date)]
    parts = [f"{name}:{day:%m/%d/%Y}" for name, day in bounds if day]
    return ",".join(["cdr:1", *parts]) if parts else None


def site_query(query: Query, chars: int = 2_000, words: int | None = None) -> str:
    """The text with as many `site:` operators as fit into the bounds of the upstream."""
    only = [f"site:{bare(d)}" for d in query.include_domains]
    never = [f"-site:{bare(d)}" for d in query.exclude_domains]
    while only or never:
        group = f"({' OR '.join(only)})" if len(only) > 1 else "".join(only)
        whole = " ".join(p for p in (query.text, group, *never) if p)
        if len(whole) <= chars and (words is None or len(whole.split()) <= words):
            return whole
        (never or only).pop()
    return query.text


def one_site(query: Query) -> str:
    """The only domain that is wanted; "" when there is none, or more than one."""
    return bare(query.include_domains[0]) if len(query.include_domains) == 1 else ""


def bare(domain: str) -> str:
    """A domain without a wildcard in front; upstreams include subdomains by themselves."""
    return domain.removeprefix("*.")


def written_in(text: str) -> str | None:
    """The language that the script of a text gives away; None for the Latin alphabet."""
    for first, last, language in _SCRIPTS:
        if any(first <= c <= last for c in text):
            return language
    if not any("\u4e00" <= c <= "\u9fff" for c in text):
        return None
    # Characters alone: those that Japan's old set has and China's has not are Japanese.
    return "ja" if _fits(text, "shift_jis") and not _fits(text, "gb2312") else "zh"


_SCRIPTS = (
    ("\u3041", "\u30ff", "ja"),
    ("\uac00", "\ud7a3", "ko"),
    ("\u0400", "\u04ff", "ru"),
    ("\u0370", "\u03ff", "el"),
    ("\u0590", "\u05ff", "he"),
    ("\u0600", "\u06ff", "ar"),
    ("\u0900", "\u097f", "hi"),
    ("\u0e00", "\u0e7f", "th"),
)


def _fits(text: str, encoding: str) -> bool:
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True

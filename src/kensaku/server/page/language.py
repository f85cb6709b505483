"""The language of a page, and what its texts say of dates and lists.

A cookie that the switch sets comes first, then `Accept-Language`.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime

from kensaku.locale import Translator, languages


def language_of(cookies: Mapping[str, str], headers: Mapping[str, str], asked: str) -> str:
    """Return the language that the address, the cookie or the browser asks for."""
    known = languages()
    for wanted in (asked, cookies.get("kensaku_language", "")):
        if wanted in known:
            return wanted
    ranked = []
    for part in headers.get("accept-language", "")[:500].split(","):
        name, _, weight = part.partition(";q=")
        name = name.strip().lower().partition("-")[0]
        if name in known:
            try:
                ranked.append((float(weight or 1), name))
            except ValueError:
                continue
    return max(ranked, key=lambda pair: pair[0], default=(1.0, "en"))[1]


def age_of(published: str | None, t: Translator, now: datetime | None = None) -> str:
    """Return how old a page is: "3 days ago"; "" when nobody knows."""
    try:
        day = date.fromisoformat((published or "")[:10])
    except ValueError:
        return (published or "")[:7]  # a year, or a year and a month
    days = ((now or datetime.now(UTC)).date() - day).days
    if days < 0 or days >= 365:
        return day.isoformat()
    if days == 0:
        return t("today")
    if days < 14:
        return t("{n} day ago", "{n} days ago", n=days)
    if days < 60:
        return t("{n} week ago", "{n} weeks ago", n=days // 7)
    return t("{n} month ago", "{n} months ago", n=days // 30)


def join_names(names: list[str], t: Translator) -> str:
    """Return `a, b and c`."""
    if len(names) < 2:
        return "".join(names)
    first = t(", ", context="between the names of a list").join(names[:-1])
    return t("{first} and {last}", first=first, last=names[-1])

"""Read filters as search engines write them: operators in the text, Google's `tbs`, time words.

"otters (site:a.example OR site:b.example) -site:c.example" → "otters", two hosts, one excluded
"cdr:1,cd_min:01/31/2026" → start_date 2026-01-31
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

_SITE = re.compile(r"(?<!\S)\(?(-?)site:([\w.*-]+)\)?(?:\s+OR(?=\s+\(?-?site:))?(?!\S)", re.I)
_RANGES = {"d": "day", "w": "week", "m": "month", "y": "year"}


def split_sites(text: str) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """Return the text without `site:` operators, the hosts that are wanted, and the others."""
    found = [(m[1], m[2]) for m in _SITE.finditer(text)]
    rest = " ".join(_SITE.sub(" ", text).split()) or text
    if rest == text:
        return text, (), ()
    return rest, tuple(h for no, h in found if not no), tuple(h for no, h in found if no)


def read_tbs(value: str) -> dict[str, Any]:
    """Return the dates of Google's `tbs` as fields of a query; what is unknown is ignored."""
    parts = dict(p.split(":", 1) for p in value.split(",") if ":" in p)
    if window := _RANGES.get(parts.get("qdr", "")[:1]):
        return {"time_range": window}
    days = {"start_date": american(parts.get("cd_min")), "end_date": american(parts.get("cd_max"))}
    return {name: day for name, day in days.items() if day}


def american(day: object) -> str | None:
    """`1/31/2026` as an ISO date; None for anything else."""
    try:
        return datetime.strptime(str(day), "%m/%d/%Y").date().isoformat()  # noqa: DTZ007
    except ValueError:
        return None


def iso_day(value: object) -> str | None:
    """The day of an ISO date or time; None for anything else."""
    text = value[:10] if isinstance(value, str) else ""
    return text if re.fullmatch(r"\d{4}-\d{2}-\d{2}", text) else None


def locale(value: str) -> tuple[str | None, str | None]:
    """`ja-JP` as a language and a country; neither for `all` and `auto`."""
    language, _, country = value.replace("_", "-").partition("-")
    if not re.fullmatch(r"[A-Za-z]{2}", language):
        return None, None
    region = country if re.fullmatch(r"[A-Za-z]{2}", country) else ""
    return language.lower(), region.lower() or None


def window(fields: Mapping[str, Any], name: str) -> str | None:
    """A time range in words; None for what is not one."""
    value = str(fields.get(name) or "").lower()
    return value if value in _RANGES.values() else None

"""Usage: what went through the server, by provider, key, day or endpoint."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any, get_args

from kensaku.database.keys import list_keys
from kensaku.database.usage import By, summarise
from kensaku.messages import msg
from kensaku.server.page import snippets
from kensaku.server.page.tabs import api

if TYPE_CHECKING:
    from kensaku.database.usage import UsageRow
    from kensaku.server.page.request import PageRequest
    from kensaku.server.wires.base import Asked

GROUPS = {
    "provider": msg("Provider"),
    "key": msg("Key"),
    "day": msg("Day"),
    "endpoint": msg("Endpoint"),
}
PERIODS = (7, 30, 90)
GOOD = ("found", "empty")
HEIGHT = 120


@dataclass(frozen=True, slots=True)
class Bar:
    """A day of the chart, in units of its drawing."""

    day: str
    requests: int
    failed: int
    x: float
    width: float
    height: float
    bad: float


async def show(page: PageRequest, asked: Asked) -> dict[str, Any]:
    """The values of `usage.html`."""
    by, days = grouping(page.params.get("by", "")), period(page.params.get("days", ""))
    rows = await sums(page, by, days)
    by_day = rows if by == "day" else await sums(page, "day", days)
    names = {}
    if by == "key":
        names = {k.id: k.name for k in await list_keys(page.state.database, tenant=scope(page))}
    return {
        "by": by,
        "days": days,
        "groups": GROUPS,
        "periods": PERIODS,
        "rows": [(row, names.get(row.group, ""), failures(row)) for row in rows],
        "bars": bars(by_day, days, datetime.now(UTC).date()),
        "most": max((row.requests for row in by_day), default=0),
        "totals": {
            "requests": sum(row.requests for row in by_day),
            "searches": sum(row.searches for row in by_day),
            "cached": sum(row.cached for row in by_day),
            "cost": sum(row.cost for row in by_day),
        },
        "use": snippets.for_usage(page),
    }


def scope(page: PageRequest) -> str | None:
    """Whose usage is shown: an admin sees everybody's."""
    return None if page.principal.admin else page.principal.tenant


async def sums(page: PageRequest, by: By, days: int) -> list[UsageRow]:
    """The usage that this reader may see."""
    return await summarise(page.state.database, by, days=days, tenant=scope(page))


def grouping(text: str) -> By:
    """The grouping of an address; by provider unless it is a known one."""
    known: tuple[By, ...] = get_args(By)
    return next((by for by in known if by == text and by in GROUPS), "provider")


def period(text: str) -> int:
    """The days of an address."""
    return int(text) if text.isascii() and text.isdigit() and int(text) in PERIODS else 30


def failures(row: UsageRow) -> int:
    """How many of them found out nothing because of an error."""
    return sum(count for outcome, count in row.outcomes.items() if outcome not in GOOD)


def bars(rows: list[UsageRow], days: int, today: date) -> list[Bar]:
    """One bar for each day, also for those without requests."""
    by_day = {row.group[:10]: row for row in rows}
    most = max([row.requests for row in rows], default=0) or 1
    step = 720 / days
    found = []
    for n in range(days):
        day = (today - timedelta(days=days - 1 - n)).isoformat()
        row = by_day.get(day)
        requests, failed = (row.requests, failures(row)) if row else (0, 0)
        height = max(2.0, HEIGHT * requests / most) if requests else 0.0
        found.append(
            Bar(day, requests, failed, n * step, step * 0.7, height, HEIGHT * failed / most)
        )
    return found


async def listed(page: PageRequest, asked: Asked) -> dict[str, Any]:
    """Sum up the usage of the last days, by provider, key, day or endpoint."""
    by, days = grouping(page.params.get("by", "")), period(page.params.get("days", ""))
    rows = await sums(page, by, days)
    return {"by": by, "days": days, "usage": [row.to_dict() for row in rows]}


ENDPOINTS = [api("GET", "/api/usage", listed)]

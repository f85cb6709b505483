"""Usage for programs: the sums that the view shows."""

from __future__ import annotations

from typing import Any

from kensaku.server.api.base import Call, Endpoint
from kensaku.server.page.usage import grouping, period, sums


async def listed(call: Call) -> dict[str, Any]:
    """Usage of the last days, by provider, key, day or endpoint."""
    params = call.page.params
    by, days = grouping(params.get("by", "")), period(params.get("days", ""))
    rows = await sums(call.page, by, days)
    return {"by": by, "days": days, "usage": [row.to_dict() for row in rows]}


ENDPOINTS = [Endpoint("GET", "/api/usage", listed)]

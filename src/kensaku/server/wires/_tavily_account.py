"""What else Tavily's API has: /usage and /feedback."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from kensaku.server.wires.base import Asked, Endpoint, Exchange

if TYPE_CHECKING:
    from kensaku.server.request import Request

ENDPOINTS = ("search", "extract", "crawl", "map", "research")


def account_endpoints() -> list[Endpoint]:
    """The endpoints of this file."""
    return [
        Endpoint("GET", "/usage", summary="What was used", do=usage, is_admitted=False),
        Endpoint("POST", "/feedback", write=write_feedback, do=take_feedback),
    ]


async def usage(request: Request, asked: Asked) -> dict[str, Any]:
    """What the key has used, in Tavily's words; a credit is a request here."""
    from kensaku.database.usage import summarise

    who = request.principal
    rows = await summarise(request.state.database, by="endpoint", days=31, tenant=who.tenant)
    used = dict.fromkeys(ENDPOINTS, 0)
    for row in rows:
        name = row.group.rpartition("/")[2]
        if name in used:
            used[name] += int(row.requests)
    counts = {f"{name}_usage": n for name, n in used.items()}
    key, total = who.key, sum(used.values())
    limit = key.searches_per_day * 31 if key and key.searches_per_day else None
    account = {"current_plan": "self-hosted", "plan_usage": total, "plan_limit": limit}
    paygo = {"paygo_usage": 0, "paygo_limit": None}
    return {
        "key": {"usage": total, "limit": limit} | counts,
        "account": account | paygo | counts,
    }


async def take_feedback(request: Request, asked: Asked) -> str:
    """Take an opinion. It is acknowledged, and not kept: what people think is theirs."""
    return str(uuid.uuid4())


def write_feedback(asked: Asked, id: str, exchange: Exchange) -> dict[str, Any]:
    """Acknowledge an opinion."""
    return {"success": True, "feedback_id": id, "response_time": exchange.seconds}

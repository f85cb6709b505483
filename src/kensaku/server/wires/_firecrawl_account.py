"""What else Firecrawl's API has: `/team/credit-usage`, and `/feedback`, which agents send unasked.

A credit is a search of the day.
"""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING, Any

from kensaku.server.wires.base import Asked, Endpoint

if TYPE_CHECKING:
    from kensaku.server.request import Request

UNBOUNDED = 99_999_999  # clients want a number; Firecrawl's own server has this one without a plan


def account_endpoints() -> list[Endpoint]:
    """The endpoints of this file, in both versions."""
    return [
        Endpoint("GET", "/v2/team/credit-usage", do=credit_usage, is_admitted=False),
        Endpoint("GET", "/v1/team/credit-usage", do=credit_usage_v1, is_admitted=False),
        Endpoint("POST", "/v2/search/{id}/feedback", do=take_feedback, is_admitted=False),
        Endpoint("POST", "/v2/feedback", do=take_feedback, is_admitted=False),
    ]


async def credit_usage(request: Request, asked: Asked) -> dict[str, Any]:
    """What the key may search today, and what is left of it."""
    key = request.principal.key
    plan, left = UNBOUNDED, float(UNBOUNDED)
    begin = end = None
    if key and key.searches_per_day is not None and (budget := request.state.limits.of_run(key)):
        await budget.is_spent()  # asks the store that all processes share
        plan, left = key.searches_per_day, max(0.0, budget.left()["searches"])
        midnight = datetime.combine(datetime.now(UTC), time(), UTC)
        begin, end = midnight.isoformat(), (midnight + timedelta(days=1)).isoformat()
    period = {"billingPeriodStart": begin, "billingPeriodEnd": end}
    return {"success": True, "data": {"remainingCredits": int(left), "planCredits": plan, **period}}


async def credit_usage_v1(request: Request, asked: Asked) -> dict[str, Any]:
    """The same, under the names of version 1."""
    data = (await credit_usage(request, asked))["data"]
    old = {"remaining_credits": data["remainingCredits"], "plan_credits": data["planCredits"]}
    period = {"billing_period_start": data["billingPeriodStart"]}
    period |= {"billing_period_end": data["billingPeriodEnd"]}
    return {"success": True, "data": old | period}


async def take_feedback(request: Request, asked: Asked) -> dict[str, Any]:
    """Take an opinion. It is acknowledged, and not kept: what people think is theirs."""
    return {"success": True, "feedbackId": str(uuid.uuid4()), "creditsRefunded": 0}

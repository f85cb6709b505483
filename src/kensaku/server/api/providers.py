"""Providers: what is known of each; end a cooldown."""

from __future__ import annotations

from typing import Any

from kensaku.providers import provider_class
from kensaku.server.api.base import Call, Endpoint
from kensaku.server.page.providers import describe_all


async def listed(call: Call) -> dict[str, Any]:
    """Every provider, without its keys."""
    return {"providers": await describe_all(call.page)}


async def reset(call: Call) -> dict[str, Any]:
    """End the cooldowns of a provider and close its circuit: somebody has mended the cause."""
    name = call.path["name"]
    provider_class(name)  # raises `UnknownName`
    limiter = call.client.resources.limiter(name)
    await limiter.reset()
    return {"name": name, "state": limiter.state()}


ENDPOINTS = [
    Endpoint("GET", "/api/providers", listed),
    Endpoint("POST", "/api/providers/{name}/reset", reset, admin=True),
]

"""Several routes, asked the same."""

from __future__ import annotations

from typing import Any

from kensaku.errors import InvalidQuery
from kensaku.server.api.base import Call, Endpoint
from kensaku.server.page.compare import run


async def made(call: Call) -> dict[str, Any]:
    """Compare the routes of a list."""
    routes = call.fields.get("routes")
    if not isinstance(routes, list) or not all(isinstance(r, str) for r in routes):
        raise InvalidQuery("routes must be a list of texts")
    done = await run(call.page, call.session, call.text("q"), routes)
    return done.to_dict()


ENDPOINTS = [Endpoint("POST", "/api/compare", made)]

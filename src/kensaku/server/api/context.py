"""Context for a model: the best passages of a search, under a number of tokens."""

from __future__ import annotations

from typing import Any

from kensaku.errors import InvalidQuery
from kensaku.server.api.base import Call, Endpoint
from kensaku.server.page.form import SearchForm

MAX_TOKENS = 100_000
RESULTS = 20


async def make(call: Call) -> dict[str, Any]:
    """Search with the fields of the form, and pack what was found into `max_tokens`."""
    form, most = SearchForm.read(call.fields), call.fields.get("max_tokens", 2_000)
    if not isinstance(most, int) or not 1 <= most <= MAX_TOKENS:
        raise InvalidQuery(f"max_tokens must be a number from 1 to {MAX_TOKENS:,}")
    route, mode = form.routing
    context = await call.client.context(
        form.query(RESULTS), max_tokens=most, route=route, mode=mode
    )
    said = call.page.t("{n} tokens", n=f"{context.tokens:,}")
    return {**context.to_dict(), "said": said}


ENDPOINTS = [Endpoint("POST", "/api/context", make, searches=1)]

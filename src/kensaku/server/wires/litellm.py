"""LiteLLM's search endpoint, `POST /v1/search/{tool}`: Perplexity's fields, its own envelope."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kensaku.server.wires.base import Endpoint, Exchange, Found, Search, Wire
from kensaku.server.wires.perplexity import PARAMETERS, read_search, rows


class LiteLLM(Wire):
    name = "litellm"
    label = "LiteLLM search"
    docs = "https://docs.litellm.ai/docs/search"
    at_root = True
    client = 'litellm.search(query, search_provider="perplexity", api_base="{url}/litellm")'

    def endpoints(self) -> Sequence[Endpoint]:
        return [
            Endpoint(
                "POST", path, read_search, write_search, "Search", PARAMETERS, required=("query",)
            )
            for path in ("/v1/search", "/v1/search/{tool}", "/search/{tool}", "/search")
        ]

    def error(self, status: int, message: str) -> Any:
        kind = "invalid_request_error" if status < 500 else "api_error"
        return {"error": {"message": message, "type": kind, "param": None, "code": str(status)}}


def write_search(call: Search, found: Found, exchange: Exchange) -> dict[str, Any]:
    return {"object": "search", "results": rows(found)}

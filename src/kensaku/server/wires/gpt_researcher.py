"""gpt-researcher's custom retriever: `GET …?query=…` → addresses and texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kensaku.server.auth import KEY_HEADERS, KEY_QUERY
from kensaku.server.wires import _fields as fields
from kensaku.server.wires.base import Asked, Endpoint, Exchange, Found, Search, Wire

MAX_RESULTS = 20
PARAMETERS: dict[str, Any] = {
    "query": {"type": "string", "minLength": 1, "maxLength": 2_000, "pattern": r"\S"},
    "max_results": {"type": "integer", "minimum": 1, "maximum": MAX_RESULTS},
}


class GptResearcher(Wire):
    name = "gpt-researcher"
    label = "gpt-researcher"
    docs = "https://docs.gptr.dev/docs/gpt-researcher/search-engines/retrievers"
    keys = (*KEY_HEADERS, KEY_QUERY)  # RETRIEVER_ARG_API_KEY becomes ?api_key=
    client = "RETRIEVER=custom RETRIEVER_ENDPOINT={url}/gpt-researcher"

    def endpoints(self) -> Sequence[Endpoint]:
        return [
            Endpoint(
                "GET", path, read_search, write_search, "Search", PARAMETERS, required=("query",)
            )
            for path in ("", "/")
        ]


def read_search(asked: Asked) -> Search:
    from kensaku.models import Query

    text = fields.text(asked.params, "query", most=2_000)
    most = fields.integer(asked.params, "max_results", 5, 1, MAX_RESULTS, clip=True)
    return Search(Query(text, max_results=most, include_raw_content=True), raw="markdown")


def write_search(call: Search, found: Found, exchange: Exchange) -> list[dict[str, Any]]:
    return [{"url": h.url, "raw_content": h.raw_content or h.content} for h in found.hits]

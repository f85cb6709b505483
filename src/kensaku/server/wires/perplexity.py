"""Perplexity: `POST /search`, and the assistant as `POST /chat/completions`.

LiteLLM's search is the same under another path.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kensaku.errors import InvalidQuery, KensakuError
from kensaku.server.http import data_frame, status_of
from kensaku.server.wires import _fields as fields
from kensaku.server.wires import _operators as operators
from kensaku.server.wires._chat import complete
from kensaku.server.wires._completion import PARAMETERS as CHAT
from kensaku.server.wires._completion import Chat, read_chat
from kensaku.server.wires._turns import check_assistant
from kensaku.server.wires.base import Asked, Endpoint, Exchange, Found, Search, Wire

MAX_QUERIES, MAX_RESULTS, MAX_DOMAINS = 5, 20, 20
_TEXTS = {"type": "array", "items": {"type": "string"}, "maxItems": MAX_DOMAINS}
PARAMETERS: dict[str, Any] = {
    "query": {"type": "string", "minLength": 1, "maxLength": 2_000, "pattern": r"\S"},
    "max_results": {"type": "integer", "minimum": 1, "maximum": MAX_RESULTS},
    "country": {"type": "string", "maxLength": 100},
    "search_domain_filter": _TEXTS,
    "search_language_filter": _TEXTS,
    "search_recency_filter": {"type": "string", "enum": ["day", "week", "month", "year"]},
    "search_after_date_filter": {"type": "string"},
    "search_before_date_filter": {"type": "string"},
}


class Perplexity(Wire):
    name = "perplexity"
    label = "Perplexity Search"
    docs = "https://docs.perplexity.ai/api-reference/search-post"
    client = 'Perplexity(api_key, base_url="{url}/perplexity")'

    def endpoints(self) -> Sequence[Endpoint]:
        return [
            Endpoint(
                "POST",
                "/search",
                read_search,
                write_search,
                "Search",
                PARAMETERS,
                required=("query",),
            ),
            Endpoint(
                "POST",
                "/chat/completions",
                read_conversation,
                summary="Answer the last message of a conversation, with citations",
                parameters=CHAT,
                required=("messages",),
                do=complete,
            ),
        ]

    def error(self, status: int, message: str) -> Any:
        return {"error": {"message": message, "type": "invalid_request", "code": status}}

    def last_frame(self, error: KensakuError, begun: bool) -> bytes | None:
        return data_frame(self.error(status_of(error)[0], str(error))) if begun else None


def read_conversation(asked: Asked) -> Chat:
    check_assistant(asked.body)
    return read_chat(asked.body)


def read_search(asked: Asked) -> Search:
    from kensaku.models import Query

    body = asked.body
    hosts = fields.texts(body, "search_domain_filter", MAX_DOMAINS)
    languages = fields.texts(body, "search_language_filter", MAX_DOMAINS)
    query = Query(
        _text(body),
        max_results=fields.integer(body, "max_results", 10, 1, MAX_RESULTS, clip=True),
        include_domains=[h for h in hosts if not h.startswith("-")],
        exclude_domains=[h[1:] for h in hosts if h.startswith("-")],
        country=fields.text(body, "country", most=100) or None,
        language=languages[0] if languages else None,
        time_range=operators.window(body, "search_recency_filter"),  # type: ignore[arg-type]
        start_date=operators.american(body.get("search_after_date_filter")),
        end_date=operators.american(body.get("search_before_date_filter")),
    )
    return Search(query)


def write_search(call: Search, found: Found, exchange: Exchange) -> dict[str, Any]:
    return {"id": exchange.request_id, "results": rows(found), "server_time": None}


def rows(found: Found) -> list[dict[str, Any]]:
    """The hits as Perplexity lists them."""
    return [
        {
            "title": hit.title,
            "url": hit.url,
            "snippet": hit.raw_content or hit.content,
            "date": hit.published and hit.published[:10],
            "last_updated": None,
        }
        for hit in found.hits
    ]


def _text(body: Mapping[str, Any]) -> str:
    """The question; several in a list are asked as one."""
    value = body.get("query")
    if isinstance(value, list):
        if not 0 < len(value) <= MAX_QUERIES or not all(isinstance(v, str) for v in value):
            raise InvalidQuery(f"query must be a text, or a list of 1 to {MAX_QUERIES} texts")
        return " ".join(value)
    return fields.text(body, "query", most=2_000)

"""Brave Search: `GET /res/v1/web/search` and `/res/v1/news/search`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from kensaku.server.wires import _fields as fields
from kensaku.server.wires import _operators as operators
from kensaku.server.wires.base import Asked, Endpoint, Exchange, Found, Search, Wire

if TYPE_CHECKING:
    from kensaku.models import Hit

MAX_COUNT, MAX_QUERY = 20, 400
FRESHNESS = {"pd": "day", "pw": "week", "pm": "month", "py": "year"}
_DAYS = re.compile(r"(\d{4}-\d{2}-\d{2})to(\d{4}-\d{2}-\d{2})")
PARAMETERS: dict[str, Any] = {
    "q": {"type": "string", "minLength": 1, "maxLength": MAX_QUERY, "pattern": r"\S"},
    "count": {"type": "integer", "minimum": 1, "maximum": MAX_COUNT},
    "freshness": {"type": "string"},
    "country": {"type": "string"},
    "search_lang": {"type": "string"},
}


class Brave(Wire):
    name = "brave"
    label = "Brave Search"
    docs = "https://api-dashboard.search.brave.com/app/documentation"
    at_root = True
    client = 'BraveSearchWrapper(api_key=…, base_url="{url}/res/v1/web/search")'

    def endpoints(self) -> Sequence[Endpoint]:
        web, news = "/res/v1/web/search", "/res/v1/news/search"
        return [
            Endpoint("GET", web, read_web, write_web, "Search", PARAMETERS, required=("q",)),
            Endpoint(
                "GET", news, read_news, write_news, "Search the news", PARAMETERS, required=("q",)
            ),
        ]

    def error(self, status: int, message: str) -> Any:
        code = {401: "SUBSCRIPTION_TOKEN_INVALID", 429: "RATE_LIMITED", 432: "QUOTA_LIMITED"}
        known = code.get(status, "VALIDATION" if status < 500 else "INTERNAL")
        error = {"id": "", "status": status, "code": known, "detail": message}
        return {"type": "ErrorResponse", "error": error}

    def status(self, status: int) -> int:
        return {400: 422, 432: 429}.get(status, status)


def read_web(asked: Asked) -> Search:
    return _read(asked, "general")


def read_news(asked: Asked) -> Search:
    return _read(asked, "news")


def _read(asked: Asked, topic: Any) -> Search:
    from kensaku.models import Query

    given = asked.params
    text, only, never = operators.split_sites(fields.text(given, "q", most=MAX_QUERY))
    fresh = fields.text(given, "freshness", most=40)
    between = _DAYS.fullmatch(fresh)
    language, _ = operators.locale(fields.text(given, "search_lang", most=20))
    country = fields.text(given, "country", most=20)
    query = Query(
        text,
        max_results=fields.integer(given, "count", 20, 1, MAX_COUNT),
        topic=topic,
        time_range=FRESHNESS.get(fresh),  # type: ignore[arg-type]
        start_date=between[1] if between else None,
        end_date=between[2] if between else None,
        country=None if country.upper() in ("", "ALL") else country,
        language={"jp": "ja"}.get(language or "", language),
        include_domains=only,
        exclude_domains=never,
    )
    return Search(query)


def write_web(call: Search, found: Found, exchange: Exchange) -> dict[str, Any]:
    web = {"type": "search", "results": [_row(h) for h in found.hits], "family_friendly": True}
    listed = [{"type": "web", "index": n, "all": False} for n in range(len(found.hits))]
    return {
        "type": "search",
        "query": _query(exchange),
        "mixed": {"type": "mixed", "main": listed, "top": [], "side": []},
        **({"web": web} if found.hits else {}),
    }


def write_news(call: Search, found: Found, exchange: Exchange) -> dict[str, Any]:
    rows = [_row(h) | {"type": "news_result"} for h in found.hits]
    return {"type": "news", "query": _query(exchange), "results": rows}


def _query(exchange: Exchange) -> dict[str, Any]:
    asked = exchange.asked.params.get("q", "")
    return {"original": asked, "more_results_available": False, "is_navigational": False}


def _row(hit: Hit) -> dict[str, Any]:
    parts = urlsplit(hit.url)
    host = parts.hostname or ""
    favicon = hit.favicon or (f"{parts.scheme}://{parts.netloc}/favicon.ico" if host else "")
    return {
        "type": "search_result",
        "title": hit.title,
        "url": hit.url,
        "description": hit.content,
        "extra_snippets": [],
        "is_source_local": False,
        "is_source_both": False,
        "family_friendly": True,
        "language": "en",
        **({"page_age": hit.published, "age": hit.published} if hit.published else {}),
        "profile": {"name": host, "url": hit.url, "long_name": host, "img": favicon},
        "meta_url": {
            "scheme": parts.scheme,
            "netloc": parts.netloc,
            "hostname": host,
            "favicon": favicon,
            "path": parts.path,
        },
    }

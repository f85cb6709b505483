"""Serper: `POST /search` and `/news`, Google's results in its words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from kensaku.server.wires import _fields as fields
from kensaku.server.wires import _operators as operators
from kensaku.server.wires.base import Asked, Endpoint, Exchange, Found, Search, Wire

MAX_NUM = 100
PARAMETERS: dict[str, Any] = {
    "q": {"type": "string", "minLength": 1, "maxLength": 2_000, "pattern": r"\S"},
    "num": {"type": "integer", "minimum": 1, "maximum": MAX_NUM},
    "gl": {"type": "string"},
    "hl": {"type": "string"},
    "tbs": {"type": "string"},
}


class Serper(Wire):
    name = "serper"
    label = "Serper"
    docs = "https://serper.dev/playground"
    client = "POST {url}/serper/search"

    def endpoints(self) -> Sequence[Endpoint]:
        return [
            Endpoint(method, path, read, write, about, PARAMETERS, required=("q",))
            for path, read, write, about in (
                ("/search", read_web, write_web, "Search"),
                ("/news", read_news, write_news, "Search the news"),
            )
            for method in ("POST", "GET")
        ]

    def error(self, status: int, message: str) -> Any:
        return {"message": message, "statusCode": status}

    def status(self, status: int) -> int:
        return {401: 403, 432: 400}.get(status, status)


def read_web(asked: Asked) -> Search:
    return _read(asked, "general")


def read_news(asked: Asked) -> Search:
    return _read(asked, "news")


def _read(asked: Asked, topic: Any) -> Search:
    from kensaku.models import MAX_RESULTS, Query

    given = asked.fields
    text, only, never = operators.split_sites(fields.text(given, "q", most=2_000))
    country = fields.text(given, "gl", most=20)
    language, _ = operators.locale(fields.text(given, "hl", most=20))
    query = Query(
        text,
        max_results=min(fields.integer(given, "num", 10, 1, MAX_NUM), MAX_RESULTS),
        topic=topic,
        country=country or None,
        language=language,
        include_domains=only,
        exclude_domains=never,
        **operators.read_tbs(fields.text(given, "tbs", most=200)),
    )
    return Search(query, answer=True)


def write_web(call: Search, found: Found, exchange: Exchange) -> dict[str, Any]:
    reply = _envelope(exchange, "search") | {"organic": _rows(found)}
    if found.answer:
        reply["answerBox"] = {"answer": found.answer}
    return reply


def write_news(call: Search, found: Found, exchange: Exchange) -> dict[str, Any]:
    return _envelope(exchange, "news") | {"news": _rows(found)}


def _envelope(exchange: Exchange, kind: str) -> dict[str, Any]:
    given = exchange.asked.fields
    known = {name: given[name] for name in ("q", "gl", "hl", "num", "tbs") if name in given}
    return {"searchParameters": known | {"type": kind, "engine": "kensaku"}, "credits": 1}


def _rows(found: Found) -> list[dict[str, Any]]:
    return [
        {
            "title": hit.title,
            "link": hit.url,
            "snippet": hit.content,
            "position": n,
            "source": hit.site or urlsplit(hit.url).hostname or "",
            **({"date": hit.published} if hit.published else {}),
        }
        for n, hit in enumerate(found.hits, 1)
    ]

"""SearXNG's JSON: `GET /search?q=…&format=json`, as LangChain, Open WebUI and others ask it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from kensaku.errors import InvalidQuery
from kensaku.server.wires import _fields as fields
from kensaku.server.wires import _operators as operators
from kensaku.server.wires.base import Asked, Endpoint, Exchange, Found, Search, Wire

if TYPE_CHECKING:
    from kensaku.models import Hit

PAGE = 10
MAX_PAGES = 5  # of one search
_STRING = {"type": "string"}
PARAMETERS: dict[str, Any] = {
    "q": {"type": "string", "minLength": 1, "maxLength": 2_000, "pattern": r"\S"},
    "format": {"type": "string", "enum": ["json"]},
    "categories": _STRING,
    "language": _STRING,
    "time_range": {"type": "string", "enum": ["day", "week", "month", "year"]},
    "pageno": {"type": "integer", "minimum": 1, "maximum": MAX_PAGES},
}


class SearXNG(Wire):
    name = "searxng"
    label = "SearXNG"
    docs = "https://docs.searxng.org/dev/search_api.html"
    at_root = True
    client = 'SearxSearchWrapper(searx_host="{url}/searxng")'

    def endpoints(self) -> Sequence[Endpoint]:
        return [
            Endpoint(
                method,
                path,
                read_search,
                write_search,
                "Search",
                PARAMETERS,
                required=("q", "format"),
            )
            for path in ("/search", "", "/")
            for method in ("GET", "POST")
        ]


def read_search(asked: Asked) -> Search:
    from kensaku.models import Query

    given = asked.fields
    if given.get("format") != "json":
        raise InvalidQuery("format must be json here", remedy="a browser finds the page at /")
    text, only, never = operators.split_sites(fields.text(given, "q", most=2_000))
    language, country = operators.locale(fields.text(given, "language", most=20))
    page = fields.integer(given, "pageno", 1, 1, 10**6)
    if page > MAX_PAGES:
        raise InvalidQuery(f"pageno is {page}; there are at most {MAX_PAGES} pages")
    query = Query(
        text,
        max_results=PAGE * page,
        topic="news" if "news" in fields.text(given, "categories", most=200) else "general",
        time_range=operators.window(given, "time_range"),  # type: ignore[arg-type]
        language=language,
        country=country,
        include_domains=only,
        exclude_domains=never,
    )
    return Search(query)


def write_search(call: Search, found: Found, exchange: Exchange) -> dict[str, Any]:
    given = exchange.asked.fields
    first = PAGE * (fields.integer(given, "pageno", 1, 1, 10**6) - 1)
    rows = [_row(hit, n) for n, hit in enumerate(found.hits, 1)]
    return {
        "query": given.get("q"),
        "number_of_results": len(rows),
        "results": rows[first : first + PAGE],
        "answers": [{"answer": found.answer}] if found.answer else [],
        "corrections": [],
        "infoboxes": [],
        "suggestions": [],
        "unresponsive_engines": [],
    }


def _row(hit: Hit, n: int) -> dict[str, Any]:
    parts = urlsplit(hit.url)
    engines = [s.provider for s in hit.sources] or [hit.provider]
    return {
        "url": hit.url,
        "title": hit.title,
        "content": hit.content,
        "publishedDate": hit.published,
        "engine": engines[0],
        "engines": engines,
        "positions": [n],
        "score": 1.0 if hit.score is None else hit.score,
        "category": "general",
        "template": "default.html",
        "parsed_url": [parts.scheme, parts.netloc, parts.path, "", parts.query, parts.fragment],
        "thumbnail": "",
    }

"""Firecrawl, version 2: `POST /v2/search` and `/v2/scrape`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kensaku.errors import InvalidQuery
from kensaku.server.wires import _fields as fields
from kensaku.server.wires import _operators as operators
from kensaku.server.wires.base import Asked, Endpoint, Exchange, Extract, Found, Read, Search, Wire

if TYPE_CHECKING:
    from kensaku.models import Hit, Page

MAX_LIMIT = 100
_TEXTS = {"type": "array", "items": {"type": "string"}, "maxItems": 300}
PARAMETERS: dict[str, Any] = {
    "query": {"type": "string", "minLength": 1, "maxLength": 2_000, "pattern": r"\S"},
    "limit": {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT},
    "sources": {"type": "array", "items": {"type": "string", "enum": ["web", "news"]}},
    "tbs": {"type": "string"},
    "country": {"type": "string"},
    "includeDomains": _TEXTS,
    "excludeDomains": _TEXTS,
    "scrapeOptions": {"type": "object"},
}
SCRAPE: dict[str, Any] = {
    "url": {"type": "string", "minLength": 1},
    "formats": {"type": "array"},
    "timeout": {"type": "number", "minimum": 1_000, "maximum": 60_000},
}


class NotScraped(InvalidQuery):
    """The page could not be read."""

    status = 422


class Firecrawl(Wire):
    name = "firecrawl"
    label = "Firecrawl"
    docs = "https://docs.firecrawl.dev/api-reference/endpoint/search"
    at_root = True
    client = 'Firecrawl(api_key=…, api_url="{url}/firecrawl")'

    def endpoints(self) -> Sequence[Endpoint]:
        return [
            Endpoint(
                "POST",
                "/v2/search",
                read_search,
                write_search,
                "Search",
                PARAMETERS,
                required=("query",),
            ),
            Endpoint(
                "POST",
                "/v2/scrape",
                read_scrape,
                write_scrape,
                "Read a page",
                SCRAPE,
                required=("url",),
            ),
        ]

    def error(self, status: int, message: str) -> Any:
        return {"success": False, "error": message}

    def status(self, status: int) -> int:
        return 402 if status == 432 else status


def read_search(asked: Asked) -> Search:
    from kensaku.models import MAX_RESULTS, Query

    body = asked.body
    country = fields.text(body, "country", most=100)
    options = body.get("scrapeOptions")
    raw = isinstance(options, Mapping) and "markdown" in _formats(options)
    query = Query(
        fields.text(body, "query", most=2_000),
        max_results=min(fields.integer(body, "limit", 5, 1, MAX_LIMIT), MAX_RESULTS),
        topic="news" if _sources(body) == ["news"] else "general",
        country=country or None,
        include_domains=fields.texts(body, "includeDomains", 300),
        exclude_domains=fields.texts(body, "excludeDomains", 300),
        include_raw_content=raw,
        **operators.read_tbs(fields.text(body, "tbs", most=200)),
    )
    return Search(query, raw="markdown" if raw else None)


def write_search(call: Search, found: Found, exchange: Exchange) -> dict[str, Any]:
    news = call.query.topic == "news"
    rows = [_row(hit, n, news, call.raw is not None) for n, hit in enumerate(found.hits, 1)]
    return {
        "success": True,
        "data": {"news" if news else "web": rows},
        "creditsUsed": 2 * -(-len(rows) // 10),
        "id": exchange.request_id,
    }


def read_scrape(asked: Asked) -> Extract:
    url = fields.text(asked.body, "url", most=2_000).strip()
    if not url:
        raise InvalidQuery("url is missing")
    timeout = fields.decimal(asked.body, "timeout", 30_000.0, 1_000.0, 60_000.0)
    return Extract((url,), timeout=timeout / 1_000)


def write_scrape(call: Extract, read: Read, exchange: Exchange) -> dict[str, Any]:
    if not read.pages:
        raise NotScraped(read.failed[0][1] if read.failed else "the page could not be read")
    page, content = read.pages[0]
    wanted = _formats(exchange.asked.body) or ["markdown"]
    data: dict[str, Any] = {"metadata": _metadata(page)}
    if "markdown" in wanted:
        data["markdown"] = content
    if "links" in wanted:
        data["links"] = list(page.links)
    if "summary" in wanted:
        data["summary"] = page.text[:500]
    if "images" in wanted:
        data["images"] = list(page.images)
    return {"success": True, "data": data}


def _metadata(page: Page) -> dict[str, Any]:
    known = {
        "title": page.title,
        "language": page.language,
        "publishedTime": page.published,
        "author": page.author,
        "favicon": page.favicon,
        "sourceURL": page.url,
        "url": page.canonical_url or page.url,
        "statusCode": 200,
        "contentType": page.content_type,
    }
    return {name: value for name, value in known.items() if value}


def _row(hit: Hit, n: int, news: bool, scraped: bool) -> dict[str, Any]:
    text = "snippet" if news else "description"
    row: dict[str, Any] = {"url": hit.url, "title": hit.title, text: hit.content, "position": n}
    if hit.published:
        row["date"] = hit.published
    if scraped and hit.raw_content:
        row |= {
            "markdown": hit.raw_content,
            "metadata": {"title": hit.title, "sourceURL": hit.url, "statusCode": 200},
        }
    return row


def _sources(body: Mapping[str, Any]) -> list[str]:
    """The kinds of results: words, or objects with a `type`."""
    return _words(body.get("sources"))


def _formats(body: Mapping[str, Any]) -> list[str]:
    return _words(body.get("formats"))


def _words(value: Any) -> list[str]:
    listed = value if isinstance(value, list) else []
    words = [v.get("type") if isinstance(v, Mapping) else v for v in listed]
    return [w for w in words if isinstance(w, str)]

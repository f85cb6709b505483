"""Tavily's API: /search, /extract, /crawl, /map; /research, /usage and /feedback beside this file.

Official clients need a base URL alone.

What decides compatibility: lists are always there, also empty; errors are
`{"detail": {"error": …}}`; a wrong value is 400 and never 422; unknown fields are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from email.utils import format_datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from zlib import crc32

from kensaku.errors import InvalidQuery
from kensaku.models import Query
from kensaku.server.wires import _fields as fields
from kensaku.server.wires._tavily_account import account_endpoints
from kensaku.server.wires._tavily_research import research_endpoints
from kensaku.server.wires._tavily_schema import CRAWL, EXTRACT, MAP, SEARCH
from kensaku.server.wires.base import (
    Asked,
    Crawl,
    Endpoint,
    Exchange,
    Extract,
    Format,
    Found,
    Listed,
    Map,
    Read,
    Search,
    Wire,
)
from kensaku.text.countries import country_code

if TYPE_CHECKING:
    from kensaku.fetch import Plan
    from kensaku.models import Hit

MAX_QUERY, MAX_URLS, MAX_PAGES = 400, 20, 500
EXTRAS = ("include_image_descriptions", "include_favicon", "include_usage", "auto_parameters",
          "include_published_date")  # fmt: skip
SOFT, HARD = ("prefer", "boost"), ("restrict", "filter")  # the older names are still sent
_PHRASE = re.compile(r'"([^"]+)"')


class Tavily(Wire):
    name = "tavily"
    label = "Tavily"
    docs = "https://docs.tavily.com"
    at_root = True
    client = 'TavilyClient(api_key, api_base_url="{url}")'

    def endpoints(self) -> Sequence[Endpoint]:
        return [
            *(
                Endpoint("POST", path, read, write, about, schema, required=(needed,))
                for path, read, write, about, schema, needed in (
                    ("/search", read_search, write_search, "Search", SEARCH, "query"),
                    ("/extract", read_extract, write_extract, "Read pages", EXTRACT, "urls"),
                    ("/crawl", read_crawl, write_crawl, "Read a site's pages", CRAWL, "url"),
                    ("/map", read_map, write_map, "List a site's pages", MAP, "url"),
                )
            ),
            *research_endpoints(),
            *account_endpoints(),
        ]

    def error(self, status: int, message: str) -> Any:
        return {"detail": {"error": message}}


# --- search


def read_search(asked: Asked) -> Search:
    body = asked.body
    text = fields.text(body, "query", most=10**6)
    if not text.strip():
        raise InvalidQuery("Query is missing.")
    if len(text) > MAX_QUERY:
        raise InvalidQuery("Query is too long. Max query length is 400 characters.")
    most = fields.value(body, SEARCH, "max_results", 5)
    topic = fields.value(body, SEARCH, "topic", "general")
    raw = format_of(body, "include_raw_content")
    fields.value(body, EXTRACT, "chunks_per_source", 3)
    fields.value(body, SEARCH, "safe_search")
    _extras(body)
    mode = fields.choice(body, "include_domains_mode", "restrict", (*HARD, *SOFT))
    wanted = fields.value(body, SEARCH, "include_domains")
    query = Query(
        text,
        max_results=max(1, most),
        depth=fields.value(body, SEARCH, "search_depth", "basic"),
        topic=topic,
        include_domains=() if mode in SOFT else wanted,
        exclude_domains=fields.value(body, SEARCH, "exclude_domains"),
        country=_country(body, topic),
        language=fields.value(body, SEARCH, "language") or None,
        include_answer=_answer(body),
        include_raw_content=raw is not None,
        **_dates(body, topic),
    )
    return Search(
        query,
        answer=query.include_answer,
        raw=raw,
        images=fields.switch(body, "include_images"),
        prefer_domains=wanted if mode in SOFT else (),
        phrases=tuple(_PHRASE.findall(text)) if fields.switch(body, "exact_match") else (),
        dated=fields.switch(body, "filter_by_published_date"),
        most=most,
    )


def write_search(call: Search, found: Found, exchange: Exchange) -> dict[str, Any]:
    query, extras = call.query, _extras(exchange.asked.body)
    described = "include_image_descriptions" in extras
    reply: dict[str, Any] = {
        "query": query.text,
        "follow_up_questions": None,
        "answer": found.answer if call.answer else None,
        "images": [image_of(*i, described=described) for i in found.images],
        "results": [
            _result(hit, score, f"{_short_id(hit.url)}-{n:02}", call, found, extras)
            for n, (hit, score) in enumerate(zip(found.hits, scores(found.hits), strict=True), 1)
        ],
        "response_time": exchange.seconds,
        "request_id": exchange.request_id,
    }
    if "auto_parameters" in extras:
        reply["auto_parameters"] = {"topic": query.topic, "search_depth": query.depth}
    if "include_usage" in extras:
        reply["usage"] = {"credits": 2 if query.depth == "advanced" else 1}
    return reply


def _short_id(url: str) -> str:
    return f"{crc32(url.encode('utf-8', 'replace')) & 0xFFFFFF:06x}"


def _extras(body: Mapping[str, Any]) -> set[str]:
    """The switches that change what is written alone."""
    return {name for name in EXTRAS if name in body and fields.switch(body, name)}


def _result(
    hit: Hit, score: float, id: str, call: Search, found: Found, extras: Container[str]
) -> dict[str, Any]:
    result: dict[str, Any] = {
        "title": hit.title,
        "url": hit.url,
        "content": hit.content,
        "score": score,
        "raw_content": hit.raw_content if call.raw else None,
        "id": id,
    }
    dated = call.query.topic == "news" or "include_published_date" in extras
    if dated and (published := rfc1123(hit.published)):
        result["published_date"] = published
    if "include_favicon" in extras:
        result["favicon"] = hit.favicon or favicon_of(hit.url)
    if call.images:
        described = "include_image_descriptions" in extras
        of_page = found.page_images.get(hit.url, ())
        result["images"] = [image_of(i, hit.title, described=described) for i in of_page]
    return result


def scores(hits: Sequence[Hit]) -> list[float]:
    """A score for every hit, never rising: clients sort by it. An upstream may have given none."""
    found: list[float] = []
    for n, hit in enumerate(hits):
        own = hit.score if hit.score is not None else 0.95 - 0.04 * min(n, 20)
        found.append(round(min(own, found[-1]) if found else own, 6))
    return found


def image_of(url: str, about: str, *, described: bool) -> Any:
    """An image as its address, or with what it belongs to."""
    return {"url": url, "description": about} if described else url


def favicon_of(url: str) -> str:
    """Where browsers look for the icon of a site."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}/favicon.ico" if parts.netloc else ""


def rfc1123(published: str | None) -> str | None:
    """An ISO date as the API writes dates."""
    if not published:
        return None
    try:
        at = datetime.fromisoformat(published)
    except ValueError:
        return None
    return format_datetime(at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC), usegmt=True)


def _dates(body: Mapping[str, Any], topic: str) -> dict[str, Any]:
    window = fields.value(body, SEARCH, "time_range")
    start = fields.text(body, "start_date", most=40) or None
    end = fields.text(body, "end_date", most=40) or None
    days = fields.integer(body, "days", 0, 0, 36_500)
    if days and topic == "news" and not (window or start or end):  # of before there were ranges
        start = (datetime.now(UTC).date() - timedelta(days=days)).isoformat()
    for name, value in (("start_date", start), ("end_date", end)):
        try:
            date.fromisoformat(value or "2000-01-01")
        except ValueError:
            raise InvalidQuery(f"Invalid {name}. Must be in the format YYYY-MM-DD.") from None
    return {"time_range": window, "start_date": start, "end_date": end}


def _country(body: Mapping[str, Any], topic: str) -> str | None:
    """A country's name, as the API wants it, or its two letters, as models send it."""
    name = fields.value(body, SEARCH, "country").strip()
    if not name or topic != "general":
        return None
    code = country_code(name)
    if code is None:
        raise InvalidQuery("Invalid country. Must be a valid country name.")
    return code


def _answer(body: Mapping[str, Any]) -> bool:
    return body.get("include_answer") in ("basic", "advanced") or fields.switch(
        {"include_answer": body.get("include_answer")}, "include_answer"
    )


def format_of(body: Mapping[str, Any], name: str) -> Format | None:
    """`true` is Markdown; the words name a format."""
    value = body.get(name)
    if value == "markdown" or value == "text":
        return value  # type: ignore[no-any-return]
    return "markdown" if fields.switch(body, name) else None


# --- extract, crawl, map


def read_extract(asked: Asked) -> Extract:
    body = asked.body
    urls = body.get("urls")
    urls = (urls,) if isinstance(urls, str) else fields.texts(body, "urls", 10_000)
    if not urls or not all(u.strip() for u in urls):
        raise InvalidQuery("No URLs were given.")
    if len(urls) > MAX_URLS:
        raise InvalidQuery("Max 20 URLs are allowed.")
    depth = fields.value(body, EXTRACT, "extract_depth", "basic")
    for name in ("include_images", "include_favicon", "include_usage"):
        fields.value(body, EXTRACT, name)
    return Extract(
        urls,
        query=fields.value(body, EXTRACT, "query").strip() or None,
        chunks=fields.value(body, EXTRACT, "chunks_per_source", 3),
        format=fields.value(body, EXTRACT, "format", "markdown"),
        timeout=fields.value(body, EXTRACT, "timeout", 10.0 if depth == "basic" else 30.0),
        depth=depth,
    )


def write_extract(call: Extract, read: Read, exchange: Exchange) -> dict[str, Any]:
    reply = {
        "results": _pages(read, exchange.asked),
        "failed_results": [{"url": url, "error": why} for url, why in read.failed],
        "response_time": exchange.seconds,
        "request_id": exchange.request_id,
    }
    per_five = 2 if call.depth == "advanced" else 1
    return _with_usage(reply, exchange.asked, -(-len(read.pages) // 5) * per_five)


def read_crawl(asked: Asked) -> Crawl:
    body = asked.body
    plan = _plan(body)
    for name in ("include_images", "include_favicon", "include_usage"):
        fields.value(body, CRAWL, name)
    chunks = fields.value(body, CRAWL, "chunks_per_source", 3)
    return Crawl(
        plan,
        format=fields.value(body, CRAWL, "format", "markdown"),
        chunks=chunks if plan.instructions else None,
        depth=fields.value(body, CRAWL, "extract_depth", "basic"),
    )


def write_crawl(call: Crawl, read: Read, exchange: Exchange) -> dict[str, Any]:
    reply = {
        "base_url": read.base_url,
        "results": _pages(read, exchange.asked),
        "response_time": exchange.seconds,
        "request_id": exchange.request_id,
    }
    pages = len(read.pages)
    extracting = -(-pages // 5) * (2 if call.depth == "advanced" else 1)
    return _with_usage(reply, exchange.asked, _mapping(call.plan, pages) + extracting)


def read_map(asked: Asked) -> Map:
    fields.switch(asked.body, "include_usage")
    return Map(_plan(asked.body))


def write_map(call: Map, listed: Listed, exchange: Exchange) -> dict[str, Any]:
    reply = {
        "base_url": listed.base_url,
        "results": list(listed.urls),
        "response_time": exchange.seconds,
        "request_id": exchange.request_id,
    }
    return _with_usage(reply, exchange.asked, _mapping(call.plan, len(listed.urls)))


def _pages(read: Read, asked: Asked) -> list[dict[str, Any]]:
    images = fields.switch(asked.body, "include_images")
    favicon = fields.switch(asked.body, "include_favicon")
    found = []
    for page, content in read.pages:
        row: dict[str, Any] = {"url": page.url, "title": page.title or None, "raw_content": content}
        row["images"] = list(page.images) if images else []
        if favicon:
            row["favicon"] = page.favicon or favicon_of(page.url)
        found.append(row)
    return found


def _plan(body: Mapping[str, Any]) -> Plan:
    from kensaku.fetch import Plan

    url = fields.value(body, MAP, "url").strip()
    if not url:
        raise InvalidQuery("No URL was given.")
    plan = Plan(
        url,
        instructions=fields.value(body, MAP, "instructions").strip() or None,
        max_depth=fields.value(body, MAP, "max_depth", 1),
        max_breadth=fields.value(body, MAP, "max_breadth", 20),
        limit=min(fields.value(body, MAP, "limit", 50), MAX_PAGES),
        allow_external=fields.value(body, MAP, "allow_external", True),
        timeout=fields.value(body, MAP, "timeout", 150.0),
        select_paths=_patterns(body, "select_paths"),
        exclude_paths=_patterns(body, "exclude_paths"),
        select_domains=_patterns(body, "select_domains"),
        exclude_domains=_patterns(body, "exclude_domains"),
    )
    plan.scope  # noqa: B018 - raises for a pattern that cannot be compiled
    return plan


def _patterns(body: Mapping[str, Any], name: str) -> list[str] | None:
    value = body.get(name)
    one = {name: [value]} if isinstance(value, str) else body  # a comma is part of a pattern
    return list(fields.value(one, MAP, name)) or None


def _mapping(plan: Plan, pages: int) -> int:
    return -(-pages // 10) * (2 if plan.instructions else 1)


def _with_usage(reply: dict[str, Any], asked: Asked, credits: int) -> dict[str, Any]:
    if fields.switch(asked.body, "include_usage"):
        reply["usage"] = {"credits": credits}
    return reply

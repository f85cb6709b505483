"""Firecrawl's search, scrape and map, in both versions of its API. Pure.

formats: ["markdown", {"type": "json", "schema": …}]   version 2
formats: ["markdown", "json"], jsonOptions: {…}        version 1
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from kensaku.errors import InvalidQuery
from kensaku.server.wires import _fields as fields
from kensaku.server.wires import _operators as operators
from kensaku.server.wires.base import Asked, Exchange, Found, Listed, Map, Scrape, Search

if TYPE_CHECKING:
    from kensaku.answers.scrape import Wanted
    from kensaku.fetch import Plan
    from kensaku.fetch.browser.screenshot import Screenshot
    from kensaku.models import Hit

MAX_LIMIT, MAX_LINKS, LINKS = 100, 10_000, 100
MAX_FORMATS = 20
FULL_PAGE = "screenshot@fullPage"
NAMES = {"extract": "json", FULL_PAGE: "screenshot"}  # of version 1
SECONDS = 30.0  # of a page, unless the request says
MOST_SECONDS = 60.0  # more is cut to this: Open WebUI asks for two minutes
_TEXTS = {"type": "array", "items": {"type": "string"}, "maxItems": 300}
SEARCH: dict[str, Any] = {
    "query": {"type": "string", "minLength": 1, "maxLength": 2_000, "pattern": r"\S"},
    "limit": {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT},
    "sources": {"type": "array", "items": {"type": "string", "enum": ["web", "news"]}},
    "tbs": {"type": "string"},
    "country": {"type": "string"},
    "includeDomains": _TEXTS,
    "excludeDomains": _TEXTS,
    "scrapeOptions": {"type": "object"},
}
URL: dict[str, Any] = {"type": "string", "minLength": 1}
SCRAPE: dict[str, Any] = {
    "url": URL,
    "formats": {"type": "array"},
    "timeout": {"type": "number", "minimum": 0},
}
MAP: dict[str, Any] = {
    "url": URL,
    "search": {"type": "string", "maxLength": 2_000},
    "limit": {"type": "integer", "minimum": 1},
    "includeSubdomains": {"type": "boolean"},
    "sitemap": {"type": "string", "enum": ["include", "skip", "only"]},
}


# --- reading


def read_search(asked: Asked) -> Search:
    from kensaku.models import MAX_RESULTS, Query

    body = asked.body
    country = fields.text(body, "country", most=100)
    wanted = wanted_of(body.get("scrapeOptions"))
    raw = wanted is not None and wanted.formats == ("markdown",)  # which a search can bring along
    query = Query(
        fields.text(body, "query", most=2_000),
        max_results=min(fields.integer(body, "limit", 5, 1, MAX_LIMIT), MAX_RESULTS),
        topic="news" if words(body.get("sources")) == ["news"] else "general",
        country=country or None,
        include_domains=fields.texts(body, "includeDomains", 300),
        exclude_domains=fields.texts(body, "excludeDomains", 300),
        include_raw_content=raw,
        **operators.read_tbs(fields.text(body, "tbs", most=200)),
    )
    return Search(query, raw="markdown" if raw else None, wanted=None if raw else wanted)


def read_scrape(asked: Asked) -> Scrape:
    from kensaku.answers.scrape import Wanted

    return Scrape(url_of(asked.body), wanted_of(asked.body) or Wanted(), seconds_of(asked.body))


def read_map(asked: Asked) -> Map:
    return Map(plan_of(asked.body))


def url_of(body: Mapping[str, Any]) -> str:
    url = fields.text(body, "url", most=2_000).strip()
    if not url:
        raise InvalidQuery("url is missing")
    return url


def seconds_of(body: Mapping[str, Any]) -> float:
    """Return the timeout in seconds: milliseconds, cut to what a page may take."""
    timeout = fields.decimal(body, "timeout", SECONDS * 1_000, 0.0, 1e12)
    return min(max(timeout / 1_000, 1.0), MOST_SECONDS)


def wanted_of(options: Any) -> Wanted | None:
    """Return the formats of a request, or of its `scrapeOptions`; None when it names none."""
    from kensaku.answers.scrape import Wanted

    if not isinstance(options, Mapping):
        return None
    if options.get("actions"):  # ignored, the page would be another one
        raise InvalidQuery("actions are not supported here", remedy="leave actions out")
    formats = options.get("formats")
    listed = [formats] if isinstance(formats, str | Mapping) else formats or []
    if not isinstance(listed, list) or len(listed) > MAX_FORMATS:
        raise InvalidQuery(f"formats must be a list of at most {MAX_FORMATS} formats")
    named, picture = list[str](), _picture("", {})
    given: Any = options.get("jsonOptions") or options.get("extract")
    for entry in listed:
        name = entry.get("type") if isinstance(entry, Mapping) else entry
        if not isinstance(name, str):
            raise InvalidQuery("formats holds an entry that names no format")
        named.append(NAMES.get(name, name))
        if isinstance(entry, Mapping) and name == "json":
            given = entry
        if named[-1] == "screenshot":
            picture = _picture(name, entry)
    if not named:
        return None
    given = given if isinstance(given, Mapping) and "json" in named else {}
    schema = given.get("schema") or None
    if schema is not None and not isinstance(schema, Mapping):
        raise InvalidQuery("the schema must be an object")
    return Wanted(tuple(dict.fromkeys(named)), schema, prompt_of(given), picture)


def _picture(name: str, entry: Any) -> Screenshot:
    """Return what a screenshot shows: `screenshot@fullPage` of version 1, an object of 2."""
    from kensaku.fetch.browser.screenshot import HEIGHTS, QUALITIES, WIDTHS, Screenshot

    given = entry if isinstance(entry, Mapping) else {}
    whole = name == FULL_PAGE or fields.switch(given, "fullPage")
    options: dict[str, Any] = {"full_page": whole}
    if given.get("quality") is not None:
        options["quality"] = fields.integer(given, "quality", 80, *QUALITIES, clip=True)
    if isinstance(viewport := given.get("viewport"), Mapping):
        for side, bounds in (("width", WIDTHS), ("height", HEIGHTS)):
            options[side] = fields.integer(viewport, side, 1_280, *bounds, clip=True)
    return Screenshot(**options)


def prompt_of(given: Mapping[str, Any]) -> str:
    """Return what the model is told: the prompt, after the rules of the caller's own."""
    parts = (fields.text(given, name, most=10_000) for name in ("systemPrompt", "prompt"))
    return "\n".join(part for part in parts if part.strip())


def plan_of(body: Mapping[str, Any], **more: Any) -> Plan:
    """Return the plan of a map; `more` are the fields of a crawl."""
    from kensaku.fetch import Plan

    url = url_of(body)
    options: dict[str, Any] = {
        "instructions": fields.text(body, "search", most=2_000).strip() or None,
        "limit": fields.integer(body, "limit", LINKS, 1, MAX_LINKS, clip=True),
        "max_breadth": 500,
        "allow_external": False,
        "sitemap": sitemap_of(body),
        "timeout": MOST_SECONDS,
    }
    if body.get("includeSubdomains") is False:
        options["select_domains"] = [same_host(url)]
    plan = Plan(url, **options | more)
    plan.scope  # noqa: B018 - raises for a pattern that cannot be compiled
    return plan


def sitemap_of(body: Mapping[str, Any]) -> Any:
    """Return whether the sitemap counts: `sitemap` of version 2, two switches of version 1."""
    if fields.switch(body, "sitemapOnly"):
        return "only"
    skip = "skip" if fields.switch(body, "ignoreSitemap") else "include"
    word = fields.choice(body, "sitemap", skip, ("include", "skip", "only"))
    return "only" if word == "only" else word == "include"


def same_host(url: str) -> str:
    """Return a pattern for the host of a URL alone."""
    host = urlsplit(url if "://" in url else f"https://{url}").hostname or ""
    return rf"^(www\.)?{re.escape(host.removeprefix('www.'))}$"


def words(value: Any) -> list[str]:
    """Return a list of words, or of objects with a `type`."""
    listed = value if isinstance(value, list) else []
    named = [v.get("type") if isinstance(v, Mapping) else v for v in listed]
    return [w for w in named if isinstance(w, str)]


# --- writing


def write_search(call: Search, found: Found, exchange: Exchange) -> dict[str, Any]:
    news = call.query.topic == "news"
    rows = [_row(hit, n, news, call, found) for n, hit in enumerate(found.hits, 1)]
    return {
        "success": True,
        "data": {"news" if news else "web": rows},
        "creditsUsed": 2 * -(-len(rows) // 10),
        "id": exchange.request_id,
    }


def write_search_v1(call: Search, found: Found, exchange: Exchange) -> dict[str, Any]:
    rows = [_row(hit, n, False, call, found) for n, hit in enumerate(found.hits, 1)]
    return {"success": True, "data": rows}


def write_scrape(call: Scrape, document: Mapping[str, Any], exchange: Exchange) -> dict[str, Any]:
    return {"success": True, "data": written(document, exchange.asked.body)}


def write_map(call: Map, listed: Listed, exchange: Exchange) -> dict[str, Any]:
    titles = listed.titles
    links = [{"url": u, "title": titles[u]} if titles.get(u) else {"url": u} for u in listed.urls]
    return {"success": True, "links": links, "id": exchange.request_id}


def write_map_v1(call: Map, listed: Listed, exchange: Exchange) -> dict[str, Any]:
    return {"success": True, "links": list(listed.urls)}


def written(document: Mapping[str, Any], options: Any = None) -> dict[str, Any]:
    """Return a document as Firecrawl writes it; `options` as they were asked for."""
    made = {name: value for name, value in document.items() if name != "page"}
    formats = options.get("formats") if isinstance(options, Mapping) else None
    if "json" in made and "extract" in words(formats):  # the older name of version 1
        made["extract"] = made.pop("json")
    return {**made, "metadata": _metadata(document["page"])}


def _metadata(page: Mapping[str, Any]) -> dict[str, Any]:
    known = {
        "title": page["title"],
        "language": page["language"],
        "publishedTime": page["published"],
        "author": page["author"],
        "favicon": page["favicon"],
        "sourceURL": page["url"],
        "url": page.get("final_url") or page["url"],
        "statusCode": page["status"],
        "contentType": page["content_type"],
        "warning": page.get("copy_note"),
        "scrapeId": page.get("id"),
        "proxyUsed": "basic",
        "creditsUsed": 1,
    }
    return {name: value for name, value in known.items() if value}


def _row(hit: Hit, n: int, news: bool, call: Search, found: Found) -> dict[str, Any]:
    text = "snippet" if news else "description"
    row: dict[str, Any] = {"url": hit.url, "title": hit.title, text: hit.content, "position": n}
    row.setdefault("snippet", hit.content)
    if hit.published:
        row["date"] = hit.published
    metadata = {"title": hit.title, "sourceURL": hit.url}
    document = found.documents.get(hit.url) if call.wanted else None
    if call.raw and hit.raw_content:
        row |= {"markdown": hit.raw_content, "metadata": {**metadata, "statusCode": 200}}
    elif document and "page" in document:
        row |= written(document)
    elif document:
        row["metadata"] = {**metadata, "error": document["error"]}
    elif call.raw:
        row["metadata"] = {**metadata, "error": "the page could not be read"}
    return row

"""Requests with several parameters, and results with gaps: `make golden` writes what wires
make of them.

`exchanges.py` has every parameter by itself. Read the difference before you commit it.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

from kensaku.errors import KensakuError
from kensaku.models import Hit, Page, Source
from kensaku.server.wires.base import Asked, Endpoint, Exchange, Found, Listed, Read, Text
from tests.server.wires.exchanges import DOCUMENT, as_dict
from tests.server.wires.performed import KINDS, WIRES, performed

FILE = Path(__file__).with_name("combinations.json")
STATUSES = (400, 401, 403, 404, 413, 429, 432, 499, 500, 503)
Q = {"query": "otters"}
URL = {"url": "https://a.example/"}
JSON = {"accept": "text/html, application/json"}
# Endpoint → requests: a body, or all that `Asked` has.
REQUESTS: dict[str, dict[str, list[Any]]] = {
    "tavily": {
        "POST /search": [
            {}, {"query": " \n"}, {"query": 5}, {"query": "x" * 401},
            {"query": '"sea otter" and "kelp" "', "exact_match": True},
            Q | {"include_domains": ["a.example"], "include_domains_mode": "prefer"},
            Q | {"include_domains": "a.example, b.example,", "include_domains_mode": "boost"},
            Q | {"include_domains": ["a.example"], "include_domains_mode": "filter"},
            Q | {"include_domains": ["a.example", 5]}, Q | {"include_domains": {}},
            Q | {"topic": "news", "country": "Japan", "include_image_descriptions": True},
            Q | {"country": " Japan ", "language": "", "time_range": ""},
            Q | {"country": "Atlantis"}, Q | {"country": " "},
            Q | {"include_answer": "no"}, Q | {"include_answer": "true"},
            Q | {"include_raw_content": "maybe"}, Q | {"include_raw_content": "text"},
            Q | {"include_images": True, "include_image_descriptions": True, "max_results": None},
            Q | {"include_images": True, "include_favicon": "1", "include_published_date": True},
            Q | {"chunks_per_source": 0}, Q | {"chunks_per_source": 5}, Q | {"chunks_per_source": 6},
            Q | {"safe_search": "x"}, Q | {"auto_parameters": "x"}, Q | {"include_usage": 2},
            Q | {"search_depth": "advanced", "include_usage": True, "auto_parameters": "true"},
            Q | {"days": 0, "topic": "news"}, Q | {"days": 36_501}, Q | {"days": 5},
            Q | {"days": 5, "topic": "news", "time_range": "d"},
            Q | {"days": 5, "topic": "news", "start_date": "2026-01-31"},
            Q | {"days": 5, "topic": "news", "end_date": "2026-01-31"},
            Q | {"start_date": "2026-02-30"}, Q | {"end_date": "2026-1-1"}, Q | {"end_date": "x" * 41},
        ],
        "POST /extract": [
            {}, {"urls": ""}, {"urls": ["https://a.example/", " "]}, {"urls": "https://a.example/,x"},
            {"urls": ["https://a.example/"] * 21}, {"urls": 5},
            {"urls": "https://a.example/", "extract_depth": "advanced", "include_usage": True},
            {"urls": "https://a.example/", "extract_depth": "advanced", "timeout": 12.5},
            {"urls": "https://a.example/", "query": " swim ", "chunks_per_source": 5, "format": "text"},
            {"urls": "https://a.example/", "query": " ", "include_images": True, "include_usage": 1},
            {"urls": "https://a.example/", "include_favicon": True, "timeout": ""},
            *({"urls": "https://a.example/", n: "x"} for n in ("include_images", "include_favicon", "include_usage")),
        ],
        "POST /crawl": [
            {}, {"url": "  "}, URL | {"instructions": " swim ", "include_usage": True},
            URL | {"instructions": " ", "extract_depth": "advanced", "include_usage": True},
            URL | {"instructions": "swim", "chunks_per_source": 2, "include_images": True, "include_favicon": True},
            URL | {"select_paths": "/a,b", "exclude_paths": [], "limit": 501, "allow_external": False},
            URL | {"select_domains": ["(", "x"]}, URL | {"max_depth": 6}, URL | {"limit": 10**9 + 1},
            *(URL | {"max_breadth": n} for n in (0, 501)), *(URL | {"timeout": n} for n in (9, 151)), URL | {"max_depth": 0},
            *(URL | {n: "x"} for n in ("include_images", "include_favicon", "include_usage")),
        ],
        "POST /map": [{}, URL | {"include_usage": "x"}, URL | {"include_usage": True, "instructions": "swim"},
                      URL | {"include_usage": True}],
    },
    "searxng": {
        "GET /search": [
            {"q": "otters"}, {"q": "otters", "format": "html"},
            {"q": "site:a.example otters -site:b.example", "format": "json", "categories": "images,news"},
            {"q": "otters", "format": "json", "pageno": "2", "language": "ja-JP", "time_range": "WEEK"},
            {"q": "otters", "format": "json", "pageno": "5"}, {"q": "otters", "format": "json", "pageno": "6"},
            {"q": "otters", "format": "json", "pageno": "1000001"}, {"q": "otters", "format": "json", "pageno": "0"},
            {"q": "otters", "format": "json", "language": "x" * 21}, {"q": "otters", "format": "json", "categories": "x" * 201},
        ],
        "POST /search": [{"q": "otters", "format": "json"}],
    },
    "litellm": {"POST /v1/search/{tool}": [Q], "POST /search": [Q | {"max_results": 100}]},
    "perplexity": {
        "POST /search": [
            {"query": ["otters", "kelp"]}, {"query": []}, {"query": ["a"] * 5}, {"query": ["a"] * 6}, {"query": ["a", 1]},
            Q | {"search_domain_filter": ["a.example", "-b.example"], "search_language_filter": ["ja", "en"]},
            Q | {"search_after_date_filter": "1/2/2026", "search_before_date_filter": "2026-02-03", "max_results": 0},
            Q | {"country": "", "search_recency_filter": "Month"}, Q | {"country": "x" * 101}, {"query": "x" * 2_001},
        ],
    },
    "firecrawl": {
        "POST /v2/search": [
            Q | {"sources": ["news"]}, Q | {"sources": [{"type": "news"}]}, Q | {"sources": ["web", "news"]}, Q | {"sources": "news"},
            Q | {"scrapeOptions": {"formats": ["markdown"]}, "limit": 100}, Q | {"scrapeOptions": {"formats": ["links", 5]}},
            Q | {"scrapeOptions": {"formats": [{"type": "markdown"}]}, "sources": ["news"]}, Q | {"scrapeOptions": "markdown"},
            Q | {"tbs": "qdr:w", "country": ""}, Q | {"tbs": "x" * 201}, Q | {"country": "x" * 101}, {"query": "x" * 2_001},
        ],
        "POST /v2/scrape": [
            {}, {"url": " "}, {"url": " https://a.example/ "}, URL | {"formats": ["links", "summary"]},
            URL | {"formats": [{"type": "images"}, "markdown"], "timeout": 2_500}, URL | {"formats": ["html"]}, {"url": "x" * 2_001},
            URL | {"timeout": 120_000}, URL | {"formats": "markdown"}, URL | {"formats": ["branding"]}, URL | {"formats": [5]},
            URL | {"formats": [{"type": "json", "schema": {"type": "object", "properties": {"a": {"type": ["integer", "null"]}}}}]},
        ],
        "POST /v1/search": [Q, Q | {"scrapeOptions": {"formats": ["links"]}}],
        "POST /v1/scrape": [URL | {"formats": ["extract"], "extract": {"prompt": "a?", "systemPrompt": "Short."}}, URL | {"formats": ["json"]}],
        "POST /v2/map": [URL, URL | {"sitemap": "only", "limit": 20_000}, URL | {"sitemap": "x"}, URL | {"search": " a ", "includeSubdomains": False}],
        "POST /v1/map": [URL | {"ignoreSitemap": True}, URL | {"sitemapOnly": True}, {}],
    },
    "brave": {
        "GET /res/v1/web/search": [
            {"q": "otters site:a.example", "freshness": "pw", "country": "ALL", "search_lang": "jp"},
            {"q": "otters -site:a.example", "freshness": "2026-01-01to2026-02-01", "country": "us", "search_lang": "en-gb"},
            {"q": "otters", "freshness": "2026-01-01to2026-02-01x", "country": "all"}, {"q": "otters", "count": "21"},
            {"q": "otters", "freshness": "x" * 41}, {"q": "otters", "country": "x" * 21}, {"q": "otters", "search_lang": "x" * 21},
        ],
        "GET /res/v1/news/search": [{"q": "otters"}],
    },
    "serper": {
        "POST /search": [
            {"q": "otters site:a.example -site:b.example", "gl": "jp", "hl": "ja", "num": 100, "tbs": "qdr:w", "page": 1},
            {"q": "otters", "gl": ""}, {"q": "otters", "num": 101}, {"q": "otters", "gl": "x" * 21},
            {"q": "otters", "hl": "x" * 21}, {"q": "otters", "tbs": "x" * 201}, {"q": "x" * 2_001},
        ],
        "GET /news": [{"q": "otters", "tbs": "cdr:1,cd_min:1/2/2026"}],
    },
    "exa": {
        "POST /search": [
            Q | {"type": "deep", "category": "news", "numResults": 100}, Q | {"type": "neural", "category": "company"},
            Q | {"startPublishedDate": "2026-01-31T10:00:00Z", "endPublishedDate": "31.1.2026"},
            Q | {"userLocation": {"country": "jp", "city": "Kyoto"}}, Q | {"userLocation": {}}, Q | {"userLocation": "x" * 101},
            Q | {"userLocation": {"country": "x" * 101}}, Q | {"includeDomains": ["a.example"] * 301}, Q | {"excludeDomains": ["a.example"] * 301},
            Q | {"contents": {"text": {"maxCharacters": 3}, "highlights": True}}, Q | {"contents": {"summary": True}},
            Q | {"contents": {"text": {"maxCharacters": 1}}}, Q | {"contents": {"text": {"maxCharacters": 0}}},
            Q | {"contents": {"text": {"maxCharacters": True}}}, Q | {"contents": {"text": {"maxCharacters": "3"}}},
            Q | {"text": True}, Q | {"highlights": True, "contents": None}, Q | {"summary": True}, Q | {"numResults": 101}, {"query": "x" * 2_001},
        ],
        "POST /contents": [{}, {"ids": ["https://a.example/"]}, {"urls": "https://a.example/", "text": {"maxCharacters": 2}},
                           {"urls": ["https://a.example/"] * 21}, {"ids": []}],
        "POST /answer": [Q, Q | {"text": True, "userLocation": "jp"}, Q | {"outputSchema": {}},
                         Q | {"outputSchema": {"type": "object"}}, {"query": "x" * 2_001}],
    },
    "jina": {
        "GET /s/": [
            {"params": {"q": "otters -site:c.example", "gl": "", "hl": "ja-JP", "type": "news", "num": "21"},
             "query_string": "q=otters&site=a.example&site=b.example", "headers": JSON},
            {"params": {"q": "otters"}, "headers": {"x-respond-with": "no-content"} | JSON},
            {"params": {"q": "otters"}}, {"params": {"q": "otters"}, "headers": {"accept": "text/plain"}},
            {"params": {"q": "otters", "gl": "x" * 21}}, {"params": {"q": "otters", "hl": "x" * 21}}, {"params": {"q": "x" * 2_001}},
            {"params": {"q": "otters", "num": "0"}, "query_string": "&".join(f"site={n}.example" for n in range(3))},
        ],
        "GET /s/{q:path}": [{"path": {"q": "sea otters"}, "headers": JSON}],
        "POST /s/": [{"body": {"q": "otters", "num": 2}, "headers": JSON}],
        "POST /r/": [{}, {"body": {"url": "a.example/b"}, "query_string": "x=1", "headers": JSON}, {"body": {"url": "x" * 2_001}},
                     {"body": {"url": "http://a.example/"}}],
        "GET /r/{url:path}": [{"path": {"url": "https://a.example/"}, "query_string": "x=1&y=2"}, {"path": {"url": "a.example"}}],
    },
    "openwebui": {
        "POST /search": [Q | {"count": 0}, Q | {"count": 51}, {"query": "x" * 2_001}],
        "POST /load": [{}, {"urls": ["https://a.example/"] * 21}, {"urls": "https://a.example/"}],
        "PUT /process": [
            {}, {"raw": b"text"}, {"raw": b"text", "headers": {"content-type": "text/plain", "x-filename": "a%20b.txt"}},
            {"raw": b"text", "headers": {"x-filename": "x" * 201}},
        ],
    },
    "gpt-researcher": {"GET ": [Q, Q | {"max_results": "21"}, {"query": "x" * 2_001}], "GET /": [Q | {"max_results": "0"}]},
}  # fmt: skip
HITS = [
    Hit("https://a.example/a?b=c#d", "A", "First.", published="2026-11-02T23:30:00+09:00", favicon="https://a.example/i.png",
        author="Ada", site="A news", sources=(Source("one", 1), Source("two", 3)), raw_content="# A first page"),
    Hit("https://b.example:8080/b", "B", "Second, which is longer.", score=0.5, published="2026-11-02T10:00:00", provider="one"),
    Hit("note:c", "C", "Third.", score=0.75, published="last week", provider="one"),
    Hit("https://d.example/", "D", "Fourth.", score=0.0),
]  # fmt: skip
PAGES = [
    Page("https://a.example/", "A", "First. " * 100, "# First", favicon="https://a.example/i.png", author="Ada",
         images=("https://a.example/o.png",), links=("https://a.example/b",), published="2026-11-02", language="en",
         canonical_url="https://a.example/canonical", content_type="text/html"),
    *(Page(f"https://{n}.example/", "", "Plain.", "Plain.") for n in range(10)),
]  # fmt: skip
READ = Read(
    [(page, page.markdown) for page in PAGES], [("https://c.example/", "gone")], "https://a.example"
)
FOUND = Found(
    HITS, answer="They swim.", images=[("https://a.example/o.png", "an otter")], cost=0.5,
    page_images={"https://a.example/a?b=c#d": ["https://a.example/p.png"]},
)  # fmt: skip
LISTED = Listed("https://a.example", [page.url for page in PAGES])
RESULTS: dict[str, Any] = {
    "search": FOUND,
    "extract": READ,
    "scrape": DOCUMENT,
    "crawl": READ,
    "map": LISTED,
}


def describe(name: str) -> dict[str, Any]:
    """Return what a wire is called, its errors, and what it makes of the requests."""
    wire = WIRES[name]
    endpoints = {f"{e.method} {e.path}": e for e in performed(wire)}
    told = [wire.label, wire.docs, wire.client, wire.at_root, list(endpoints)]
    errors = {str(s): [wire.status(s), wire.error(s, "why")] for s in STATUSES}
    asked = {p: list(_answers(endpoints[p], r)) for p, r in REQUESTS.get(name, {}).items()}
    return {"wire": told, "errors": errors, **asked}


def _answers(endpoint: Endpoint, requests: list[Any]) -> Iterator[Any]:
    """What is read, or why it is refused, and the reply if it is another than those before."""
    seen: list[Any] = []
    for request in requests:
        asked = _asked(endpoint, request)
        try:
            call = endpoint.read(asked)
            yield {"asked": request, "read": {k: v for k, v in _flat(as_dict(call)) if v}}
            reply = endpoint.write(
                call, RESULTS[KINDS[type(call)]], Exchange(asked, "request-1", 0.123)
            )
            if reply not in seen:
                seen.append(reply)
                yield dataclasses.asdict(reply) if isinstance(reply, Text) else reply
        except KensakuError as error:
            yield {"asked": request, "refused": str(error), "status": getattr(error, "status", 400)}


def _asked(endpoint: Endpoint, request: dict[str, Any]) -> Asked:
    if endpoint.sees or request.keys() & {"path", "params"}:
        return Asked(**request)
    return Asked(params=request) if endpoint.method == "GET" else Asked(body=request)


def _flat(values: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        yield from (
            value.items()
            if name in ("query", "plan") and isinstance(value, dict)
            else [(name, value)]
        )


def as_json(value: Any) -> Any:
    """A value as the file has it; the ends of long texts are left out."""
    if isinstance(value, str):
        return value if len(value) < 300 else f"{value[:20]}… {len(value)}"
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, AsyncIterator):
        return "a stream"
    if isinstance(value, dict):
        return {k: as_json(v) for k, v in value.items()}
    return [as_json(v) for v in value] if isinstance(value, list | tuple) else value


def write() -> None:
    """Take what is read and answered now as right: a line for each request and each reply."""
    rows = []
    for name in WIRES:
        known = as_json(describe(name))
        parts = [f"{json.dumps(k)}: {_lines(v)}" for k, v in known.items()]
        rows.append(f"{json.dumps(name)}: {{\n" + ",\n".join(parts) + "\n}")
    FILE.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")


def _lines(value: Any) -> str:
    if isinstance(value, list):
        return "[\n " + ",\n ".join(json.dumps(v, ensure_ascii=False) for v in value) + "\n]"
    return json.dumps(value, ensure_ascii=False)

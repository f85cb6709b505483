"""Brave, by `brave-search-python-client`, a client of somebody else's: web, news and images."""

from __future__ import annotations

import asyncio
from typing import Any

from brave_search_python_client import (
    BraveSearch,
    ImagesSearchRequest,
    NewsSearchRequest,
    WebSearchRequest,
)

from kensaku.testing import Sample

from .reading import KEY, Row

DISTRIBUTION = "brave-search-python-client"


def search(base_url: str, reply: Sample) -> list[Row]:
    client = BraveSearch(api_key=KEY)
    client._base_url = f"{base_url}/res/v1/"
    both: dict[str, Any] = {
        "q": "otters", "country": "JP", "search_lang": "jp", "spellcheck": True, "count": 7,
        "offset": 1, "safesearch": "moderate", "freshness": "pw", "extra_snippets": True,
    }  # fmt: skip
    if reply.query.get("topic") == "images":
        wanted = {n: both[n] for n in ("q", "country", "search_lang", "count", "spellcheck")}
        pages = asyncio.run(client.images(ImagesSearchRequest(**wanted))).results
        return [Row(str(r.url), r.title, "") for r in pages]
    if reply.query.get("topic") == "news":
        rows = asyncio.run(client.news(NewsSearchRequest(**both))).results
    else:
        more = {"text_decorations": False, "result_filter": "web", "summary": True}
        rows = asyncio.run(client.web(WebSearchRequest(**both, **more))).web.results
    return [
        Row(str(r.url), r.title, " ".join([r.description, *(r.extra_snippets or [])])) for r in rows
    ]

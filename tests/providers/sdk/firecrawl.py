"""Firecrawl, by its official client: version 2, and version 1 for its flat list."""

from __future__ import annotations

from typing import Any

from firecrawl import Firecrawl, V1FirecrawlApp
from firecrawl.v2.types import Document, ScrapeOptions

from kensaku.testing import Sample

from .reading import KEY, Row

DISTRIBUTION = "firecrawl-py"
ROOTS = ("v1", "v2")  # it drops the path of the address that it is given


def search(base_url: str, reply: Sample) -> list[Row]:
    if isinstance(reply.body["data"], list):
        old = V1FirecrawlApp(api_key=KEY, api_url=base_url).search("otters", limit=7)
        return [Row(r["url"], r["title"], r["description"]) for r in old.data]
    client = Firecrawl(api_key=KEY, api_url=base_url)
    everything: dict[str, Any] = {
        "limit": 7, "sources": [reply.query.get("topic", "web")], "tbs": "qdr:w", "country": "JP",
        "location": "Japan", "timeout": 5_000, "ignore_invalid_urls": True,
        "scrape_options": ScrapeOptions(formats=["markdown"], only_main_content=True),
    }  # fmt: skip
    client.search("otters", **everything, include_domains=["a.example"])
    found = client.search("otters", **everything, exclude_domains=["b.example"])
    return [_row(r) for r in [*(found.web or []), *(found.news or [])]]


def _row(found: Any) -> Row:
    if isinstance(found, Document):  # what was scraped, too, is read from its metadata
        meta = found.metadata
        return Row(meta.source_url, meta.title, meta.description or found.markdown)
    return Row(found.url, found.title, getattr(found, "description", None) or found.snippet)


def search_keyless(base_url: str) -> None:
    Firecrawl(api_url=base_url).search("otters")

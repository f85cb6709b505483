"""Tavily, by its official client."""

from __future__ import annotations

from typing import get_type_hints

from tavily import TavilyClient

from kensaku.testing import Sample

from .reading import KEY, Row

DISTRIBUTION = "tavily-python"
_TYPES = get_type_hints(TavilyClient.search)
CHOICES = {name: _TYPES[name] for name in ("search_depth", "topic", "time_range")}


def search(base_url: str, reply: Sample) -> list[Row]:
    client = TavilyClient(KEY, api_base_url=base_url)
    found = client.search(
        "otters", search_depth="advanced", topic="news", time_range="week", start_date="2026-01-02",
        end_date="2026-02-03", max_results=7, include_domains=["a.example"],
        include_domains_mode="restrict", exclude_domains=["b.example"], include_answer=True,
        include_raw_content="markdown", country="japan", language="en", filter_by_language=True,
        auto_parameters=True, include_favicon=True, include_usage=True, include_images=True,
        include_image_descriptions=True,
    )  # fmt: skip
    return [Row(r["url"], r["title"], r["content"]) for r in found["results"]]


def search_keyless(base_url: str) -> None:
    TavilyClient(api_base_url=base_url).search("otters")

"""You.com, by its official client."""

from __future__ import annotations

from typing import Any

from youdotcom import You, models

from kensaku.testing import Sample

from .reading import KEY, Row

DISTRIBUTION = "youdotcom"
CHOICES = {"country": models.Country, "language": models.Language}
EXTRACTION = {"extraction_mode": "full_page", "full_page": {"extraction_formats": ["markdown"]}}


def search(base_url: str, reply: Sample) -> list[Row]:
    everything: dict[str, Any] = {
        "query": "otters", "count": 7, "freshness": "week", "offset": 1, "country": "JP",
        "language": "EN", "safesearch": "moderate", "extraction": EXTRACTION,
        "server_url": base_url,
    }  # fmt: skip
    with You(api_key_auth=KEY) as client:
        client.search(**everything, include_domains=["a.example"])
        results = client.search(**everything, exclude_domains=["b.example"]).results
    web = [Row(r.url, r.title, _text(r.description, r.snippets)) for r in results.web or []]
    return web + [Row(r.url, r.title, r.description) for r in results.news or []]


def _text(description: str | None, snippets: list[str] | None) -> str:
    return " ".join([description or "", *(snippets or [])])

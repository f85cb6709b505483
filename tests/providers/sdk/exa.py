"""Exa, by its official client."""

from __future__ import annotations

from exa_py import Exa
from exa_py.api import Category, SearchType

from kensaku.testing import Sample

from .reading import KEY, Row

DISTRIBUTION = "exa-py"
CHOICES = {"type": SearchType, "category": Category}


def search(base_url: str, reply: Sample) -> list[Row]:
    found = Exa(KEY, base_url=base_url).search(
        "otters", num_results=7, type="auto", category="news", user_location="JP",
        include_domains=["a.example"], exclude_domains=["b.example"],
        start_published_date="2026-01-02T00:00:00.000Z", end_published_date="2026-02-03",
        contents={"highlights": True, "text": True},
    )  # fmt: skip
    return [
        Row(r.url, r.title, " ".join(r.highlights or []) or r.text or r.summary)
        for r in found.results
    ]

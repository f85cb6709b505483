"""Linkup, by its official client: results, and an answer with its sources."""

from __future__ import annotations

import datetime
from typing import get_type_hints

from linkup import LinkupClient

from kensaku.testing import Sample

from .reading import KEY, Row

DISTRIBUTION = "linkup-sdk"
_TYPES = get_type_hints(LinkupClient.search, localns={"datetime": datetime})
CHOICES = {"depth": _TYPES["depth"], "outputType": _TYPES["output_type"]}


def search(base_url: str, reply: Sample) -> list[Row]:
    answer = bool(reply.query.get("include_answer"))
    found = LinkupClient(KEY, base_url=f"{base_url}/v1").search(
        "otters", depth="fast", output_type="sourcedAnswer" if answer else "searchResults",
        include_images=True, from_date="2026-01-02", to_date="2026-02-03", max_results=7,
        include_domains=["a.example"], exclude_domains=["b.example"],
        include_inline_citations=True, include_sources=True,
    )  # fmt: skip
    if answer:
        return [Row(r.url, r.name, r.snippet) for r in found.sources]
    return [Row(r.url, r.name, r.content) for r in found.results if r.type == "text"]

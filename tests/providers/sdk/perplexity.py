"""Perplexity Search, by the official client."""

from __future__ import annotations

from typing import get_type_hints

from perplexity import Perplexity
from perplexity.types.search_create_params import SearchCreateParams

from kensaku.testing import Sample

from .reading import KEY, Row

DISTRIBUTION = "perplexityai"
CHOICES = {
    "search_recency_filter": get_type_hints(SearchCreateParams)["search_recency_filter"],
}


def search(base_url: str, reply: Sample) -> list[Row]:
    found = Perplexity(api_key=KEY, base_url=base_url).search.create(
        query="otters", max_results=7, max_tokens=1_000, max_tokens_per_page=500, country="JP",
        search_domain_filter=["a.example"], search_language_filter=["en"],
        search_recency_filter="week", search_after_date_filter="01/02/2026",
        search_before_date_filter="02/03/2026", last_updated_after_filter="01/02/2026",
        last_updated_before_filter="02/03/2026", search_mode="web", search_type="web",
        search_context_size="low", display_server_time=True,
    )  # fmt: skip
    return [Row(r.url, r.title, r.snippet) for r in found.results]

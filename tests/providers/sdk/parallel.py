"""Parallel, by its official client."""

from __future__ import annotations

from typing import get_type_hints

from parallel import Parallel
from parallel.types.client_search_params import ClientSearchParams

from kensaku.testing import Sample

from .reading import KEY, Row

DISTRIBUTION = "parallel-web"
CHOICES = {"mode": get_type_hints(ClientSearchParams)["mode"]}


def search(base_url: str, reply: Sample) -> list[Row]:
    policy = {
        "include_domains": ["a.example"],
        "exclude_domains": ["b.example"],
        "after_date": "2026-01-02",
    }
    found = Parallel(api_key=KEY, base_url=base_url).search(
        search_queries=["otters"], objective="otters", mode="basic", max_chars_total=1_000,
        advanced_settings={"max_results": 7, "location": "jp", "source_policy": policy,
                           "excerpt_settings": {"max_chars_per_result": 500}},
    )  # fmt: skip
    return [Row(r.url, r.title, " ".join(r.excerpts)) for r in found.results]

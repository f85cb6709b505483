"""Baidu, by its official client.

It demands older packages than the other clients do. Into an environment of its own:
pip install appbuilder-sdk aiohttp
Its call is the one that writes an answer; the list of pages is the same as that of the search.
"""

from __future__ import annotations

from appbuilder import AISearch

from kensaku.testing import Sample

from .reading import KEY, Row

DISTRIBUTION = "appbuilder-sdk"


def search(base_url: str, reply: Sample) -> list[Row]:
    client = AISearch(secret_key=KEY)
    client.http_client.gateway_v2 = base_url  # an argument of a client, not of a component
    found = client.run(
        messages=[{"role": "user", "content": "otters"}],
        search_source="baidu_search_v2",
        resource_type_filter=[{"type": "web", "top_k": 7}],
        search_filter={
            "match": {"site": ["a.example"]},
            "range": {"page_time": {"gth": "2026-01-02", "lth": "2026-02-03"}},
        },
        search_recency_filter="week",
        search_domain_filter=["a.example"],
    )
    return [Row(r.url, r.title, r.content) for r in found.content.references]

"""Kagi, by its official client, which is in no package index.

Into .venv-sdks: pip install git+https://github.com/kagisearch/kagi-openapi-python
"""

from __future__ import annotations

from openapi_client import ApiClient, Configuration, SearchApi, SearchRequest, SearchRequestFilters

from kensaku.testing import Sample

from .reading import KEY, Row

DISTRIBUTION = "openapi-client"


def search(base_url: str, reply: Sample) -> list[Row]:
    asked = SearchRequest(
        query="otters", workflow=reply.query.get("topic", "search"), page=1, limit=7,
        safe_search=True, timeout=3.5,
        filters=SearchRequestFilters(region="jp", after="2026-01-02", before="2026-02-03"),
    )  # fmt: skip
    settings = Configuration(host=f"{base_url}/v1", access_token=KEY)
    with ApiClient(settings) as client:
        data = SearchApi(client).search(asked).data
    return [Row(r.url, r.title, r.snippet) for r in [*(data.search or []), *(data.news or [])]]

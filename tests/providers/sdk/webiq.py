"""Microsoft Web IQ, by its official client."""

from __future__ import annotations

from webiq import RetryPolicy, WebIQClient
from webiq.types import ContentFormat, SafeSearch

from kensaku.testing import Sample

from .reading import KEY, Row

DISTRIBUTION = "webiq"


def search(base_url: str, reply: Sample) -> list[Row]:
    client = WebIQClient(api_key=KEY, base_url=f"{base_url}/v3", retry=RetryPolicy(max_retries=0))
    wanted = {
        "max_results": 7, "language": "ja", "region": "JP", "location": "lat:35.0;long:139.0",
        "content_format": ContentFormat.passage, "max_length": 1_000,
    }  # fmt: skip
    with client:
        if reply.query.get("topic") == "news":
            found = client.news.search("otters", **wanted).newsResults
        else:
            found = client.web.search("otters", **wanted, safe_search=SafeSearch.off).webResults
    return [Row(r.url, r.title, r.content) for r in found]

"""TinyFish: web search that is free with a key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kensaku.providers._filters import bare, drop_empty
from kensaku.providers.base import Provider, Request, rows

if TYPE_CHECKING:
    from kensaku.models import Hit, Query

MINUTES = {"day": 1_440, "week": 10_080, "month": 43_800, "year": 525_600}


class TinyFish(Provider):
    name = "tinyfish"
    label = "TinyFish"
    docs = "https://docs.tinyfish.ai/search-api/reference"
    url = "https://api.search.tinyfish.ai"
    key_variable = "TINYFISH_API_KEY"
    max_results = 10  # a page
    filters = frozenset({"dates", "domains", "country", "language", "topic"})
    family = "tinyfish"
    rate = "30/m"

    def request(self, query: Query, key: str) -> Request:
        wanted = {
            "query": query.text,
            "location": query.country and query.country.upper(),
            "language": query.language,
            "include_domains": ",".join(map(bare, query.include_domains)),
            "exclude_domains": ",".join(map(bare, query.exclude_domains)),
            "recency_minutes": MINUTES[query.time_range] if query.time_range else None,
            "after_date": query.start_date and query.start_date.isoformat(),
            "before_date": query.end_date and query.end_date.isoformat(),
            "domain_type": "news" if query.topic == "news" else None,
        }
        return Request(self.base_url + "/", params=drop_empty(wanted), headers={"X-API-Key": key})

    def hits(self, body: Any) -> list[Hit]:
        return [
            self.hit(r.get("url"), r.get("title"), r.get("snippet"), published=r.get("date"))
            for r in rows(body["results"])
        ]

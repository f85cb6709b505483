"""TinyFish: web search that is free with a key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kensaku.providers._filters import drop_empty, site_query, time_range
from kensaku.providers.base import Filter, Provider, Request, rows

if TYPE_CHECKING:
    from kensaku.models import Hit, Query

MINUTES = {"day": 1_440, "week": 10_080, "month": 43_800, "year": 525_600}


class TinyFish(Provider):
    name = "tinyfish"
    label = "TinyFish"
    docs = "https://docs.tinyfish.ai/search-api"
    url = "https://api.search.tinyfish.ai"
    key_variable = "TINYFISH_API_KEY"
    max_results = 10  # a page
    filters = frozenset({"dates", "domains", "country", "language"})
    family = "tinyfish"
    rate = "30/m"

    def request(self, query: Query, key: str) -> Request:
        reach = time_range(query)
        wanted = {
            "query": site_query(query, self.max_query_chars),
            "location": query.country and query.country.upper(),
            "language": query.language,
            "recency_minutes": MINUTES[reach] if reach else None,
        }
        return Request(self.base_url + "/", params=drop_empty(wanted), headers={"X-API-Key": key})

    def filters_for(self, query: Query) -> frozenset[Filter]:
        # It counts minutes back from now: no range that is too old, and none that ends earlier.
        dated = query.start_date or query.end_date
        can = not query.end_date and time_range(query)
        return super().filters_for(query) - ({"dates"} if dated and not can else set())

    def hits(self, body: Any) -> list[Hit]:
        return [
            self.hit(r.get("url"), r.get("title"), r.get("snippet"), published=r.get("date"))
            for r in rows(body["results"])
        ]

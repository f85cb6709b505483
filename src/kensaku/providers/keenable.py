"""Keenable: an index for agents, also without a key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kensaku.providers._filters import days, drop_empty, one_site
from kensaku.providers.base import Filter, Provider, Request, rows

if TYPE_CHECKING:
    from kensaku.models import Hit, Query


class Keenable(Provider):
    name = "keenable"
    label = "Keenable"
    docs = "https://docs.keenable.ai"
    known_by = "sdk"
    known_source = "keenable 0.1.1, SearchResponse"
    url = "https://api.keenable.ai"
    key_variable = "KEENABLE_API_KEY"
    keyless = True
    pooled = True
    max_results = 20
    filters = frozenset({"dates", "domains"})
    family = "keenable"
    price_source = "unverified"
    rate = "5/s"
    keyless_rate = "10/m"  # a thousand an hour for one address

    def filters_for(self, query: Query) -> frozenset[Filter]:
        # One site or all, and none can be left out.
        can = one_site(query) and not query.exclude_domains
        return super().filters_for(query) - (set() if can else {"domains"})

    def request(self, query: Query, key: str) -> Request:
        first, last = days(query)
        fast = query.depth in ("ultra-fast", "fast")
        wanted = {
            "query": query.text,
            "max_results": min(query.limit, self.max_results),
            "mode": "realtime" if fast and key else None,  # refused without a key
            "site": one_site(query),
            "published_after": first,
            "published_before": last,
        }
        return Request(
            url=self.base_url + ("/v1/search" if key else "/v1/search/public"),
            headers={"X-Keenable-Title": "Kensaku"} | ({"X-API-Key": key} if key else {}),
            json=drop_empty(wanted),
        )

    def hits(self, body: Any) -> list[Hit]:
        return [
            self.hit(
                r.get("url"),
                r.get("title"),
                r.get("snippet") or r.get("description"),
                published=r.get("published_at"),
            )
            for r in rows(body["results"])
        ]

"""Keenable: an index for agents, also without a key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kensaku.providers._filters import bare, days, drop_empty
from kensaku.providers.base import Provider, Request, rows

if TYPE_CHECKING:
    from kensaku.models import Hit, Query


class Keenable(Provider):
    name = "keenable"
    label = "Keenable"
    docs = "https://docs.keenable.ai"
    url = "https://api.keenable.ai"
    key_variable = "KEENABLE_API_KEY"
    keyless = True
    pooled = True
    max_results = 20
    filters = frozenset({"dates", "domains"})
    family = "keenable"
    rate = "5/s"
    keyless_rate = "10/m"  # a thousand an hour for one address

    def request(self, query: Query, key: str) -> Request:
        first, last = days(query)
        one = query.include_domains[0] if len(query.include_domains) == 1 else ""
        wanted = {
            "query": query.text,
            "max_results": min(query.limit, self.max_results),
            "mode": "realtime" if query.depth in ("ultra-fast", "fast") else None,
            "site": bare(one),  # one site or all
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

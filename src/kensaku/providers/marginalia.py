"""Marginalia: the small, old and text-oriented web, from an index of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kensaku.providers.base import Provider, Request, rows

if TYPE_CHECKING:
    from kensaku.models import Hit, Query

PUBLIC_KEY = "public"  # documented, and shared by everybody without a key


class Marginalia(Provider):
    name = "marginalia"
    label = "Marginalia"
    docs = "https://about.marginalia-search.com/article/api/"
    url = "https://api2.marginalia-search.com"
    key_variable = "MARGINALIA_API_KEY"
    keyless = True  # not pooled: the shared key is often exhausted
    max_results = 100
    family = "marginalia"
    rate = "1/s"
    keyless_rate = "5/m"

    def request(self, query: Query, key: str) -> Request:
        return Request(
            url=self.base_url + "/search",
            params={"query": query.text, "count": min(query.limit, self.max_results)},
            headers={"API-Key": key or PUBLIC_KEY},
        )

    def hits(self, body: Any) -> list[Hit]:
        return [
            self.hit(r.get("url"), r.get("title"), r.get("description"))
            for r in rows(body["results"])
        ]

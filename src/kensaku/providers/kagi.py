"""Kagi: web and news, by its API of version 1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kensaku.providers._filters import days, drop_empty, site_query
from kensaku.providers.base import Provider, Request, rows

if TYPE_CHECKING:
    from kensaku.models import Hit, Query


class Kagi(Provider):
    name = "kagi"
    label = "Kagi"
    docs = "https://help.kagi.com/kagi/api/search.html"
    url = "https://kagi.com/api"
    key_variable = "KAGI_API_KEY"
    filters = frozenset({"dates", "domains", "country", "topic"})
    price = 0.025
    rate = "1/s"

    def request(self, query: Query, key: str) -> Request:
        first, _ = days(query)
        narrow = {"after": first, "region": query.country}
        wanted = {
            "query": site_query(query, self.max_query_chars),
            "limit": min(query.limit, self.max_results),
            "workflow": "news" if query.topic == "news" else "search",
            "filters": drop_empty(narrow),
        }
        return Request(
            url=self.base_url + "/v1/search",
            headers={"Authorization": f"Bearer {key}"},
            json=drop_empty(wanted),
        )

    def hits(self, body: Any) -> list[Hit]:
        # A section without results is left out of "data".
        found = body["data"]
        return [
            self.hit(r.get("url"), r.get("title"), r.get("snippet"), published=r.get("time"))
            for r in rows(found, "search") + rows(found, "news")
        ]

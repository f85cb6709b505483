"""Firecrawl: search with the pages as Markdown when they are asked for; also without a key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kensaku.providers._classify import error_text
from kensaku.providers._filters import drop_empty, tbs
from kensaku.providers.base import Provider, Request, rows, section

if TYPE_CHECKING:
    from kensaku.models import Hit, Query


class Firecrawl(Provider):
    name = "firecrawl"
    label = "Firecrawl"
    docs = "https://docs.firecrawl.dev/api-reference/endpoint/search"
    url = "https://api.firecrawl.dev"
    key_variable = "FIRECRAWL_API_KEY"
    keyless = True
    pooled = True
    max_query_chars = 500
    max_results = 100
    filters = frozenset({"dates", "domains", "country", "topic"})
    price = 0.00166
    rate = "50/m"
    keyless_rate = "2/m"  # a thousand credits a month, with a daily cap for each address

    def request(self, query: Query, key: str) -> Request:
        # One list or the other, not both: what is wanted counts more.
        only = list(query.include_domains)
        wanted = {
            "query": query.text,
            "limit": min(query.limit, self.max_results),
            "sources": ["news"] if query.topic == "news" else ["web"],
            "tbs": tbs(query),
            "country": query.country and query.country.upper(),
            "includeDomains": only,
            "excludeDomains": [] if only else list(query.exclude_domains),
            "scrapeOptions": {"formats": ["markdown"], "onlyMainContent": True}
            if query.include_raw_content
            else None,
        }
        return Request(
            url=self.base_url + "/v2/search",
            headers={"Authorization": f"Bearer {key}"} if key else {},
            json=drop_empty(wanted),
        )

    def hits(self, body: Any) -> list[Hit]:
        # Version 1 and some self-hosted servers send a flat list.
        if "data" not in body and "success" not in body:
            raise ValueError("not a search reply")
        if isinstance(body.get("data"), list):
            found = rows(body["data"])
        else:
            data = section(body, "data")
            found = rows(data, "web") + rows(data, "news")
        return [
            self.hit(
                r.get("url") or (r.get("metadata") or {}).get("sourceURL"),
                r.get("title") or (r.get("metadata") or {}).get("title"),
                r.get("description") or r.get("snippet") or r.get("markdown"),
                published=r.get("date"),
                raw_content=r.get("markdown"),
            )
            for r in found
        ]

    def complaint(self, body: Any) -> str:
        if isinstance(body, dict) and body.get("success") is False:
            return error_text(body) or "it did not succeed"
        return super().complaint(body)

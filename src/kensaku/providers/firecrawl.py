"""Firecrawl: search with the pages as Markdown when they are asked for; also without a key."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Any

from kensaku.providers._classify import error_text
from kensaku.providers._filters import drop_empty, tbs
from kensaku.providers.base import Provider, Request, member, rows, section

if TYPE_CHECKING:
    from kensaku.models import Hit, Query


CREDIT = 0.00083  # US dollars


class Firecrawl(Provider):
    name = "firecrawl"
    label = "Firecrawl"
    markup = False
    docs = "https://docs.firecrawl.dev/api-reference/endpoint/search"
    known_by = "sdk"
    known_source = "firecrawl-py 4.53.2, SearchData"
    url = "https://api.firecrawl.dev"
    key_variable = "FIRECRAWL_API_KEY"
    keyless = True
    pooled = True
    max_query_chars = 500
    max_results = 100
    filters = frozenset({"dates", "domains", "country", "topic"})
    price = 2 * CREDIT
    price_source = "docs.firecrawl.dev/billing, 2026-11"
    rate = "50/m"
    keyless_rate = "2/m"  # a thousand credits a month, with a daily cap for each address

    def price_of(self, query: Query) -> float:
        # Two credits for ten results, begun or not, and one for each page that is read.
        count = min(query.limit, self.max_results)
        return CREDIT * (2 * ceil(count / 10) + (count if query.include_raw_content else 0))

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
                r.get("url") or member(r, "metadata", "sourceURL"),
                r.get("title") or member(r, "metadata", "title"),
                r.get("description") or r.get("snippet") or r.get("markdown"),
                published=r.get("date"),
                raw_content=r.get("markdown"),
            )
            for r in found
        ]

    def cost(self, body: Any) -> float | None:
        credits = body.get("creditsUsed")
        return credits * CREDIT if isinstance(credits, int) else None

    def complaint(self, body: Any) -> str:
        if isinstance(body, dict) and body.get("success") is False:
            return error_text(body) or "it did not succeed"
        return super().complaint(body)

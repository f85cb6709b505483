"""Perplexity's Search API: ranked pages with long snippets, no chat."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kensaku.providers._filters import bare, drop_empty
from kensaku.providers.base import Provider, Request, rows

if TYPE_CHECKING:
    from datetime import date

    from kensaku.models import Hit, Query

MAX_DOMAINS = 20


class Perplexity(Provider):
    name = "perplexity"
    label = "Perplexity Search"
    markup = False
    docs = "https://docs.perplexity.ai/api-reference/search-post"
    known_by = "sdk"
    known_source = "perplexityai 0.46.1, SearchCreateResponse"
    url = "https://api.perplexity.ai"
    key_variable = "PERPLEXITY_API_KEY"
    key_aliases = ("PPLX_API_KEY", "PERPLEXITYAI_API_KEY")
    max_results = 20
    filters = frozenset({"dates", "domains", "country", "language"})
    price = 0.005
    price_source = "docs.perplexity.ai/getting-started/pricing, 2026-11"
    rate = "3/s"

    def request(self, query: Query, key: str) -> Request:
        # One list for both, which may not be mixed: what is wanted counts more.
        only = [bare(d) for d in query.include_domains]
        never = [f"-{bare(d)}" for d in query.exclude_domains]
        wanted = {
            "query": query.text,
            "max_results": min(query.limit, self.max_results),
            "country": query.country and query.country.upper(),
            "search_domain_filter": (only or never)[:MAX_DOMAINS],
            "search_language_filter": [query.language] if query.language else None,
            "search_recency_filter": query.time_range,
            "search_after_date_filter": _american(query.start_date),
            "search_before_date_filter": _american(query.end_date),
        }
        return Request(
            url=self.base_url + "/search",
            headers={"Authorization": f"Bearer {key}"},
            json=drop_empty(wanted),
        )

    def hits(self, body: Any) -> list[Hit]:
        return [
            self.hit(
                r.get("url"),
                r.get("title"),
                r.get("snippet"),
                published=r.get("date") or r.get("last_updated"),
            )
            for r in rows(body["results"])
        ]


def _american(day: date | None) -> str | None:
    return f"{day:%m/%d/%Y}" if day else None

"""Tavily: search made for agents, with an answer and a score."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kensaku.countries import names
from kensaku.providers.base import Provider, Request, rows, text

if TYPE_CHECKING:
    from kensaku.models import Hit, Query


class Tavily(Provider):
    name = "tavily"
    label = "Tavily"
    docs = "https://docs.tavily.com/documentation/api-reference/endpoint/search"
    url = "https://api.tavily.com"
    key_variable = "TAVILY_API_KEY"
    keyless = True
    pooled = True
    max_query_chars = 400
    max_results = 20
    filters = frozenset({"dates", "domains", "country", "language", "topic"})
    family = "tavily"
    reads_pages = True
    price = 0.008
    keyless_rate = "20/m"

    def price_of(self, query: Query) -> float:
        return self.price * (2 if query.depth == "advanced" else 1)

    def request(self, query: Query, key: str) -> Request:
        body: dict[str, Any] = {
            "query": query.text,
            "max_results": min(query.limit, self.max_results),
        }
        wanted = {
            "search_depth": query.depth if query.depth != "basic" else None,
            "topic": query.topic if query.topic != "general" else None,
            "time_range": query.time_range,
            "start_date": query.start_date and query.start_date.isoformat(),
            "end_date": query.end_date and query.end_date.isoformat(),
            "include_domains": list(query.include_domains),
            "exclude_domains": list(query.exclude_domains),
            # Without this the live API only prefers the domains (seen September 2026).
            "include_domains_mode": "restrict" if query.include_domains else None,
            # Country boosts work for the general topic alone, and want the English name.
            "country": names().get(query.country or "") if query.topic == "general" else None,
            "language": query.language,
            "filter_by_language": bool(query.language),
            "include_answer": query.include_answer,
            "include_raw_content": query.include_raw_content and "markdown",
            "include_published_date": True if query.topic == "general" else None,
        }
        body |= {name: value for name, value in wanted.items() if value}
        return Request(
            url=self.base_url + "/search",
            headers={"Authorization": f"Bearer {key}"}
            if key
            else {"X-Tavily-Access-Mode": "keyless"},
            json=body,
        )

    def hits(self, body: Any) -> list[Hit]:
        return [
            self.hit(
                r.get("url"),
                r.get("title"),
                r.get("content"),
                score=r.get("score"),
                published=r.get("published_date"),
                favicon=r.get("favicon"),
                raw_content=r.get("raw_content"),
            )
            for r in rows(body["results"])
        ]

    def answer(self, body: Any) -> str | None:
        return text(body.get("answer")) or None

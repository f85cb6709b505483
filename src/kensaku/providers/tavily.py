"""Tavily: search made for agents, with an answer and a score."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kensaku.providers._rows import MAX_ROWS
from kensaku.providers.base import Filter, Provider, Request, rows, text
from kensaku.text.countries import names

if TYPE_CHECKING:
    from kensaku.models import Hit, Image, Query

TOPICS = ("news", "finance")  # of its own; images come beside any


class Tavily(Provider):
    name = "tavily"
    label = "Tavily"
    countries = frozenset(names())
    markup = False
    docs = "https://docs.tavily.com/documentation/api-reference/endpoint/search"
    known_by = "recorded"
    known_source = "pydantic/pydantic-ai/tests/cassettes/test_tavily/test_basic_search.yaml"
    url = "https://api.tavily.com"
    key_variable = "TAVILY_API_KEY"
    keyless = True
    pooled = True
    max_query_chars = 400
    max_results = 20
    filters = frozenset({"dates", "domains", "country", "language", "topic"})
    topics = frozenset({"news", "finance", "images"})
    family = "tavily"
    reads_pages = True
    price = 0.008
    price_source = "docs.tavily.com/documentation/api-credits, 2026-11"
    keyless_rate = "20/m"

    def price_of(self, query: Query) -> float:
        return self.price * (2 if query.depth == "advanced" else 1)

    def filters_for(self, query: Query) -> frozenset[Filter]:
        # It prefers a country for the general topic alone.
        return super().filters_for(query) - ({"country"} if query.topic in TOPICS else set())

    def request(self, query: Query, key: str) -> Request:
        body: dict[str, Any] = {
            "query": query.text,
            "search_depth": query.depth,
            "max_results": min(query.limit, self.max_results),
        }
        if query.time_range:
            body["time_range"] = query.time_range
        if query.start_date:
            body["start_date"] = query.start_date.isoformat()
        if query.end_date:
            body["end_date"] = query.end_date.isoformat()
        if query.include_domains:
            body["include_domains"] = list(query.include_domains)
            # Without this the live API only prefers the domains (seen September 2026).
            body["include_domains_mode"] = "restrict"
        if query.exclude_domains:
            body["exclude_domains"] = list(query.exclude_domains)
        if query.topic in TOPICS:
            body["topic"] = query.topic
        else:
            body["include_published_date"] = True
            # A country is taken for this topic alone, by its English name.
            if name := names().get(query.country or ""):
                body["country"] = name
        if query.language:
            body |= {"language": query.language, "filter_by_language": True}
        if query.include_answer:
            body["include_answer"] = True
        if query.wants_images:
            body |= {"include_images": True, "include_image_descriptions": True}
        if query.include_raw_content:
            body["include_raw_content"] = "markdown"
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

    def images(self, body: Any) -> list[Image]:
        # Addresses alone, or objects with a description.
        listed = body.get("images") or []
        if not isinstance(listed, list):
            raise TypeError("expected a list of images")
        found = [{"url": i} if isinstance(i, str) else i for i in listed[:MAX_ROWS]]
        return [self.image(i.get("url"), i.get("description")) for i in rows(found)]

    def answer(self, body: Any) -> str | None:
        return text(body.get("answer")) or None

    def searched(self, body: Any) -> str | None:
        return text(body.get("query")) or None

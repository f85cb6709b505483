"""Brave's LLM context: passages of the pages instead of snippets, by the same key and price."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kensaku.providers._filters import drop_empty, freshness, site_query
from kensaku.providers.base import Request, member, rows, section, text
from kensaku.providers.brave import FRESHNESS, Brave

if TYPE_CHECKING:
    from kensaku.models import Hit, Query


class BraveContext(Brave):
    name = "brave_context"
    label = "Brave LLM context"
    docs = "https://api-dashboard.search.brave.com/documentation/services/llm-context"
    known_by = "documentation"
    known_source = ""
    specialist = True  # `auto` asks Brave once
    max_query_chars = 600
    max_query_words = 75
    max_results = 50
    filters = frozenset({"dates", "domains", "country", "language"})
    reads_pages = True
    markup = False

    def request(self, query: Query, key: str) -> Request:
        country = self.country_of(query)
        wanted = {
            "q": site_query(query, self.max_query_chars, self.max_query_words),
            "maximum_number_of_urls": min(query.limit, self.max_results),
            "freshness": freshness(query, FRESHNESS, "{0}to{1}"),
            "country": country and country.upper(),
            "search_lang": self.language_of(query),
        }
        return Request(
            url=self.base_url + "/res/v1/llm/context",
            params=drop_empty(wanted),
            headers={"X-Subscription-Token": key},
        )

    def hits(self, body: Any) -> list[Hit]:
        sources = section(body, "sources")
        return [
            self.hit(
                r.get("url"),
                r.get("title"),
                text(r.get("snippets")),
                published=member(sources, text(r.get("url")), "age", 1),
            )
            for r in rows(body["grounding"]["generic"])
        ]

"""Parallel: excerpts chosen for an objective."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kensaku.providers._filters import bare, days, drop_empty
from kensaku.providers.base import Provider, Request, rows
from kensaku.text.short import cut_at_word

if TYPE_CHECKING:
    from kensaku.models import Hit, Query

MODES = {"ultra-fast": "turbo", "fast": "turbo"}
TURBO_PRICE = 0.001
EXTRA_RESULT_PRICE = 0.001  # for each beyond ten
MAX_KEYWORD_CHARS = 200
MAX_DOMAINS = 200  # in both lists together (SDK 1.3.7)


class Parallel(Provider):
    name = "parallel"
    label = "Parallel"
    markup = False
    docs = "https://docs.parallel.ai/api-reference/search/search"
    known_by = "sdk"
    known_source = "parallel-web 1.3.7, SearchResult"
    url = "https://api.parallel.ai"
    key_variable = "PARALLEL_API_KEY"
    max_results = 20
    filters = frozenset({"dates", "domains", "country"})
    family = "parallel"
    price = 0.005
    price_source = "docs.parallel.ai by api-evangelist/parallel-web-systems, 2026-08-14"
    rate = "10/s"

    def price_of(self, query: Query) -> float:
        price = TURBO_PRICE if query.depth in MODES else self.price
        return price + EXTRA_RESULT_PRICE * max(0, min(query.limit, self.max_results) - 10)

    def request(self, query: Query, key: str) -> Request:
        first, _ = days(query)
        only = [bare(d) for d in query.include_domains]
        policy = {
            "include_domains": only[:MAX_DOMAINS],
            "exclude_domains": []
            if only
            else [bare(d) for d in query.exclude_domains][:MAX_DOMAINS],
            "after_date": first,
        }
        settings = {
            "max_results": min(query.limit, self.max_results),
            "location": query.country,
            "source_policy": drop_empty(policy),
        }
        return Request(
            url=self.base_url + "/v1/search",
            headers={"x-api-key": key},
            json={
                "objective": query.text,
                "search_queries": [cut_at_word(query.text, MAX_KEYWORD_CHARS)],
                "mode": MODES.get(query.depth, "basic"),
                "advanced_settings": drop_empty(settings),
            },
        )

    def hits(self, body: Any) -> list[Hit]:
        return [
            self.hit(
                r.get("url"), r.get("title"), r.get("excerpts"), published=r.get("publish_date")
            )
            for r in rows(body["results"])
        ]

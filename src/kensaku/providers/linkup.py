"""Linkup: search results, or a sourced answer when one is asked for."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from kensaku.errors import ProviderError, QuotaExhausted
from kensaku.providers._filters import days, drop_empty
from kensaku.providers.base import Provider, Reply, Request, rows, text

if TYPE_CHECKING:
    from kensaku.models import Hit, Query

DEPTHS = {"ultra-fast": "fast", "fast": "fast"}  # "deep" costs ten times as much
NOTHING_FOUND = "SEARCH_QUERY_NO_RESULT"  # sent with status 400
NO_MONEY = ("INSUFFICIENT_FUNDS_CREDITS", "EXCEED_BUDGET_LIMIT")  # sent with status 429
MAX_DOMAINS = 100
ANSWER_PRICE = 0.006


class Linkup(Provider):
    name = "linkup"
    label = "Linkup"
    markup = False
    docs = "https://docs.linkup.so/pages/documentation/api-reference/endpoint/post-search"
    known_by = "sdk"
    known_source = "linkup-sdk 0.24.0, LinkupSearchResults"
    url = "https://api.linkup.so"
    key_variable = "LINKUP_API_KEY"
    filters = frozenset({"dates", "domains"})
    price = 0.005
    price_source = "docs.linkup.so/pages/changelog/usd-pricing, 2026-05"
    rate = "10/s"

    def price_of(self, query: Query) -> float:
        return ANSWER_PRICE if query.include_answer else self.price

    def request(self, query: Query, key: str) -> Request:
        first, last = days(query)
        wanted = {
            "q": query.text,
            "depth": DEPTHS.get(query.depth, "standard"),
            "outputType": "sourcedAnswer" if query.include_answer else "searchResults",
            "maxResults": min(query.limit, self.max_results),
            "fromDate": first,
            "toDate": last,
            "includeDomains": list(query.include_domains[:MAX_DOMAINS]),
            "excludeDomains": list(query.exclude_domains[:MAX_DOMAINS]),
        }
        return Request(
            url=self.base_url + "/v1/search",
            headers={"Authorization": f"Bearer {key}"},
            json=drop_empty(wanted),
        )

    def hits(self, body: Any) -> list[Hit]:
        if _code(body) == NOTHING_FOUND:
            return []
        found = rows(body["sources"] if "sources" in body else body["results"])
        return [
            self.hit(
                r.get("url"),
                r.get("name"),
                r.get("content") or r.get("snippet"),
                favicon=r.get("favicon"),
            )
            for r in found
            if r.get("type", "text") == "text"
        ]

    def answer(self, body: Any) -> str | None:
        return text(body.get("answer")) or None

    def failure(self, reply: Reply) -> ProviderError | None:
        code = ""
        with suppress(ValueError):
            code = _code(reply.json())
        if reply.status == 400 and code == NOTHING_FOUND:
            return None
        if reply.status == 429 and code in NO_MONEY:
            return self.refusal(reply, QuotaExhausted)
        return super().failure(reply)

    def complaint(self, body: Any) -> str:
        return "" if _code(body) == NOTHING_FOUND else super().complaint(body)


def _code(body: Any) -> str:
    error = body.get("error") if isinstance(body, dict) else None
    return str(error.get("code", "")) if isinstance(error, dict) else ""

"""Exa: search by meaning, with highlights of the pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kensaku.providers._filters import days, drop_empty
from kensaku.providers.base import Provider, Request, rows, text

if TYPE_CHECKING:
    from kensaku.models import Hit, Image, Query

# "lite" refuses parameters that it does not know; it knows all of those below (exa.ai/changelog).
# "deep" costs several times as much.
TYPES = {"ultra-fast": "lite", "fast": "lite"}
LITE_PRICE = 0.004
EXTRA_RESULT_PRICE = 0.001  # for each beyond ten


class Exa(Provider):
    name = "exa"
    label = "Exa"
    markup = False
    docs = "https://exa.ai/docs/reference/search"
    known_by = "sdk"
    known_source = "exa-py 2.26.0, SearchResponse"
    url = "https://api.exa.ai"
    key_variable = "EXA_API_KEY"
    max_results = 100
    filters = frozenset({"dates", "domains", "country", "topic"})
    family = "exa"
    price = 0.007
    price_source = "exa.ai/docs/changelog/pricing-update, 2026-03-03"
    rate = "10/s"

    def price_of(self, query: Query) -> float:
        price = LITE_PRICE if query.depth in TYPES else self.price
        return price + EXTRA_RESULT_PRICE * max(0, min(query.limit, self.max_results) - 10)

    def request(self, query: Query, key: str) -> Request:
        first, last = days(query)
        contents: dict[str, Any] = {"highlights": True}
        if query.include_raw_content:
            contents["text"] = True
        wanted = {
            "query": query.text,
            "numResults": min(query.limit, self.max_results),
            "type": TYPES.get(query.depth, "auto"),
            "category": "news" if query.topic == "news" else None,
            "startPublishedDate": f"{first}T00:00:00.000Z" if first else None,
            "endPublishedDate": f"{last}T23:59:59.999Z" if last else None,
            "includeDomains": list(query.include_domains),
            "excludeDomains": list(query.exclude_domains),
            "userLocation": query.country and query.country.upper(),
            "contents": contents,  # without it there is no text at all
        }
        return Request(
            url=self.base_url + "/search",
            headers={"x-api-key": key},
            json=drop_empty(wanted),
        )

    def hits(self, body: Any) -> list[Hit]:
        return [
            self.hit(
                r.get("url"),
                r.get("title"),
                text(r.get("highlights")) or r.get("text") or r.get("summary"),
                score=r.get("score"),
                published=r.get("publishedDate"),
                author=r.get("author"),
                favicon=r.get("favicon"),
                raw_content=r.get("text"),
            )
            for r in rows(body["results"])
        ]

    def images(self, body: Any) -> list[Image]:
        return [
            self.image(r["image"], r.get("title"), r.get("url"))
            for r in rows(body["results"])
            if r.get("image")
        ]

    def cost(self, body: Any) -> float | None:
        total = (body.get("costDollars") or {}).get("total")
        return float(total) if isinstance(total, int | float) else None

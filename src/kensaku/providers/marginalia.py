"""Marginalia: the small, old and text-oriented web, from an index of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kensaku.errors import ProviderError, QuotaExhausted
from kensaku.providers._filters import drop_empty, one_site
from kensaku.providers.base import Filter, Provider, Reply, Request, rows

if TYPE_CHECKING:
    from kensaku.models import Hit, Query

PUBLIC_KEY = "public"  # documented, and shared by everybody without a key


class Marginalia(Provider):
    name = "marginalia"
    label = "Marginalia"
    docs = "https://about.marginalia-search.com/article/api/"
    known_source = "MarginaliaSearch/ApiV2.java (the server's source)"
    url = "https://api2.marginalia-search.com"
    key_variable = "MARGINALIA_API_KEY"
    keyless = True  # not pooled: the shared key is often exhausted
    max_results = 100
    filters = frozenset({"domains", "language"})
    # Those that its source knows (languages-experimental.xml, 2026); each has an index of its own.
    languages = {code: code for code in ("en", "sv", "fr", "de")}
    family = "marginalia"
    rate = "1/s"
    keyless_rate = "5/m"

    def filters_for(self, query: Query) -> frozenset[Filter]:
        # One site or all, and none can be left out.
        can = one_site(query) and not query.exclude_domains
        return super().filters_for(query) - (set() if can else {"domains"})

    def request(self, query: Query, key: str) -> Request:
        site = one_site(query)
        wanted = {
            "query": f"site:{site} {query.text}" if site else query.text,
            "count": min(query.limit, self.max_results),
            "lang": self.language_of(query),  # without it, English
        }
        return Request(
            url=self.base_url + "/search",
            params=drop_empty(wanted),
            headers={"API-Key": key or PUBLIC_KEY},
        )

    def hits(self, body: Any) -> list[Hit]:
        return [
            self.hit(r.get("url"), r.get("title"), r.get("description"))
            for r in rows(body["results"])
        ]

    def failure(self, reply: Reply) -> ProviderError | None:
        # 429 is the limit of a minute or of a day, told apart by a sentence in plain text.
        if reply.status == 429 and b"daily limit" in reply.body[:200].lower():
            return self.refusal(reply, QuotaExhausted)
        return super().failure(reply)

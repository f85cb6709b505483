"""Kagi: web and news, by its API of version 1."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from kensaku.errors import ProviderError, QuotaExhausted
from kensaku.models.query import date_window
from kensaku.providers._classify import reason_in
from kensaku.providers._filters import drop_empty, site_query, today
from kensaku.providers.base import Provider, Reply, Request, first_text, rows, section

if TYPE_CHECKING:
    from kensaku.models import Hit, Query

SECTIONS = ("search", "news", "interesting_news")
ANSWERS = ("direct_answer", "infobox")
# 429 is a rate or the end of the usage; its codes are not published, so these words have to do.
NOTHING_LEFT = ("usage", "exhausted", "credit")
A_DAY = timedelta(days=1)


class Kagi(Provider):
    name = "kagi"
    label = "Kagi"
    docs = "https://help.kagi.com/kagi/api/search.html"
    known_by = "sdk"
    known_source = "kagisearch/kagi-openapi-python 1.0.0, Search200Response"
    url = "https://kagi.com/api"
    key_variable = "KAGI_API_KEY"
    filters = frozenset({"dates", "domains", "country", "topic"})
    price = 0.012
    price_source = "kagisearch/kagi-docs/docs/kagi/api/api-portal.md, 2026-11"
    rate = "1/s"

    def request(self, query: Query, key: str) -> Request:
        first, last = date_window(query, today())
        narrow = {
            # "After this date" and "before this date": a day more is asked for on either side.
            "after": (first - A_DAY).isoformat() if first else None,
            "before": (last + A_DAY).isoformat() if last else None,
            "region": query.country,
        }
        wanted = {
            "query": site_query(query, self.max_query_chars),
            "limit": min(query.limit, self.max_results),
            "workflow": "news" if query.topic == "news" else "search",
            "filters": drop_empty(narrow),
        }
        return Request(
            url=self.base_url + "/v1/search",
            headers={"Authorization": f"Bearer {key}"},
            json=drop_empty(wanted),
        )

    def hits(self, body: Any) -> list[Hit]:
        # A section without results is left out of "data", and "data" of the reply.
        if "data" not in body and "meta" not in body:
            raise ValueError("not a search reply")
        found = section(body, "data")
        return [
            self.hit(r.get("url"), r.get("title"), r.get("snippet"), published=r.get("time"))
            for name in SECTIONS
            for r in rows(found, name)
        ]

    def answer(self, body: Any) -> str | None:
        found = [row for name in ANSWERS for row in rows(section(body, "data"), name)]
        return first_text(*(r.get(name) for r in found for name in ("snippet", "title")))

    def failure(self, reply: Reply) -> ProviderError | None:
        if reply.status == 429 and any(w in reason_in(reply).lower() for w in NOTHING_LEFT):
            return self.refusal(reply, QuotaExhausted)
        return super().failure(reply)

    def remedy(self, kind: type[ProviderError], reply: Reply) -> str:
        if reply.status == 403:  # the key is right, the address is not
            return "allow the address of this machine for KAGI_API_KEY"
        return super().remedy(kind, reply)

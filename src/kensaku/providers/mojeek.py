"""Mojeek: an independent crawler's index."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kensaku.providers._filters import bare, days, drop_empty
from kensaku.providers.base import Provider, Request, rows, text

if TYPE_CHECKING:
    from kensaku.models import Hit, Query


class Mojeek(Provider):
    name = "mojeek"
    label = "Mojeek"
    docs = "https://www.mojeek.com/support/api/search/request_parameters.html"
    url = "https://api.mojeek.com"
    key_variable = "MOJEEK_API_KEY"
    max_results = 30
    filters = frozenset({"dates", "domains", "country", "language"})
    family = "mojeek"
    price = 0.004
    rate = "1/s"

    def request(self, query: Query, key: str) -> Request:
        first, last = days(query)
        one = query.include_domains[0] if len(query.include_domains) == 1 else ""
        wanted = {
            "api_key": key,
            "q": query.text,
            "fmt": "json",
            "t": min(query.limit, self.max_results),
            "site": bare(one),  # one site or all
            "since": first.replace("-", ""),
            "before": last.replace("-", ""),
            "rb": query.country and query.country.upper(),
            "lb": query.language and query.language.upper(),
        }
        return Request(
            url=self.base_url + "/search",
            params=drop_empty(wanted),
        )

    def hits(self, body: Any) -> list[Hit]:
        reply = body["response"]
        if "results" not in reply and reply["status"] != "OK":
            raise ValueError("not a good reply")
        return [
            self.hit(r.get("url"), r.get("title"), r.get("desc"), published=r.get("pdate"))
            for r in rows(reply, "results")
        ]

    def complaint(self, body: Any) -> str:
        reply = body.get("response") if isinstance(body, dict) else None
        status = text(reply.get("status")) if isinstance(reply, dict) else ""
        return status if status not in ("", "OK") else super().complaint(body)

"""Mojeek: an independent crawler's index."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from kensaku.errors import KeyRefused, ProviderError, QuotaExhausted
from kensaku.models.query import date_window
from kensaku.providers._filters import bare, drop_empty, one_site, today
from kensaku.providers.base import Provider, Reply, Request, rows, text

if TYPE_CHECKING:
    from kensaku.models import Hit, Query


class Mojeek(Provider):
    name = "mojeek"
    label = "Mojeek"
    docs = "https://www.mojeek.com/support/api/search/request_parameters.html"
    known_by = "sdk"
    known_source = "openculinary/pymojeek/tests/fixtures.py"
    url = "https://api.mojeek.com"
    key_variable = "MOJEEK_API_KEY"
    max_results = 30
    filters = frozenset({"dates", "domains", "country", "language"})
    family = "mojeek"
    price = 0.004
    price_source = "unverified"
    rate = "1/s"

    def request(self, query: Query, key: str) -> Request:
        first, last = date_window(query, today())
        one = one_site(query)
        wanted = {
            "api_key": key,
            "q": query.text,
            "fmt": "json",
            "t": min(query.limit, self.max_results),
            "site": one,
            "fi": "" if one else ",".join(bare(d) for d in query.include_domains),
            "fe": ",".join(bare(d) for d in query.exclude_domains),
            "since": f"{first:%Y%m%d}" if first else None,
            # This day itself is not included.
            "before": f"{last + timedelta(days=1):%Y%m%d}" if last else None,
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

    def failure(self, reply: Reply) -> ProviderError | None:
        # It refuses with status 200: "ERROR: Daily Limit Reached".
        words = ""
        with suppress(ValueError):
            words = self.complaint(reply.json()) if reply.status == 200 else ""
        if "limit" in words.lower():
            return self.refusal(reply, QuotaExhausted, words)
        if re.search(r"\bkey\b|api_key", words, re.IGNORECASE):
            return self.refusal(reply, KeyRefused, words)
        return super().failure(reply)

    def complaint(self, body: Any) -> str:
        reply = body.get("response") if isinstance(body, dict) else None
        status = text(reply.get("status")) if isinstance(reply, dict) else ""
        return status if status not in ("", "OK") else super().complaint(body)

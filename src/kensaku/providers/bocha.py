"""Bocha (博查): the Chinese web, in the form that Bing's API had."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kensaku.errors import ProviderError, QuotaExhausted
from kensaku.providers._classify import reason_in
from kensaku.providers._filters import bare, drop_empty, freshness
from kensaku.providers.base import Provider, Reply, Request, rows, section

if TYPE_CHECKING:
    from kensaku.models import Hit, Query

RANGES = {"day": "oneDay", "week": "oneWeek", "month": "oneMonth", "year": "oneYear"}


class Bocha(Provider):
    name = "bocha"
    label = "Bocha"
    docs = "https://open.bochaai.com"
    url = "https://api.bochaai.com"
    key_variable = "BOCHA_API_KEY"
    filters = frozenset({"dates", "domains"})
    price = 0.005
    price_source = "unverified"
    rate = "5/s"

    def request(self, query: Query, key: str) -> Request:
        wanted = {
            "query": query.text,
            "count": min(query.limit, self.max_results),
            "summary": True,
            "freshness": freshness(query, RANGES, "{0}..{1}"),
            "include": "|".join(bare(d) for d in query.include_domains),
            "exclude": "|".join(bare(d) for d in query.exclude_domains),
        }
        return Request(
            url=self.base_url + "/v1/web-search",
            headers={"Authorization": f"Bearer {key}"},
            json=drop_empty(wanted),
        )

    def hits(self, body: Any) -> list[Hit]:
        return [
            self.hit(
                r.get("url"),
                r.get("name"),
                r.get("summary") or r.get("snippet"),
                published=r.get("datePublished") or r.get("dateLastCrawled"),
                favicon=r.get("siteIcon"),
            )
            for r in rows(section(body["data"], "webPages"), "value")
        ]

    def failure(self, reply: Reply) -> ProviderError | None:
        # The real status may stand in the body of a 200, as a number or as text.
        code = reply.status
        with suppress(ValueError, TypeError, KeyError):
            code = int(reply.json()["code"]) if code == 200 else code
        reply = reply if code == reply.status else replace(reply, status=code)
        if code == 403 and "money" in reason_in(reply):  # "You do not have enough money"
            return self.refusal(reply, QuotaExhausted)
        return super().failure(reply)

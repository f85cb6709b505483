"""Stack Exchange: questions of Stack Overflow, or of another of its sites."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from kensaku.errors import KeyRefused, ProviderError, RateLimited
from kensaku.providers._filters import drop_empty, seconds
from kensaku.providers.base import Provider, Reply, Request, member, rows, text

if TYPE_CHECKING:
    from kensaku.models import Hit, Query

_WAIT = re.compile(r"available in (\d{1,7}) seconds")


class StackExchange(Provider):
    name = "stackexchange"
    label = "Stack Exchange"
    docs = "https://api.stackexchange.com/docs/advanced-search"
    url = "https://api.stackexchange.com"
    key_variable = "STACKEXCHANGE_API_KEY"
    key_aliases = ("STACKEXCHANGE_KEY", "STACK_EXCHANGE_API_KEY")
    keyless = True  # 300 a day for one address; 10,000 with a key
    pooled = True
    specialist = True
    knows = frozenset({"code", "errors"})
    options = {"site": "STACKEXCHANGE_SITE"}
    max_results = 100
    filters = frozenset({"dates"})
    family = "stackexchange"
    rate = "10/s"  # above 30/s an address is shut out (api.stackexchange.com/docs/throttle)
    keyless_rate = "1/s"

    def request(self, query: Query, key: str) -> Request:
        first, last = seconds(query)
        wanted = {
            "q": query.text,
            "site": self.option.get("site") or "stackoverflow",
            "sort": "relevance",
            "order": "desc",
            "filter": "withbody",
            "pagesize": min(query.limit, self.max_results),
            "fromdate": first,
            "todate": last,
            "key": key,
        }
        return Request(self.base_url + "/2.3/search/advanced", params=drop_empty(wanted))

    def hits(self, body: Any) -> list[Hit]:
        return [
            self.hit(
                r.get("link"),
                r.get("title"),
                r.get("body"),
                published=r.get("creation_date"),
                author=member(r, "owner", "display_name"),
            )
            for r in rows(body["items"])
        ]

    def failure(self, reply: Reply) -> ProviderError | None:
        # Every error has status 400 and a name; the day's end is told in a sentence.
        name, words = _error(reply) if reply.status == 400 else ("", "")
        if name == "throttle_violation":
            error = self.refusal(reply, RateLimited, words)
            if wait := _WAIT.search(words):
                error.retry_after = float(wait[1])
            return error
        refused = KeyRefused if "`key`" in words else None
        return self.refusal(reply, refused, words) if words else super().failure(reply)


def _error(reply: Reply) -> tuple[str, str]:
    with suppress(ValueError, TypeError, AttributeError):
        body = reply.json()
        return text(body.get("error_name")), text(body.get("error_message"))
    return "", ""

"""Wikipedia: no key, one request for titles and introductions, in the language of the query."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from kensaku.errors import Outage, ProviderError, RateLimited
from kensaku.providers._filters import written_in
from kensaku.providers.base import Provider, Reply, Request, rows, text

if TYPE_CHECKING:
    from kensaku.models import Hit, Query

PROPS = "extracts|info|description|pageprops"
ERRORS = {"ratelimited": RateLimited, "maxlag": Outage, "cirrussearch-too-busy-error": Outage}
EDITIONS = {"nb": "no"}  # where the host is not the language's code


class Wikipedia(Provider):
    name = "wikipedia"
    label = "Wikipedia"
    docs = "https://www.mediawiki.org/wiki/API:Search"
    url = "https://en.wikipedia.org"
    keyless = True
    pooled = True
    max_query_chars = 300
    max_results = 20
    filters = frozenset({"language"})
    family = "wikipedia"
    keyless_rate = "5/s"

    @property
    def keyless_host(self) -> str:
        # The edition follows the language of each query.
        return "*.wikipedia.org" if self.base_url == self.url else super().keyless_host

    def request(self, query: Query, key: str) -> Request:
        return Request(
            url=self._host(query) + "/w/api.php",
            params={
                "action": "query",
                "format": "json",
                "formatversion": 2,
                "generator": "search",
                "gsrsearch": query.text,
                "gsrlimit": min(query.limit, self.max_results),
                "prop": PROPS,
                "exintro": 1,
                "explaintext": 1,
                "exlimit": "max",
                "inprop": "url",
                "ppprop": "disambiguation",
                "redirects": 1,
            },
        )

    def _host(self, query: Query) -> str:
        if self.base_url != self.url:  # somebody's own wiki, or a mirror
            return self.base_url
        language = query.language or written_in(query.text) or "en"
        return f"https://{EDITIONS.get(language, language)}.wikipedia.org"

    def hits(self, body: Any) -> list[Hit]:
        # Without a match there is no "query" member.
        if "query" not in body and "batchcomplete" not in body:
            raise ValueError("not a query's reply")
        pages = sorted(rows(body, "query", "pages"), key=lambda page: page.get("index", 0))
        return [
            self.hit(p.get("fullurl"), p.get("title"), p.get("extract") or p.get("description"))
            for p in pages
            if "disambiguation" not in (p.get("pageprops") or {})
        ]

    def failure(self, reply: Reply) -> ProviderError | None:
        error = _error(reply) if reply.status == 200 else {}
        kind = ERRORS.get(str(error.get("code")))
        return self.refusal(reply, kind) if kind else super().failure(reply)

    def complaint(self, body: Any) -> str:
        error = body.get("error") if isinstance(body, dict) else None
        return text(error.get("info")) if isinstance(error, dict) else super().complaint(body)


def _error(reply: Reply) -> dict[str, Any]:
    with suppress(ValueError, TypeError, KeyError):
        if b'"error"' in reply.body:
            return dict(reply.json()["error"])
    return {}

"""Microsoft Web IQ, heir of the Bing API: passages of pages for a query, and news."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kensaku.providers._filters import drop_empty, site_query
from kensaku.providers.base import Provider, Request, rows, text

if TYPE_CHECKING:
    from kensaku.models import Hit, Query

MAX_PASSAGE_CHARS = 5_000
MAX_NEWS = 20


class WebIq(Provider):
    name = "webiq"
    label = "Microsoft Web IQ"
    markup = False
    docs = "https://webiq.microsoft.ai/documentation/api-reference/web"
    known_by = "sdk"
    known_source = "webiq 0.1.8, WebResponse and NewsResponse"
    url = "https://api.microsoft.ai"
    key_variable = "WEBIQ_API_KEY"
    key_aliases = ("MICROSOFT_WEBIQ_API_KEY",)
    max_query_chars = 1_000
    max_results = 50
    filters = frozenset({"domains", "country", "language", "topic"})
    family = "bing"
    reads_pages = True  # it sends passages, not snippets
    rate = "5/s"

    def request(self, query: Query, key: str) -> Request:
        news = query.topic == "news"
        wanted = {
            "query": site_query(query, self.max_query_chars),
            "maxResults": min(query.limit, MAX_NEWS if news else self.max_results),
            "contentFormat": "passage",
            "maxLength": MAX_PASSAGE_CHARS,
            "language": self.language_of(query),
            "region": query.country and query.country.upper(),
        }
        return Request(
            url=f"{self.base_url}/v3/search/{'news' if news else 'web'}",
            headers={"x-apikey": key},
            json=drop_empty(wanted),
        )

    def language_of(self, query: Query) -> str | None:
        # Its client takes two letters and nothing else.
        return query.language if query.language and len(query.language) == 2 else None

    def hits(self, body: Any) -> list[Hit]:
        # Its client takes every member for optional; one of them makes it a reply.
        if not body.keys() & {"webResults", "newsResults", "traceId"}:
            raise ValueError("not a search reply")
        return [
            self.hit(
                r.get("url"), r.get("title"), r.get("content"),
                published=r.get("lastUpdatedAt"),  # `crawledAt` is no day of the page's own
                site=text(r["domain"]) if r.get("domain") else None,  # for redirects, in China
            )
            for name in ("webResults", "newsResults")
            for r in rows(body, name)
        ]  # fmt: skip

    def complaint(self, body: Any) -> str:
        if isinstance(body, dict) and body.get("errorCode"):
            return text(body.get("userMessage")) or text(body["errorCode"])
        return super().complaint(body)

"""Microsoft Web IQ, heir of the Bing API: passages of pages for a query, and news."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kensaku.providers._filters import drop_empty, site_query
from kensaku.providers.base import Provider, Request, member, rows, text

if TYPE_CHECKING:
    from kensaku.models import Hit, Query

MAX_PASSAGE_CHARS = 5_000


class WebIq(Provider):
    name = "webiq"
    label = "Microsoft Web IQ"
    markup = False
    docs = "https://webiq.microsoft.ai/documentation/api-reference/web"
    url = "https://api.microsoft.ai"
    key_variable = "WEBIQ_API_KEY"
    key_aliases = ("MICROSOFT_WEBIQ_API_KEY",)
    max_query_chars = 1_000
    max_results = 50
    filters = frozenset({"domains", "country", "language"})
    family = "bing"
    reads_pages = True  # it sends passages, not snippets
    rate = "5/s"

    def request(self, query: Query, key: str) -> Request:
        wanted = {
            "query": site_query(query, self.max_query_chars),
            "maxResults": min(query.limit, self.max_results),
            "contentFormat": "passage",
            "maxLength": MAX_PASSAGE_CHARS,
            "language": query.language,
            "region": query.country and query.country.upper(),
        }
        return Request(
            url=self.base_url + "/v3/search/web",
            headers={"x-apikey": key},
            json=drop_empty(wanted),
        )

    def hits(self, body: Any) -> list[Hit]:
        return [
            self.hit(
                r.get("url"), r.get("title"), _passages(r.get("content")),
                published=r.get("lastUpdatedAt"),  # `crawledAt` is no day of the page's own
            )
            for r in rows(body["webResults"])
        ]  # fmt: skip


def _passages(content: Any) -> str:
    """The passages as one text: they come as one, or as a list of texts or objects."""
    parts = content if isinstance(content, list) else [content]
    return text([member(p, "text") if isinstance(p, dict) else p for p in parts])

"""Hacker News: stories, by Algolia's index of the site."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kensaku.providers._filters import drop_empty, seconds
from kensaku.providers.base import Provider, Request, rows

if TYPE_CHECKING:
    from kensaku.models import Hit, Query

ITEM = "https://news.ycombinator.com/item?id="


class HackerNews(Provider):
    name = "hackernews"
    label = "Hacker News"
    docs = "https://hn.algolia.com/api"
    url = "https://hn.algolia.com"
    keyless = True
    specialist = True
    max_query_chars = 512  # Algolia leaves out what is longer
    max_results = 100
    filters = frozenset({"dates"})
    family = "hackernews"
    rate = keyless_rate = "2/s"  # 10,000 an hour for one address

    def request(self, query: Query, key: str) -> Request:
        first, last = seconds(query)
        bounds = [f"created_at_i>={first}"] if first else []
        bounds += [f"created_at_i<={last}"] if last else []
        wanted = {
            "query": query.text,
            "tags": "story",
            "hitsPerPage": min(query.limit, self.max_results),
            "numericFilters": ",".join(bounds),
        }
        return Request(self.base_url + "/api/v1/search", params=drop_empty(wanted))

    def hits(self, body: Any) -> list[Hit]:
        return [
            self.hit(
                # A question to the readers has no address but its own page.
                r.get("url") or (ITEM + str(r["objectID"]) if r.get("objectID") else ""),
                r.get("title"),
                r.get("story_text"),
                published=r.get("created_at"),
                author=r.get("author"),
            )
            for r in rows(body["hits"])
        ]

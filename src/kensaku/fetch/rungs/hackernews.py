"""Hacker News: an item with its comments, by Algolia's API."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from kensaku.fetch.rungs._thread import Post, by, thread
from kensaku.fetch.rungs.base import Ask, Copy, Service, no_copy
from kensaku.foreign_json import decode_json

if TYPE_CHECKING:
    from yarl import URL

    from kensaku.fetch.transport import PageResponse


class HackerNews(Service):
    name = "hackernews"
    url = "https://hn.algolia.com"
    docs = "https://hn.algolia.com/api"

    def ask(self, url: URL) -> Ask | None:
        item = url.query.get("id", "")
        wanted = url.host == "news.ycombinator.com" and url.path == "/item"
        if not wanted or not (item.isascii() and item.isdecimal() and len(item) <= 12):
            return None
        return Ask(f"{self.base_url}/api/v1/items/{item}", _read, is_api=True)


def _read(reply: PageResponse) -> Copy:
    item = decode_json(reply.body)
    title = str(item.get("title") or "") or by("Comment", item.get("author"))
    posts = list(_posts(item))
    if not (item.get("url") or any(post.html for post in posts)):
        raise no_copy()
    return Copy(thread(title, posts), "text/html", reply.url)


def _posts(item: Mapping[str, Any]) -> Iterator[Post]:
    """Yield an item and its comments, each before the replies to it."""
    points, day = item.get("points"), str(item.get("created_at") or "")[:10]
    told = f"{points} points" if isinstance(points, int) else ""
    yield Post(by(item.get("author"), day, told, item.get("url")), str(item.get("text") or ""))
    for child in item.get("children") or ():
        yield from _posts(child)  # decode_json bounds the depth

"""Reddit: threads and subreddits, by their feeds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kensaku.fetch.rungs._atom import read_feed
from kensaku.fetch.rungs._thread import Post, by, thread
from kensaku.fetch.rungs.base import Ask, Copy, Service, no_copy
from kensaku.messages import msg

if TYPE_CHECKING:
    from yarl import URL

    from kensaku.fetch.transport import PageResponse

_HOSTS = frozenset({"reddit.com", *(f"{n}.reddit.com" for n in ("www", "old", "new", "np", "m"))})
_THREAD = re.compile(r"((?:/r/\w{1,50})?/comments/[a-z0-9]{1,12})(?:/.*)?")
_LIST = re.compile(r"(/(?:r|user)/[\w-]{1,50}(?:/(?:hot|new|top|rising|submitted|comments))?)/?")


class Reddit(Service):
    name = "reddit"
    url = "https://www.reddit.com"
    docs = "https://www.reddit.com/wiki/rss"

    def ask(self, url: URL) -> Ask | None:
        path = _THREAD.fullmatch(url.path) or _LIST.fullmatch(url.path)
        if url.host not in _HOSTS or path is None:
            return None
        return Ask(f"{self.base_url}{path[1]}/.rss", _read)


def _read(reply: PageResponse) -> Copy:
    title, entries = read_feed(reply.body)
    if not entries:
        raise no_copy()
    # A comment's title is "/u/name on …": the name is told already.
    posts = [
        Post(by(*e.authors, e.date, "" if e.title.startswith("/u/") else e.title), e.html)
        for e in entries
    ]
    note = msg("its feed, which has the first {n} post", "its feed, which has the first {n} posts",
               n=len(posts))  # fmt: skip
    return Copy(thread(title, posts), "text/html", reply.url, note=note)

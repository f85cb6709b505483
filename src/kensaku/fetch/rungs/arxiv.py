"""arXiv: the abstract of a paper, by its API."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

from kensaku.fetch.rungs._atom import read_feed
from kensaku.fetch.rungs._thread import Post, by, thread
from kensaku.fetch.rungs.base import Ask, Copy, Service, no_copy
from kensaku.messages import msg

if TYPE_CHECKING:
    from yarl import URL

    from kensaku.fetch.transport import PageResponse

_HOSTS = frozenset({"arxiv.org", "www.arxiv.org"})
_PAPER = re.compile(
    r"/(?:abs|pdf|html)/((?:\d{4}\.\d{4,5}|[a-z-]{2,20}(?:\.[A-Z]{2})?/\d{7})(?:v\d{1,2})?)"
    r"(?:\.pdf)?/?"
)


class Arxiv(Service):
    name = "arxiv"
    url = "https://export.arxiv.org"
    docs = "https://info.arxiv.org/help/api/user-manual.html"

    def ask(self, url: URL) -> Ask | None:
        paper = _PAPER.fullmatch(url.path)
        if url.host not in _HOSTS or paper is None:
            return None
        return Ask(
            f"{self.base_url}/api/query?id_list={paper[1]}&max_results=1", _read, is_api=True
        )


def _read(reply: PageResponse) -> Copy:
    entries = read_feed(reply.body)[1]
    # A paper that it does not know is an entry that describes the error.
    if not entries or "/api/errors" in entries[0].id or not entries[0].html:
        raise no_copy()
    paper = entries[0]
    post = Post(by(", ".join(paper.authors), paper.date), f"<p>{escape(paper.html)}</p>")
    title = " ".join(paper.title.split())
    return Copy(thread(title, [post]), "text/html", reply.url, note=msg("only the abstract"))

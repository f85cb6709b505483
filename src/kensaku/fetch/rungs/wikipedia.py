"""Wikipedia: an article, by MediaWiki's REST API."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import quote

from kensaku.fetch.rungs.base import Ask, Copy, Service

if TYPE_CHECKING:
    from yarl import URL

    from kensaku.fetch.transport import PageResponse

_HOST = re.compile(r"([a-z-]{2,20})(?:\.m)?\.wikipedia\.org")


class Wikipedia(Service):
    name = "wikipedia"
    url = ""  # each language has a host
    docs = "https://www.mediawiki.org/wiki/API:REST_API/Reference"

    def ask(self, url: URL) -> Ask | None:
        host = _HOST.fullmatch(url.host or "")
        title = url.path.removeprefix("/wiki/") if url.path.startswith("/wiki/") else ""
        if url.path == "/w/index.php":
            title = url.query.get("title", "")
        if host is None or not title:
            return None
        base = self.base_url or f"https://{host[1]}.wikipedia.org"
        return Ask(f"{base}/w/rest.php/v1/page/{quote(title, safe='')}/html", _read, is_api=True)


def _read(reply: PageResponse) -> Copy:
    return Copy(reply.body, reply.headers.get("content-type", ""), reply.url)

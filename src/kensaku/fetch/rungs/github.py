"""GitHub: files and READMEs, as they are stored."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kensaku.fetch.rungs.base import Ask, Copy, Service
from kensaku.messages import msg

if TYPE_CHECKING:
    from yarl import URL

    from kensaku.fetch.transport import PageResponse

HOSTS = frozenset({"github.com", "www.github.com"})
REPOSITORY = r"/([A-Za-z0-9][A-Za-z0-9-]{0,38})/([\w.-]{1,100})"
_FILE = re.compile(REPOSITORY + r"/(?:blob|raw)/(.+)", re.ASCII)
_ROOT = re.compile(REPOSITORY + "/?", re.ASCII)
_NO_OWNERS = frozenset(
    {"about", "collections", "customer-stories", "enterprise", "features", "login", "marketplace",
     "orgs", "pricing", "search", "security", "settings", "sponsors", "topics", "trending"}
)  # fmt: skip


class GitHub(Service):
    name = "github"
    url = "https://raw.githubusercontent.com"
    docs = "https://docs.github.com/en/repositories/working-with-files/using-files"

    def ask(self, url: URL) -> Ask | None:
        if url.host not in HOSTS:
            return None
        # The path is cut as it was sent: a "%2F" in it stays one.
        if file := _FILE.fullmatch(url.raw_path):
            return Ask(f"{self.base_url}/{file[1]}/{file[2]}/{file[3]}", _read)
        root = _ROOT.fullmatch(url.raw_path)
        if root is None or root[1] in _NO_OWNERS:
            return None
        return Ask(f"{self.base_url}/{root[1]}/{root[2]}/HEAD/README.md", _read_readme)


def _read(reply: PageResponse) -> Copy:
    kind = reply.headers.get("content-type", "")  # text/plain for Markdown, too
    if reply.url.lower().endswith((".md", ".markdown")):
        kind = "text/markdown; charset=utf-8"
    return Copy(reply.body, kind, reply.url)


def _read_readme(reply: PageResponse) -> Copy:
    kind = "text/markdown; charset=utf-8"
    return Copy(reply.body, kind, reply.url, note=msg("only its README"))

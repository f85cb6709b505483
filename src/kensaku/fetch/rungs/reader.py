"""A reader: a service that returns the page behind its own address as Markdown, as Jina's does."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from kensaku.errors import PageUnavailable
from kensaku.fetch.rungs.base import Ask, Copy, Service, no_copy
from kensaku.messages import msg

if TYPE_CHECKING:
    from yarl import URL

    from kensaku.fetch.transport import PageResponse

_CONTENT = "Markdown Content:\n"
_HEAD_CHARS = 4_000  # title, address, date and warnings


class Reader(Service):
    name = "reader"
    url = ""
    docs = "https://github.com/jina-ai/reader"
    rung = "reader"

    def __init__(self, base_url: str, reveal_key: Callable[[], str] | None = None) -> None:
        super().__init__(base_url)
        self._reveal_key = reveal_key  # no object shows the key itself

    def ask(self, url: URL) -> Ask | None:
        headers = {"Accept": "text/plain"}
        if self._reveal_key is not None:
            headers["Authorization"] = f"Bearer {self._reveal_key()}"
        return Ask(f"{self.base_url}/{url}", _read, headers, is_api=True)


def _read(reply: PageResponse) -> Copy:
    text = reply.body.decode("utf-8", "replace")
    head, mark, body = text.partition(_CONTENT)
    kind = "text/markdown; charset=utf-8"
    if not mark or len(head) > _HEAD_CHARS:  # a reader of another make: the text alone
        return Copy(reply.body, reply.headers.get("content-type") or kind, reply.url)
    told = [line.partition(": ") for line in head.splitlines()]
    warnings = [value for name, _, value in told if name == "Warning"]
    # It answers 200 for whatever it got: an error page, or the same check for robots.
    if any("returned error" in w or "CAPTCHA" in w for w in warnings):
        raise PageUnavailable(msg("it could not read the page either"))
    if not body.strip():
        raise no_copy()
    title = next((value.strip() for name, _, value in told if name == "Title"), "")
    heading = f"# {title}\n\n" if title and not body.lstrip().startswith("# ") else ""
    return Copy((heading + body).encode(), kind, reply.url)

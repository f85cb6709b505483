"""The URL gate: pages are read only if a person or a result named their address.

    admit(urls)  from results, or from whoever speaks for the person (`Kensaku.allow_urls`)
    check(url)   → `NotNamed` for every other address

A page, or a model that believes it, cannot then have addresses fetched that it made up, which is
how data leaves in a URL. It is on with the setting `fetch.gate`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from urllib.parse import urldefrag

from kensaku.errors import AddressRefused
from kensaku.messages import msg

MAX_ADDRESSES = 20_000  # that are remembered, the newest


class NotNamed(AddressRefused):
    """Neither a person nor a result named this address."""


class UrlGate:
    """Remembers which addresses were named."""

    def __init__(self) -> None:
        self._named: OrderedDict[str, None] = OrderedDict()

    def admit(self, urls: Iterable[str]) -> None:
        """Let these be read from now on."""
        for url in urls:
            self._named[_form(url)] = None
            self._named.move_to_end(_form(url))
        while len(self._named) > MAX_ADDRESSES:
            self._named.popitem(last=False)

    def check(self, url: str) -> None:
        """Raise `NotNamed` unless a result or the caller named the URL."""
        if _form(url) not in self._named:
            raise NotNamed(
                msg("no result and no person named this address"),
                remedy=msg(
                    "search for the page first; programs: Kensaku.allow_urls, or fetch.gate"
                ),
            )


def _form(url: str) -> str:
    bare = urldefrag(str(url).strip())[0]
    return bare.rstrip("/") if bare.count("/") == 3 else bare

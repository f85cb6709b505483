"""Headers that are for the pages of one host alone, such as the cookie of a session. Pure.

    URL of the page → Credentials.entry → the host of the setting, or None
    URL of a hop    → Credentials.headers(url, entry) → what to send there

The host of the page that was asked for decides: a redirect from elsewhere brings no headers along,
and one that leaves the host leaves them behind.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

from kensaku.fetch.signature import authority_of

if TYPE_CHECKING:
    from yarl import URL

    from kensaku.transport.guard import AddressGuard


class Hidden(Protocol):
    """A text that nothing shows by accident."""

    def reveal(self) -> str: ...


class Credentials:
    """The headers of the settings, by host."""

    def __init__(self, hosts: Mapping[str, Mapping[str, Hidden]], guard: AddressGuard) -> None:
        self._hosts, self._guard = hosts, guard

    def entry(self, url: URL) -> str | None:
        """Return the host of the settings that a URL is under; the longest one counts.

        Nothing is sent without TLS, except to a host that the operator has allowed by its name or
        address: that one is inside.
        """
        if url.scheme != "https" and not self._guard.is_own_host(url.raw_host or ""):
            return None
        authority = authority_of(url)
        if authority in self._hosts:
            return authority
        parts = authority.split(".")
        suffixes = ("." + ".".join(parts[n:]) for n in range(1, len(parts)))
        return next((suffix for suffix in suffixes if suffix in self._hosts), None)

    def headers(self, url: URL, entry: str | None) -> dict[str, str]:
        """Return what to send to `url`, on the way to a page under `entry`."""
        if entry is None or self.entry(url) != entry:
            return {}
        return {name: value.reveal() for name, value in self._hosts[entry].items()}

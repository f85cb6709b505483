"""What a reverse proxy that the operator trusts says of the address that its client asked for.

    X-Forwarded-Prefix: /search     the path that the proxy cut off
    X-Forwarded-Proto: https        how the client reached the proxy

Anybody can send these headers. They count from the addresses of `trusted_proxies` alone, and only
if they are sent once: what they say stands in every link of the page.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import TYPE_CHECKING, NamedTuple

from kensaku.config.parsers import root_path

if TYPE_CHECKING:
    from starlette.types import Scope

PREFIX, PROTO = b"x-forwarded-prefix", b"x-forwarded-proto"
MAX_PREFIX = 200  # characters


class Told(NamedTuple):
    """What a trusted proxy has said. `root` is None if it said nothing of a path."""

    root: str | None = None
    scheme: str = ""


NOTHING = Told()


class TrustedProxies:
    """The proxies that are believed."""

    def __init__(self, networks: Iterable[str]) -> None:
        self._networks = tuple(ip_network(network) for network in networks)

    def told(self, scope: Scope) -> Told:
        """Return what the peer says of the client's address, if it is a trusted proxy."""
        peer = (scope.get("client") or ("",))[0]
        if not self._networks or not _is_in(peer, self._networks):
            return NOTHING
        prefix, proto = (_only(scope, name) for name in (PREFIX, PROTO))
        return Told(_root(prefix), proto if proto in ("http", "https") else "")


@lru_cache(maxsize=1_024)  # asked for every request, of a few proxies
def _is_in(peer: str, networks: tuple[IPv4Network | IPv6Network, ...]) -> bool:
    try:
        address = ip_address(peer)
    except ValueError:
        return False
    if isinstance(address, IPv6Address) and address.ipv4_mapped:
        address = address.ipv4_mapped
    return any(address in network for network in networks)


def _only(scope: Scope, name: bytes) -> str | None:
    """The value of a header that was sent once. Twice: one of them may be the client's own."""
    sent = [value for header, value in scope["headers"] if header == name]
    return sent[0].decode("latin-1") if len(sent) == 1 else None


def _root(prefix: str | None) -> str | None:
    """The path of a header, or None if it is none."""
    if prefix is None or len(prefix) > MAX_PREFIX:
        return None
    try:
        return root_path(prefix) or None
    except ValueError:
        return None

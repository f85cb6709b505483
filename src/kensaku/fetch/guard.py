"""Which addresses may be fetched: pure, no I/O, no name is looked up here.

    text → well_formed → (parsed once, by the HTTP library) → Guard.target → Target
    every address a name has → Guard.admits → connect to one of exactly these

The ranges are our own, from the IANA special-purpose registries: `ipaddress.is_global` answers
differently from one Python to the next, and counts multicast as global on all of them. For IPv6
there is no list of bad ranges to keep up with: only 2000::/3 is in use for the public Internet.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)

from kensaku.errors import AddressRefused, ConfigError

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

PORTS = frozenset({80, 443, 8080, 8443})
MAX_URL_CHARS = 8_192

_CLOSED_V4 = tuple(
    map(
        IPv4Network,
        (
            "0.0.0.0/8",  # "this network"; Linux takes 0.0.0.0 for the loopback
            "10.0.0.0/8",
            "100.64.0.0/10",  # carrier NAT; Alibaba's metadata is 100.100.100.200
            "127.0.0.0/8",
            "168.63.129.16/32",  # Azure's WireServer: a public number that only guests reach
            "169.254.0.0/16",  # link-local, and the metadata of most clouds
            "172.16.0.0/12",
            "192.0.0.0/24",  # IETF assignments; Oracle's metadata is 192.0.0.192
            "192.0.2.0/24",
            "192.31.196.0/24",  # AS112
            "192.52.193.0/24",  # AMT relays
            "192.88.99.0/24",  # 6to4 relays, given up
            "192.168.0.0/16",
            "192.175.48.0/24",  # AS112
            "198.18.0.0/15",  # benchmarks; also what "fake IP" proxies hand out
            "198.51.100.0/24",
            "203.0.113.0/24",
            "224.0.0.0/4",
            "240.0.0.0/4",
        ),
    )
)
_OPEN_V6 = IPv6Network("2000::/3")
_CLOSED_V6 = tuple(
    map(
        IPv6Network,
        (
            "2001::/23",  # IETF assignments: Teredo, ORCHID, benchmarks, …
            "2001:db8::/32",
            "2002::/16",  # 6to4: any IPv4 address in disguise
            "2620:4f:8000::/48",  # AS112
            "3ffe::/16",  # the 6bone, given back
            "3fff::/20",
        ),
    )
)
# Where an IPv4 address stands in an IPv6 one: how many bits from the right.
_CARRIES_V4 = (
    (IPv6Network("::/96"), 0),  # IPv4-compatible
    (IPv6Network("::ffff:0:0/96"), 0),  # IPv4-mapped
    (IPv6Network("::ffff:0:0:0/96"), 0),  # SIIT
    (IPv6Network("64:ff9b::/96"), 0),  # NAT64
    (IPv6Network("64:ff9b:1::/48"), 0),  # NAT64, local use
    (IPv6Network("2002::/16"), 80),  # 6to4
)
_TEREDO = IPv6Network("2001::/32")
_ISATAP = (0x00005EFE, 0x02005EFE)  # the upper half of the interface identifier

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\\]")
_NAME = re.compile(r"[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*\.?")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_INSIDE = ("localhost", "local", "internal", "intranet", "lan", "home", "corp", "localdomain")


@dataclass(frozen=True, slots=True)
class Target:
    """Where a URL leads, after it was found to be one that may be asked."""

    scheme: str
    host: str  # as it is connected to: lower case, punycode, no brackets
    port: int
    address: Address | None  # when the host is an address already


@dataclass(frozen=True, slots=True)
class Guard:
    """The rules: public addresses and web ports, and what the operator allows besides."""

    networks: tuple[Network, ...] = ()
    names: frozenset[str] = frozenset()
    ports: frozenset[int] | None = PORTS  # None: any

    @classmethod
    def allowing(cls, allow: Iterable[str] = (), ports: Iterable[int] | None = PORTS) -> Guard:
        """A guard that also lets through these networks, addresses and host names.

        `10.1.0.0/16`, `::1`, `wiki.internal`, or `.internal` for everything under it.
        """
        networks, names = [], set()
        for entry in allow:
            try:
                networks.append(ip_network(entry.strip("[] "), strict=False))
            except ValueError:
                name = entry.strip().lower().rstrip(".")
                if not _NAME.fullmatch(name.lstrip(".")) or _is_numeric(name):
                    raise ConfigError(
                        f"fetch.allow holds {entry[:60]!r}; expected a network such as "
                        "10.0.0.0/8, an address, or a host name"
                    ) from None
                names.add(name)
        return cls(tuple(networks), frozenset(names), None if ports is None else frozenset(ports))

    def target(self, scheme: str, host: str | None, port: int | None, proxied: bool) -> Target:
        """Judge the parts of a URL. `proxied`: a proxy will look the name up, so names that can
        only be inside are refused here, where the addresses will not be seen."""
        if scheme not in ("http", "https"):
            raise AddressRefused("a web address starts with http:// or https://")
        if not host:
            raise AddressRefused("the address has no host")
        if port is None or not (self.ports is None or port in self.ports) or not port:
            raise refused()
        address = _literal(host)
        if address is None:
            if len(host) > 253 or not _NAME.fullmatch(host) or _is_numeric(host):
                raise refused()
            if proxied and self._only_inside(host):
                raise refused()
        elif not self.admits(address):
            raise refused()
        return Target(scheme, host, port, address)

    def admits(self, address: str | Address, host: str = "") -> bool:
        """Whether this very address may be connected to, as one of those that `host` has."""
        if isinstance(address, str):
            found = _literal(address)
            if found is None:
                return False
            address = found
        if host and self._named(host):
            return True
        carried = carried_v4(address)
        if self._allowed(address):
            return carried is None or self._allowed(carried) or is_public(carried)
        return is_public(address)

    def _allowed(self, address: Address) -> bool:
        return any(address.version == n.version and address in n for n in self.networks)

    def _named(self, host: str) -> bool:
        if not self.names:
            return False
        host = host.rstrip(".")
        parts = host.split(".")
        return host in self.names or any(
            "." + ".".join(parts[i:]) in self.names for i in range(1, len(parts))
        )

    def _only_inside(self, host: str) -> bool:
        labels = host.rstrip(".").split(".")
        return (len(labels) == 1 or labels[-1] in _INSIDE) and not self._named(host)


def refused() -> AddressRefused:
    """The one answer to an address that is closed, does not exist, or does not answer.

    Whoever may choose what is fetched must not learn from it what there is on our network.
    """
    return AddressRefused(
        "the address cannot be fetched: it is not public, does not exist, or does not answer",
        remedy="check the URL; addresses of your own network need the setting fetch.allow",
    )


def well_formed(text: object) -> str:
    """The text of a URL, when no two parsers can disagree on its beginning."""
    if not isinstance(text, str):
        raise AddressRefused("a web address is text")
    text = text.strip(" \t\r\n")
    if len(text) > MAX_URL_CHARS:
        raise AddressRefused(f"the address is longer than {MAX_URL_CHARS:,} characters")
    if _CONTROL.search(text):
        raise AddressRefused("the address holds a backslash or a control character")
    return text


@lru_cache(4096)
def is_public(address: Address) -> bool:
    """Whether an address belongs to the public Internet."""
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _CLOSED_V4)
    if address not in _OPEN_V6 or any(address in network for network in _CLOSED_V6):
        return False
    carried = carried_v4(address)
    return carried is None or is_public(carried)


def carried_v4(address: Address) -> IPv4Address | None:
    """The IPv4 address that a transition mechanism would make of an IPv6 one."""
    if isinstance(address, IPv4Address):
        return None
    number = int(address)
    if number <= 0xFFFF:  # :: and ::1 are addresses of their own
        return None
    for network, shift in _CARRIES_V4:
        if address in network:
            return IPv4Address(number >> shift & 0xFFFFFFFF)
    if address in _TEREDO:
        return IPv4Address(~number & 0xFFFFFFFF)
    if number >> 32 & 0xFFFFFFFF in _ISATAP:
        return IPv4Address(number & 0xFFFFFFFF)
    return None


def _literal(host: str) -> Address | None:
    """The address that a host is, in its one proper spelling; zones such as %eth0 are not."""
    try:
        return None if "%" in host else ip_address(host.rstrip("."))
    except ValueError:
        return None


def _is_numeric(host: str) -> bool:
    """A name whose last label is a number is an old spelling of an address (127.1, 0x7f.1,
    2130706433), and each library reads it in its own way."""
    return _NUMBER.fullmatch(host.rstrip(".").rpartition(".")[2]) is not None

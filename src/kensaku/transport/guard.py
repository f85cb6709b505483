"""SSRF guard: which URLs and addresses may be fetched. Pure: no I/O, no name is looked up here.

    text → well_formed → yarl → AddressGuard.target → CheckedURL
    every address of a name → AddressGuard.admits → connect to one of exactly these

The ranges come from the IANA special-purpose registries, not from `ipaddress.is_global`: that
differs between Python versions, and counts multicast as global in all of them. For IPv6 there is no
list of bad ranges to keep up with: only 2000::/3 is in use for the public Internet.
"""

from __future__ import annotations

import re
import socket
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
from typing import TYPE_CHECKING

from kensaku.errors import AddressRefused, ConfigError
from kensaku.messages import msg

if TYPE_CHECKING:
    from yarl import URL

    from kensaku.transport.egress import Egress

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

PORTS = frozenset({80, 443, 8080, 8443})
MAX_URL_CHARS = 8_192
UNPARSABLE = (ValueError, TypeError, LookupError)  # yarl 1.25 raises IndexError for "http://[]a@"

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
# Networks that embed an IPv4 address, and how many bits from the right it stands.
_EMBEDS_V4 = (
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
_INTERNAL_SUFFIXES = (
    "localhost",
    "local",
    "internal",
    "intranet",
    "lan",
    "home",
    "corp",
    "localdomain",
)


@dataclass(frozen=True, slots=True)
class CheckedURL:
    """A URL that `AddressGuard.check` has admitted, parsed once.

    The HTTP library gets this very object. Text that is parsed again could be read differently.
    """

    parsed: URL

    def __str__(self) -> str:
        return str(self.parsed)


@dataclass(frozen=True, slots=True)
class Target:
    """The host and port of a URL that may be fetched."""

    scheme: str
    host: str  # as it is connected to: lower case, punycode, no brackets
    port: int
    address: Address | None  # when the host is an address already


@dataclass(frozen=True, slots=True)
class AddressGuard:
    """Admit public addresses and web ports, and what the operator allows besides."""

    networks: tuple[Network, ...] = ()
    names: frozenset[str] = frozenset()
    ports: frozenset[int] | None = PORTS  # None: any
    egress: Egress | None = None  # narrows all of it

    @classmethod
    def allowing(
        cls, allow: Iterable[str] = (), ports: Iterable[int] | None = PORTS
    ) -> AddressGuard:
        """Make a guard that also admits these networks, addresses and host names.

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
                        msg(
                            "fetch.allow holds {entry!r}; expected a network such as "
                            "10.0.0.0/8, an address, or a host name",
                            entry=entry[:60],
                        )
                    ) from None
                names.add(name)
        return cls(tuple(networks), frozenset(names), None if ports is None else frozenset(ports))

    def check(self, text: str, *, proxied: bool = False) -> CheckedURL:
        """Parse a URL and check scheme, host and port. Drop fragment, user name and password."""
        from yarl import URL

        try:
            url = URL(well_formed(text)).with_fragment(None)
            if url.scheme in ("http", "https") and (url.raw_user or url.raw_password):
                url = url.with_user(None)
            self.target(url.scheme, url.raw_host, url.port, proxied=proxied)
        except UNPARSABLE:
            raise AddressRefused(msg("this is not a web address")) from None
        return CheckedURL(url)

    def target(self, scheme: str, host: str | None, port: int | None, proxied: bool) -> Target:
        """Check the parts of a URL.

        With `proxied`, the operator's proxy looks names up and we never see their addresses, so
        names that can only be internal are refused here.
        """
        if scheme not in ("http", "https"):
            raise AddressRefused(msg("a web address starts with http:// or https://"))
        if not host:
            raise AddressRefused(msg("the address has no host"))
        if port is None or not (self.ports is None or port in self.ports) or not port:
            raise refused()
        address = literal_address(host)
        if address is None:
            if len(host) > 253 or not _NAME.fullmatch(host) or _is_numeric(host):
                raise refused()
            if proxied and self._is_internal(host):
                raise refused()
            self._check_egress(host, proxied=proxied)
        elif not self.admits(address):
            raise refused()
        return Target(scheme, host, port, address)

    def admits(self, address: str | Address, host: str = "") -> bool:
        """Tell whether an address of `host` may be connected to."""
        if isinstance(address, str):
            literal = literal_address(address)
            if literal is None:
                return False
            address = literal
        if self.egress is not None and not self.egress.allows(address, host):
            return False
        if host and self._is_allowed_name(host):
            return True
        embedded = embedded_v4(address)
        if self._is_allowed(address):
            return embedded is None or self._is_allowed(embedded) or is_public(embedded)
        return is_public(address)

    def is_own_host(self, host: str) -> bool:
        """Tell whether the operator has allowed a host by its name or address."""
        address = literal_address(host)
        return self._is_allowed_name(host) if address is None else self._is_allowed(address)

    def is_public_host(self, host: str) -> bool:
        """Tell whether a host is one of the public web, by its name or address alone."""
        address = literal_address(host)
        if address is not None:
            return is_public(address) and not self._is_allowed(address)
        return not self._is_internal(host) and not self._is_allowed_name(host)

    def _check_egress(self, host: str, *, proxied: bool) -> None:
        """Refuse a name that `egress` does not allow, before it is looked up."""
        if self.egress is None:
            return
        allowed = self.egress.allows_name(host)
        if allowed is False or (allowed is None and proxied and not self.egress.public):
            raise AddressRefused(
                msg("egress does not allow this host"),
                remedy=msg("the setting egress says where connections may go"),
            )

    def _is_allowed(self, address: Address) -> bool:
        return any(address.version == n.version and address in n for n in self.networks)

    def _is_allowed_name(self, host: str) -> bool:
        if not self.names:
            return False
        host = host.rstrip(".")
        parts = host.split(".")
        return host in self.names or any(
            "." + ".".join(parts[i:]) in self.names for i in range(1, len(parts))
        )

    def _is_internal(self, host: str) -> bool:
        labels = host.rstrip(".").split(".")
        return (len(labels) == 1 or labels[-1] in _INTERNAL_SUFFIXES) and not self._is_allowed_name(
            host
        )


def refused() -> AddressRefused:
    """Make the one error for an address that is closed, does not exist or does not answer.

    Whoever chooses what is fetched must not learn from the error what is on our network.
    """
    return AddressRefused(
        msg("the address cannot be fetched: it is not public, does not exist, or does not answer"),
        remedy=msg(
            "check the URL and the network; addresses of your own network need --allow-private, or "
            "the setting fetch.allow"
        ),
    )


def no_network() -> AddressRefused:
    """Make the error for a name that cannot be looked up, because there is no network."""
    return AddressRefused(
        msg("there is no network"),
        remedy=msg("connect this machine; addresses of your own network need --allow-private"),
    )


def is_offline() -> bool:
    """Tell whether this machine has no route to the internet. Nothing is sent."""
    for family, address in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")):
        try:
            with socket.socket(family, socket.SOCK_DGRAM) as probe:
                probe.connect((address, 9))
                return False
        except OSError:
            continue
    return True


def well_formed(text: object) -> str:
    """Return the stripped text of a URL; refuse what two parsers could read differently."""
    if not isinstance(text, str):
        raise AddressRefused(msg("a web address is text"))
    text = text.strip(" \t\r\n")
    if len(text) > MAX_URL_CHARS:
        raise AddressRefused(
            msg(
                "the address is longer than {max_url_chars:,} characters",
                max_url_chars=MAX_URL_CHARS,
            )
        )
    if _CONTROL.search(text):
        raise AddressRefused(msg("the address holds a backslash or a control character"))
    return text


@lru_cache(4096)
def is_public(address: Address) -> bool:
    """Tell whether an address belongs to the public Internet."""
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _CLOSED_V4)
    if address not in _OPEN_V6 or any(address in network for network in _CLOSED_V6):
        return False
    embedded = embedded_v4(address)
    return embedded is None or is_public(embedded)


def embedded_v4(address: Address) -> IPv4Address | None:
    """Return the IPv4 address that a transition mechanism would make of an IPv6 one."""
    if isinstance(address, IPv4Address):
        return None
    number = int(address)
    if number <= 0xFFFF:  # :: and ::1 are addresses of their own
        return None
    for network, shift in _EMBEDS_V4:
        if address in network:
            return IPv4Address(number >> shift & 0xFFFFFFFF)
    if address in _TEREDO:
        return IPv4Address(~number & 0xFFFFFFFF)
    if number >> 32 & 0xFFFFFFFF in _ISATAP:
        return IPv4Address(number & 0xFFFFFFFF)
    return None


def literal_address(host: str) -> Address | None:
    """Read a host as an address in its one proper spelling; refuse zones such as %eth0."""
    try:
        return None if "%" in host else ip_address(host.rstrip("."))
    except ValueError:
        return None


def _is_numeric(host: str) -> bool:
    """Tell whether the last label of a name is a number.

    Such a name is an old spelling of an address (127.1, 0x7f.1, 2130706433), and each library
    reads it in its own way.
    """
    return _NUMBER.fullmatch(host.rstrip(".").rpartition(".")[2]) is not None

"""Where this process may connect to: the setting `egress`, for providers and pages alike. Pure.

    public, private   any public address, and the operator's own network (the default)
    private           own services alone: no query leaves the network
    none              nothing: the local index and the cache answer
    api.tavily.com, .example.org, 10.1.0.0/16   these, besides the words above

A name counts by what it resolves to, unless it is listed itself. Behind a proxy, which resolves
names, only names and literal addresses are known.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import ip_address, ip_network

from kensaku.errors import ConfigError
from kensaku.messages import msg
from kensaku.transport.guard import Address, Network, is_public, literal_address

WORDS = ("public", "private", "none")
REMEDY = "the setting egress says where connections may go"


class EgressRefused(Exception):
    """The setting `egress` does not allow this connection."""


@dataclass(frozen=True, slots=True)
class Egress:
    """What may be connected to."""

    public: bool = True
    private: bool = True
    names: frozenset[str] = frozenset()  # with a leading dot: everything under it
    networks: tuple[Network, ...] = ()

    @classmethod
    def from_words(cls, words: Iterable[str]) -> Egress:
        """Read the setting. Raises `ConfigError`."""
        return _parse(tuple(words))

    @property
    def is_open(self) -> bool:
        """Whether everything is allowed."""
        return self.public and self.private

    def allows_name(self, host: str) -> bool | None:
        """Whether a host may be connected to, as far as its name says; None: its address decides.

        False is final only for a literal address, and when nothing but names is allowed.
        """
        host = host.lower().strip("[]").rstrip(".")
        if self.is_open or self._is_listed(host):
            return True
        if (address := literal_address(host)) is not None:
            return self.allows(address)
        return None if self.public or self.private or self.networks else False

    def allows(self, address: str | Address, host: str = "") -> bool:
        """Whether an address of `host` may be connected to."""
        if self.is_open or (host and self._is_listed(host.lower().rstrip("."))):
            return True
        parsed = ip_address(address.partition("%")[0]) if isinstance(address, str) else address
        if any(parsed.version == n.version and parsed in n for n in self.networks):
            return True
        return self.public if is_public(parsed) else self.private

    def _is_listed(self, host: str) -> bool:
        parts = host.split(".")
        return host in self.names or any(
            "." + ".".join(parts[i:]) in self.names for i in range(1, len(parts))
        )


@lru_cache(maxsize=16)
def _parse(words: tuple[str, ...]) -> Egress:
    named = {w.strip().lower() for w in words if w.strip()}
    if "none" in named and len(named) > 1:
        raise ConfigError(
            msg("egress says none, and something else"), remedy=msg("write none alone")
        )
    names, networks = set(), []
    for entry in named - set(WORDS):
        try:
            networks.append(ip_network(entry.strip("[]"), strict=False))
        except ValueError:
            name = entry.removeprefix("*").rstrip(".")
            if not name.strip(".") or not all(c.isalnum() or c in ".-_" for c in name):
                raise ConfigError(
                    msg(
                        "egress holds {entry!r}; expected public, private, none, a host name, "
                        ".example.org for all under it, or a network such as 10.0.0.0/8",
                        entry=entry[:60],
                    )
                ) from None
            names.add(name)
    return Egress("public" in named, "private" in named, frozenset(names), tuple(networks))

"""The connections of a server: how many each peer may hold, and how many there are in all.

    admit(connection, peer) → room → taken
                            → none → the peer's connection that has waited longest for a request
                                     makes room; if all are at work, the new one is refused

A peer that holds thousands of half-sent requests so closes its own, and everybody is served. A
proxy is one peer, whoever asks through it.
"""

from __future__ import annotations

import time
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Protocol

from kensaku._logger import get_logger

log = get_logger("kensaku.server")
PER_PEER = 1_000
WARN_SECONDS = 60.0  # between two lines about one thing
MAX_DESCRIPTORS = 65_536


class Connection(Protocol):
    """A connection that can be closed."""

    def end(self) -> None:
        """Close it."""


@dataclass(slots=True)
class _Peer:
    working: set[Connection] = field(default_factory=set)
    waiting: dict[Connection, None] = field(default_factory=dict)  # the longest first

    def __len__(self) -> int:
        return len(self.working) + len(self.waiting)


class Connections:
    """Counts connections by peer. One per server."""

    def __init__(self, per_peer: int = PER_PEER, in_all: int | None = None) -> None:
        self.per_peer = per_peer
        self.in_all = in_all or descriptors() * 3 // 4  # the rest is for files and providers
        self._peers: defaultdict[str, _Peer] = defaultdict(_Peer)
        self._count = 0
        self._quiet_until: dict[str, float] = {}

    def admit(self, connection: Connection, peer: str) -> bool:
        """Count a connection, which waits for a request. False: there is no room for it."""
        if len(self._peers[peer]) >= self.per_peer:
            self.warn("a peer has more than %d connections", self.per_peer)
            is_full = not self._make_room(peer)
        elif self._count >= self.in_all:
            self.warn("there are more than %d connections", self.in_all)
            most = max(self._peers, key=lambda name: len(self._peers[name].waiting))
            is_full = not self._make_room(most)
        else:
            is_full = False
        if not is_full:
            self._peers[peer].waiting[connection] = None
            self._count += 1
        return not is_full

    def wait(self, connection: Connection, peer: str) -> None:
        """The connection waits for a request from now on."""
        held = self._peers[peer]
        if connection in held.working:
            held.working.remove(connection)
            held.waiting[connection] = None

    def work(self, connection: Connection, peer: str) -> None:
        """The connection has a request."""
        held = self._peers[peer]
        if connection in held.waiting:
            del held.waiting[connection]
            held.working.add(connection)

    def remove(self, connection: Connection, peer: str) -> None:
        """The connection is closed."""
        held, before = self._peers[peer], len(self._peers[peer])
        held.waiting.pop(connection, None)
        held.working.discard(connection)
        self._count -= before - len(held)
        if not held:
            del self._peers[peer]

    def warn(self, message: str, *values: object) -> None:
        """Log this, unless it was logged a moment ago: a flood must not fill the log."""
        now = time.monotonic()
        if now >= self._quiet_until.get(message, now):
            self._quiet_until[message] = now + WARN_SECONDS
            log.warning(f"{message}; such connections are closed", *values)

    def _make_room(self, peer: str) -> bool:
        oldest = next(iter(self._peers[peer].waiting), None)
        if oldest is None:
            return False
        self.remove(oldest, peer)
        oldest.end()
        return True


def descriptors() -> int:
    """Return how many files and connections this process may have open."""
    try:
        import resource
    except ImportError:  # not on Windows
        return MAX_DESCRIPTORS
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return MAX_DESCRIPTORS if soft == resource.RLIM_INFINITY else min(soft, MAX_DESCRIPTORS)


def raise_descriptors() -> None:
    """Let this process have as many open as the system allows, up to `MAX_DESCRIPTORS`."""
    try:
        import resource
    except ImportError:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, MAX_DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))

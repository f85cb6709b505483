"""Limits on one page: bytes, seconds, headers, redirects, throughput."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields

from kensaku.errors import ConfigError, PageUnavailable
from kensaku.messages import msg

KIB, MIB = 2**10, 2**20


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """The limits on one page, in seconds and bytes. Each must be more than zero."""

    connect: float = 5.0
    first_byte: float = 10.0
    total: float = 30.0  # all hops, and the body
    wire: int = 20 * MIB  # as sent, before decoding
    decoded: int = 10 * MIB  # after gzip, br or zstd
    header_bytes: int = 64 * KIB
    header_fields: int = 100
    redirects: int = 5
    slow_bytes: int = KIB  # least bytes a second, averaged over `slow_window`
    slow_window: float = 10.0
    per_host: int = 4  # connections to one host at a time
    connections: int = 64  # in all

    def __post_init__(self) -> None:
        for f in fields(self):
            if getattr(self, f.name) < (0 if f.name in ("redirects", "slow_bytes") else 1e-3):
                raise ConfigError(
                    msg(
                        "fetch.{f} is {getattr}; it is too small",
                        f=f.name,
                        getattr=getattr(self, f.name),
                    )
                )


class Pace:
    """Detect a body that trickles, which would hold a connection and a reader for minutes."""

    def __init__(self, limits: FetchLimits, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._window = limits.slow_window
        self._least = limits.slow_bytes * limits.slow_window
        self._began = self._clock()
        self._bytes = 0

    @property
    def window_end(self) -> float:
        """When the current window ends, on the clock of the event loop."""
        return self._began + self._window

    def record(self, size: int) -> None:
        """Count received bytes; raise when a whole window brought too few."""
        self._bytes += size
        if self._clock() >= self.window_end:
            self.check_window()

    def check_window(self) -> None:
        """Raise when the window that has ended brought too few bytes; else begin the next."""
        if self._bytes < self._least:
            raise PageUnavailable(msg("the server sends the page too slowly"))
        self._began, self._bytes = self._clock(), 0

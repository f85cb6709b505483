"""What a store can do: a few operations carry the cache, the limits, the breakers, the budgets."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence


class Store(ABC):
    """Keys, values that expire, counters, and turns."""

    @abstractmethod
    async def get(self, keys: Sequence[str]) -> list[bytes | None]:
        """The values of `keys`; None where there is none, or it has expired."""

    @abstractmethod
    async def put(self, key: str, value: bytes, ttl: float) -> None:
        """Keep a value for `ttl` seconds; nothing, when that is over already."""

    @abstractmethod
    async def claim(self, key: str, ttl: float) -> bool:
        """True for the first who asks in `ttl` seconds: one probe, not one per process."""

    @abstractmethod
    async def add(self, key: str, amount: float, ttl: float) -> float:
        """Add to a counter, and return what it now is."""

    @abstractmethod
    async def turn(self, key: str, interval: float, burst: int, patience: float) -> float:
        """Take a turn in a queue that moves every `interval` seconds: how long to wait for it.

        When that is longer than `patience`, no turn is taken, and the wait is returned negative.
        """

    @abstractmethod
    async def forget(self, prefix: str) -> int:
        """Delete what starts with `prefix`; returns how many there were."""

    @abstractmethod
    async def size(self, prefix: str) -> tuple[int, int]:
        """How many values start with `prefix`, and their bytes."""

    @abstractmethod
    async def close(self) -> None:
        """Let go of files and connections."""


def next_turn(
    arrival: float, now: float, interval: float, burst: int, patience: float
) -> tuple[float, float]:
    """The generic cell rate algorithm: one number is the whole queue. → (wait, new arrival)"""
    arrival = max(arrival, now - interval * burst)  # unused turns add up to a burst, and no more
    start = arrival + interval
    wait = max(0.0, start - now)
    return (-wait, arrival) if wait > patience else (wait, start)

"""The interface of a store: what cache, rate limits, circuit breakers and budgets need."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from math import ceil
from secrets import token_hex

# Turns are counted in whole microseconds. Differences of floats depend on how old the machine is:
# `now - 3600 + 3600 - now` is 0 on an old one and 4.5e-13 on a young one, which is more than
# no wait at all. Wall times in microseconds are exact in Lua's numbers, too, until the year 2255.
MICROSECONDS = 1_000_000
SLACK = 1  # microsecond: a float clock that is put forward by a wait may be that much behind it
_LONGEST = 2**52
CHECK_SECONDS = 60.0  # that a value which a check wrote is kept, if it is not deleted


class Store(ABC):
    """Values that expire, counters, and queues for rate limits, by key."""

    @abstractmethod
    async def get(self, keys: Sequence[str]) -> list[bytes | None]:
        """Return the values of `keys`; None for a key without a value, or with an expired one."""

    @abstractmethod
    async def put(self, key: str, value: bytes, ttl: float) -> None:
        """Store a value for `ttl` seconds; with a `ttl` of 0 or less it is expired at once."""

    @abstractmethod
    async def claim(self, key: str, ttl: float) -> bool:
        """Return True to the first caller in `ttl` seconds: one probe, not one per process."""

    @abstractmethod
    async def add(self, key: str, amount: float, ttl: float) -> float:
        """Add to a counter and return its new value. The `ttl` starts with the first addition."""

    @abstractmethod
    async def turn(self, key: str, interval: float, burst: int, max_wait: float) -> float:
        """Take a turn in a queue that moves every `interval` seconds; return the seconds to wait.

        When they are more than `max_wait`, take no turn and return them as a negative number.
        """

    @abstractmethod
    async def give_back(self, key: str, interval: float) -> None:
        """Give one turn back to a queue: it was not used."""

    @abstractmethod
    async def forget(self, prefix: str) -> int:
        """Delete all keys that start with `prefix`; return how many there were."""

    @abstractmethod
    async def size(self, prefix: str) -> tuple[int, int]:
        """Return the number of keys that start with `prefix`, and the bytes of their values."""

    async def check(self) -> None:
        """Write a value and read it again. Raises what is wrong, or `LookupError`."""
        key, value = f"check:{token_hex(8)}", b"1"
        await self.put(key, value, CHECK_SECONDS)
        if await self.get([key]) != [value]:
            raise LookupError("what was written is not there")
        await self.forget(key)

    @abstractmethod
    async def close(self) -> None:
        """Close files and connections."""


def next_turn(
    arrival: int | None, now: int, interval: int, burst: int, max_wait: int
) -> tuple[int, int | None]:
    """Return the wait and the new arrival, by the generic cell rate algorithm.

    `arrival`, the theoretical arrival time, is all the state that the queue has; None before the
    first turn. All times are in whole microseconds. A wait of more than `max_wait` is returned as
    a negative number, and takes no turn.
    """
    idle = now - interval * burst  # unused turns add up to a burst, and no more
    start = (idle if arrival is None else max(arrival, idle)) + interval
    wait = start - now if start - now > SLACK else 0
    return (-wait, arrival) if wait > max_wait else (wait, start)


def microseconds(seconds: float) -> int:
    """Return a duration in whole microseconds, rounded up: a rate is never exceeded."""
    return ceil(min(max(0.0, seconds) * MICROSECONDS, _LONGEST))

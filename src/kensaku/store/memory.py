"""The memory store: for one process."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from kensaku.store.base import MICROSECONDS, Store, microseconds, next_turn


class MemoryStore(Store):
    """State in memory, for one process."""

    MAX_KEYS = 20_000

    def __init__(
        self, max_bytes: int | None = None, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._clock = clock
        self._values: dict[str, tuple[bytes | float, float]] = {}
        self._max_bytes = max_bytes
        self._bytes = 0

    def _live(self, key: str) -> Any:
        entry = self._values.get(key)
        return None if entry is None or entry[1] <= self._clock() else entry[0]

    def _set(self, key: str, value: bytes | float, expires: float) -> None:
        self._bytes += _size(value) - _size(self._values.pop(key, (b"", 0.0))[0])
        self._values[key] = (value, expires)  # at the end: the oldest are the first

    async def get(self, keys: Sequence[str]) -> list[bytes | None]:
        return [self._live(k) for k in keys]

    async def put(self, key: str, value: bytes, ttl: float) -> None:
        self._set(key, value, self._clock() + ttl)
        if len(self._values) > self.MAX_KEYS:
            self._shrink(self.MAX_KEYS, None)
        if self._max_bytes is not None and self._bytes > self._max_bytes:
            self._shrink(self.MAX_KEYS, self._max_bytes)

    def _shrink(self, max_keys: int, max_bytes: int | None) -> None:
        """Drop what has expired, then the oldest, to a tenth below the bounds."""
        now = self._clock()
        live = {k: v for k, v in self._values.items() if v[1] > now}
        size = sum(_size(v) for v, _ in live.values())
        for key in list(live):
            if len(live) <= max_keys * 0.9 and (max_bytes is None or size <= max_bytes * 0.9):
                break
            size -= _size(live.pop(key)[0])
        self._values, self._bytes = live, size

    async def claim(self, key: str, ttl: float) -> bool:
        if self._live(key) is not None:
            return False
        await self.put(key, b"1", ttl)
        return True

    async def add(self, key: str, amount: float, ttl: float) -> float:
        live = self._live(key)
        until = self._values[key][1] if live is not None else self._clock() + ttl
        total: float = (live or 0.0) + amount
        self._set(key, total, until)
        return total

    async def turn(self, key: str, interval: float, burst: int, max_wait: float) -> float:
        now = self._clock()
        wait, arrival = next_turn(
            self._live(key),
            round(now * MICROSECONDS),
            microseconds(interval),
            burst,
            microseconds(max_wait),
        )
        seconds = wait / MICROSECONDS
        if arrival is not None:
            self._set(key, arrival, now + interval * burst + abs(seconds) + 60)
        return seconds

    async def give_back(self, key: str, interval: float) -> None:
        if (arrival := self._live(key)) is not None:
            self._set(key, arrival - microseconds(interval), self._values[key][1])

    async def forget(self, prefix: str) -> int:
        keys = [k for k in self._values if k.startswith(prefix)]
        for key in keys:
            self._bytes -= _size(self._values.pop(key)[0])
        return len(keys)

    async def size(self, prefix: str) -> tuple[int, int]:
        values = [v for k, (v, _) in self._values.items() if k.startswith(prefix)]
        return len(values), sum(map(_size, values))

    async def close(self) -> None:
        self._values.clear()
        self._bytes = 0


def _size(value: bytes | float) -> int:
    return len(value) if isinstance(value, bytes) else 0

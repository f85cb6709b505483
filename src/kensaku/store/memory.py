"""The memory store: for one process."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from kensaku.store.base import Store, next_turn


class MemoryStore(Store):
    """State of one process: for tests, and for people who want nothing on disk."""

    MAX_KEYS = 20_000

    def __init__(self) -> None:
        self._values: dict[str, tuple[bytes | float, float]] = {}

    def _live(self, key: str) -> Any:
        entry = self._values.get(key)
        return None if entry is None or entry[1] <= time.time() else entry[0]

    async def get(self, keys: Sequence[str]) -> list[bytes | None]:
        return [self._live(k) for k in keys]

    async def put(self, key: str, value: bytes, ttl: float) -> None:
        now = time.time()
        if len(self._values) >= self.MAX_KEYS:
            live = [(k, v) for k, v in self._values.items() if v[1] > now]
            self._values = dict(live[-self.MAX_KEYS * 9 // 10 :])  # the oldest go first
        self._values[key] = (value, now + ttl)

    async def claim(self, key: str, ttl: float) -> bool:
        if self._live(key) is not None:
            return False
        await self.put(key, b"1", ttl)
        return True

    async def add(self, key: str, amount: float, ttl: float) -> float:
        total: float = (self._live(key) or 0.0) + amount
        old = self._values.get(key)
        live = old is not None and old[1] > time.time()
        self._values[key] = (total, old[1] if live and old else time.time() + ttl)
        return total

    async def turn(self, key: str, interval: float, burst: int, max_wait: float) -> float:
        now = time.time()
        wait, arrival = next_turn(self._live(key) or 0.0, now, interval, burst, max_wait)
        self._values[key] = (arrival, now + interval * burst + abs(wait) + 60)
        return wait

    async def forget(self, prefix: str) -> int:
        keys = [k for k in self._values if k.startswith(prefix)]
        for key in keys:
            del self._values[key]
        return len(keys)

    async def size(self, prefix: str) -> tuple[int, int]:
        values = [v for k, (v, _) in self._values.items() if k.startswith(prefix)]
        return len(values), sum(len(v) for v in values if isinstance(v, bytes))

    async def close(self) -> None:
        self._values.clear()

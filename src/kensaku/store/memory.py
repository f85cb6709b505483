"""State in one process: for tests, and for people who want nothing on disk."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from kensaku.store.base import Store, next_turn


class MemoryStore(Store):
    """For one process: tests, and people who want nothing on disk."""

    MOST = 20_000

    def __init__(self) -> None:
        self._values: dict[str, tuple[bytes | float, float]] = {}

    def _live(self, key: str) -> Any:
        found = self._values.get(key)
        return None if found is None or found[1] <= time.time() else found[0]

    async def get(self, keys: Sequence[str]) -> list[bytes | None]:
        return [self._live(k) for k in keys]

    async def put(self, key: str, value: bytes, ttl: float) -> None:
        now = time.time()
        if len(self._values) >= self.MOST:
            live = [(k, v) for k, v in self._values.items() if v[1] > now]
            self._values = dict(live[-self.MOST * 9 // 10 :])  # the oldest go first
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

    async def turn(self, key: str, interval: float, burst: int, patience: float) -> float:
        now = time.time()
        wait, arrival = next_turn(self._live(key) or 0.0, now, interval, burst, patience)
        self._values[key] = (arrival, now + interval * burst + abs(wait) + 60)
        return wait

    async def forget(self, prefix: str) -> int:
        gone = [k for k in self._values if k.startswith(prefix)]
        for key in gone:
            del self._values[key]
        return len(gone)

    async def size(self, prefix: str) -> tuple[int, int]:
        live = [v for k, (v, _) in self._values.items() if k.startswith(prefix)]
        return len(live), sum(len(v) for v in live if isinstance(v, bytes))

    async def close(self) -> None:
        self._values.clear()

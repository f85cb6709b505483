"""A store that may fail without harm."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from typing import Any

from kensaku.errors import MissingExtra
from kensaku.store.base import Store
from kensaku.store.memory import MemoryStore

log = logging.getLogger("kensaku")


class Steady(Store):
    """A store that never takes a search along when it fails: for a while, memory stands in.

    Limits are then kept by this process alone, and the log says so.
    """

    PAUSE = 30.0

    def __init__(self, store: Store) -> None:
        self._store = store
        self._spare = MemoryStore()
        self._until = 0.0
        self._failing = False

    async def _either(self, call: Callable[[Store], Any]) -> Any:
        if time.monotonic() >= self._until:
            try:
                result = await call(self._store)
            except MissingExtra:
                raise
            except Exception as error:
                self._until = time.monotonic() + self.PAUSE
                if not self._failing:  # said once, not every half minute
                    log.warning(
                        "%s does not work (%s): limits and cache are kept in memory for now",
                        type(self._store).__name__,
                        type(error).__name__,
                    )
                self._failing = True
            else:
                self._failing = False
                return result
        return await call(self._spare)

    async def get(self, keys: Sequence[str]) -> list[bytes | None]:
        found: list[bytes | None] = await self._either(lambda s: s.get(keys))
        return found

    async def put(self, key: str, value: bytes, ttl: float) -> None:
        await self._either(lambda s: s.put(key, value, ttl))

    async def claim(self, key: str, ttl: float) -> bool:
        return bool(await self._either(lambda s: s.claim(key, ttl)))

    async def add(self, key: str, amount: float, ttl: float) -> float:
        return float(await self._either(lambda s: s.add(key, amount, ttl)))

    async def turn(self, key: str, interval: float, burst: int, patience: float) -> float:
        return float(await self._either(lambda s: s.turn(key, interval, burst, patience)))

    async def forget(self, prefix: str) -> int:
        return int(await self._either(lambda s: s.forget(prefix)))

    async def size(self, prefix: str) -> tuple[int, int]:
        count, size = await self._either(lambda s: s.size(prefix))
        return count, size

    async def close(self) -> None:
        await self._store.close()

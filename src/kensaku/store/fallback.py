"""A store that falls back to memory while the real one fails."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from kensaku._logger import get_logger
from kensaku._patience import patience
from kensaku.messages import msg
from kensaku.store.base import Store
from kensaku.store.memory import MemoryStore

T = TypeVar("T")
log = get_logger("kensaku")


class FallbackStore(Store):
    """Wraps a store; after an error, uses memory for `RETRY_AFTER` seconds.

    A search must not fail because a counter could not be written. Meanwhile limits and cache hold
    for this process alone; one warning and `trouble` say so.
    """

    RETRY_AFTER = 30.0  # seconds
    PATIENCE = 0.5  # seconds

    def __init__(self, store: Store, max_bytes: int | None = None) -> None:
        self._store = store
        self._memory = MemoryStore(max_bytes)
        self._retry_at = 0.0
        self.trouble = ""  # one sentence while the store does not work

    async def _call(self, operation: Callable[[Store], Awaitable[T]]) -> T:
        if time.monotonic() >= self._retry_at:
            if self.trouble:  # one tries again; the others do not wait with it
                self._retry_at = time.monotonic() + self.RETRY_AFTER
            try:
                async with patience(self.PATIENCE):
                    result = await operation(self._store)
            except Exception as error:
                self._fail(error)
            else:
                self._retry_at, self.trouble = 0.0, ""
                return result
        return await operation(self._memory)

    def _fail(self, error: Exception) -> None:
        self._retry_at = time.monotonic() + self.RETRY_AFTER
        if not self.trouble:  # warn once, not every half minute
            self.trouble = msg(
                "{store} does not work ({name}): limits and cache are kept in memory for now",
                store=type(self._store).__name__,
                name=type(error).__name__,
            )
            log.warning("%s", self.trouble)

    async def get(self, keys: Sequence[str]) -> list[bytes | None]:
        return await self._call(lambda s: s.get(keys))

    async def put(self, key: str, value: bytes, ttl: float) -> None:
        await self._call(lambda s: s.put(key, value, ttl))

    async def claim(self, key: str, ttl: float) -> bool:
        return await self._call(lambda s: s.claim(key, ttl))

    async def add(self, key: str, amount: float, ttl: float) -> float:
        return await self._call(lambda s: s.add(key, amount, ttl))

    async def turn(self, key: str, interval: float, burst: int, max_wait: float) -> float:
        return await self._call(lambda s: s.turn(key, interval, burst, max_wait))

    async def give_back(self, key: str, interval: float) -> None:
        await self._call(lambda s: s.give_back(key, interval))

    async def forget(self, prefix: str) -> int:
        return await self._call(lambda s: s.forget(prefix))

    async def size(self, prefix: str) -> tuple[int, int]:
        return await self._call(lambda s: s.size(prefix))

    async def check(self) -> None:
        """Check the real store: memory answers no probe for it."""
        await self._store.check()
        self._retry_at, self.trouble = 0.0, ""

    async def close(self) -> None:
        await self._store.close()

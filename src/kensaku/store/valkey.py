"""The Valkey store, for Valkey or Redis: for many machines."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from typing import Any

from kensaku.errors import MissingExtra
from kensaku.store.base import MICROSECONDS, Store, microseconds

# The same arithmetic as `next_turn`, with one clock for all machines: the server's. A queue is kept
# for a minute longer than anybody waits in it.
_TURN = """
local now = tonumber(ARGV[4])
if not now then local t = redis.call('TIME'); now = t[1] * 1000000 + t[2] end
local interval, burst, max_wait = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local idle = now - interval * burst
local start = math.max(tonumber(redis.call('GET', KEYS[1]) or idle), idle) + interval
local wait = start - now
if wait <= 1 then wait = 0 end
if wait > max_wait then return string.format('%.0f', -wait) end
redis.call('SET', KEYS[1], string.format('%.0f', start),
           'PX', string.format('%.0f', math.ceil((interval * burst + wait) / 1000) + 60000))
return string.format('%.0f', wait)
"""

_GIVE_BACK = """
if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('DECRBY', KEYS[1], ARGV[1]) end
"""


class ValkeyStore(Store):
    """State on a Valkey or Redis server: one connection pool per event loop, made on first use.

    The server bounds its own memory: give it `maxmemory` and a policy such as `allkeys-lru`.
    `clock`, for tests, takes the place of the server's.
    """

    PREFIX = "kensaku:"

    def __init__(self, url: str, *, clock: Callable[[], float] | None = None) -> None:
        """Raises `MissingExtra` at once: a server should not learn of it by its first request."""
        try:
            import valkey.asyncio as valkey
        except ImportError:
            raise MissingExtra("the Valkey client", "valkey") from None
        self._valkey = valkey
        self._url = re.sub(r"^redis(s?)://", r"valkey\1://", url)
        self._clock = clock
        self._clients: dict[asyncio.AbstractEventLoop, Any] = {}

    def _client(self) -> Any:
        loop = asyncio.get_running_loop()
        if (client := self._clients.get(loop)) is None:
            for ended in [other for other in self._clients if other.is_closed()]:
                del self._clients[ended]
            client = self._clients[loop] = self._valkey.Valkey.from_url(
                self._url, socket_timeout=5, socket_connect_timeout=2
            )
        return client

    async def get(self, keys: Sequence[str]) -> list[bytes | None]:
        return list(await self._client().mget([self.PREFIX + k for k in keys]))

    async def put(self, key: str, value: bytes, ttl: float) -> None:
        if ttl > 0:
            await self._client().set(self.PREFIX + key, value, px=max(1, int(ttl * 1000)))

    async def claim(self, key: str, ttl: float) -> bool:
        stored = await self._client().set(self.PREFIX + key, b"1", px=int(ttl * 1000) or 1, nx=True)
        return bool(stored)

    async def add(self, key: str, amount: float, ttl: float) -> float:
        pipe = self._client().pipeline()
        pipe.incrbyfloat(self.PREFIX + key, amount)
        pipe.expire(self.PREFIX + key, int(ttl) + 1, nx=True)
        return float((await pipe.execute())[0])

    async def turn(self, key: str, interval: float, burst: int, max_wait: float) -> float:
        script = self._client().register_script(_TURN)
        now = "" if self._clock is None else round(self._clock() * MICROSECONDS)
        args = [microseconds(interval), burst, microseconds(max_wait), now]
        return int(await script(keys=[self.PREFIX + key], args=args)) / MICROSECONDS

    async def give_back(self, key: str, interval: float) -> None:
        script = self._client().register_script(_GIVE_BACK)
        await script(keys=[self.PREFIX + key], args=[microseconds(interval)])

    async def forget(self, prefix: str) -> int:
        deleted = 0
        async for key in self._client().scan_iter(match=f"{self.PREFIX}{prefix}*", count=1000):
            deleted += await self._client().delete(key)
        return deleted

    async def size(self, prefix: str) -> tuple[int, int]:
        count = size = 0
        async for key in self._client().scan_iter(match=f"{self.PREFIX}{prefix}*", count=1000):
            count, size = count + 1, size + await self._client().strlen(key)
        return count, size

    async def close(self) -> None:
        client = self._clients.pop(asyncio.get_running_loop(), None)
        self._clients.clear()
        if client is not None:
            await client.aclose()

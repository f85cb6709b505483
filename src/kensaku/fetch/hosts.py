"""Manners towards one host: how many requests at once, how long between two, what robots.txt says.

url → Hosts.rules (fetched once) → NotAllowed, or Hosts.turn → request
"""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import asdict
from hashlib import blake2b
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from kensaku.cache import Flights
from kensaku.fetch import robots
from kensaku.fetch.robots import Rules

if TYPE_CHECKING:
    from kensaku._door import Answer
    from kensaku.store import Store

KNOWN = 10_000  # hosts that are remembered
DAY = 86_400.0
SOON = 600.0  # when a robots.txt that could not be read is asked for again

Get = Callable[[str], Awaitable["Answer"]]


class _Host:
    def __init__(self, at_once: int) -> None:
        self.free = asyncio.Semaphore(at_once)
        self.next = 0.0  # on the loop's clock: when the next request may start


class Hosts:
    """Every host that was talked to lately, per event loop."""

    def __init__(
        self, get: Get, user_agent: str, *, at_once: int, store: Store | None, max_delay: float
    ) -> None:
        self._get, self._agent, self._at_once, self._store = get, user_agent, at_once, store
        self._max_delay = max_delay
        self._hosts: OrderedDict[tuple[int, str], _Host] = OrderedDict()
        self._rules: OrderedDict[str, tuple[float, Rules]] = OrderedDict()
        self._flights = Flights()

    @asynccontextmanager
    async def turn(self, origin: str, delay: float = 0.0) -> AsyncIterator[None]:
        """Wait until this host may be asked: one of `at_once`, and `delay` seconds after the last.

        A delay that a site asks for is kept up to `max_delay`.
        """
        loop = asyncio.get_running_loop()
        host = self._host(id(loop), origin)
        async with host.free:
            wait = host.next - loop.time()
            host.next = max(host.next, loop.time()) + min(delay, self._max_delay)
            if wait > 0:
                await asyncio.sleep(wait)
            yield

    async def rules(self, url: str) -> Rules:
        """What robots.txt says: asked for once a day and host, whoever needs it."""
        origin = origin_of(url)
        now = asyncio.get_running_loop().time()
        known = self._rules.get(origin)
        if known is None or known[0] < now:
            known = await self._flights.join(
                origin, lambda: self._load(origin), good=lambda found: True
            )
            self._rules[origin] = known
            if len(self._rules) > KNOWN:
                self._rules.popitem(last=False)
        return known[1]

    async def _load(self, origin: str) -> tuple[float, Rules]:
        key = "robots:" + blake2b(f"{origin}\x1e{self._agent}".encode(), digest_size=16).hexdigest()
        now = asyncio.get_running_loop().time()
        if self._store is not None:
            (raw,) = await self._store.get([key])
            if raw is not None and (stored := _read(raw)) is not None:
                return now + SOON, stored
        answer = await self._get(origin + "/robots.txt")
        life = DAY
        if answer.status == 200:
            rules = robots.parse(answer.body, self._agent)
        elif answer.status >= 500 or answer.status == 429:
            rules, life = robots.NOTHING, SOON  # it may hold rules that we cannot see now
        else:
            rules = robots.ALL
        if self._store is not None and life == DAY:
            await self._store.put(key, json.dumps(asdict(rules)).encode(), life)
        return now + life, rules

    def _host(self, loop: int, origin: str) -> _Host:
        place = (loop, origin)
        host = self._hosts.get(place)
        if host is None:
            host = self._hosts[place] = _Host(self._at_once)
        self._hosts.move_to_end(place)
        if len(self._hosts) > KNOWN:
            self._hosts.popitem(last=False)
        return host


def origin_of(url: str) -> str:
    """`https://host:port` of a URL that was checked."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _read(raw: bytes) -> Rules | None:
    try:
        found = json.loads(raw)
        return Rules(
            allow=tuple(found["allow"]),
            disallow=tuple(found["disallow"]),
            delay=float(found["delay"]),
            sitemaps=tuple(found["sitemaps"]),
            signals=tuple((str(n), bool(v)) for n, v in found["signals"]),
        )
    except (ValueError, KeyError, TypeError):
        return None  # written by another version

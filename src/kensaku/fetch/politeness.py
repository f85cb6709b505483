"""Manners towards one host: how many requests at once, how long between two, what robots.txt says.

url → Hosts.rules (fetched once) → NotAllowed, or Hosts.turn → request
"""

from __future__ import annotations

import asyncio
import json
import time
from asyncio import AbstractEventLoop
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import asdict
from hashlib import blake2b
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from kensaku.errors import FetchError
from kensaku.fetch import robots
from kensaku.fetch.robots import Rules
from kensaku.search.cache import Flights

if TYPE_CHECKING:
    from kensaku.fetch.transport import Answer
    from kensaku.store import Store

KNOWN = 10_000  # hosts that are remembered
DAY = 86_400.0
SILENT = 30.0  # when a host that did not answer is tried again
LONG = 32 * 1024  # a robots.txt that is read beside the event loop
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
        self._hosts: WeakKeyDictionary[AbstractEventLoop, OrderedDict[str, _Host]] = (
            WeakKeyDictionary()
        )
        self._rules: OrderedDict[str, tuple[float, Rules | FetchError]] = OrderedDict()
        self._flights = Flights()

    @asynccontextmanager
    async def turn(self, origin: str, delay: float = 0.0) -> AsyncIterator[None]:
        """Wait until this host may be asked: one of `at_once`, and `delay` seconds after the last.

        A delay that a site asks for is kept up to `max_delay`.
        """
        loop = asyncio.get_running_loop()
        host = self._host(loop, origin)
        async with host.free:
            wait = host.next - loop.time()
            host.next = max(host.next, loop.time()) + min(delay, self._max_delay)
            if wait > 0:
                await asyncio.sleep(wait)
            yield

    async def rules(self, url: str) -> Rules:
        """What robots.txt says: asked for once a day and host, whoever needs it.

        Raises why it could not be had; a host that does not answer is left alone for a while.
        """
        origin = origin_of(url)
        now = time.monotonic()
        known = self._rules.get(origin)
        if known is None or known[0] < now:
            known = await self._flights.join(
                origin, lambda: self._load(origin), good=lambda found: True
            )
            self._rules[origin] = known
            if len(self._rules) > KNOWN:
                self._rules.popitem(last=False)
        if isinstance(known[1], FetchError):
            raise known[1]
        return known[1]

    async def _load(self, origin: str) -> tuple[float, Rules | FetchError]:
        key = "robots:" + blake2b(f"{origin}\x1e{self._agent}".encode(), digest_size=16).hexdigest()
        now = time.monotonic()
        if self._store is not None:
            (raw,) = await self._store.get([key])
            if raw is not None and (stored := _read(raw)) is not None:
                return now + SOON, stored
        try:
            answer = await self._get(origin + "/robots.txt")
        except FetchError as error:
            return now + SILENT, error
        life = DAY
        if answer.status == 200:
            if len(answer.body) > LONG:
                rules = await asyncio.to_thread(robots.parse, answer.body, self._agent)
            else:
                rules = robots.parse(answer.body, self._agent)
        elif answer.status >= 500 or answer.status == 429:
            rules, life = robots.UNREADABLE, SOON
        else:
            rules = robots.ALL
        if self._store is not None and life == DAY:
            await self._store.put(key, json.dumps(asdict(rules)).encode(), life)
        return now + life, rules

    def _host(self, loop: AbstractEventLoop, origin: str) -> _Host:
        hosts = self._hosts.setdefault(loop, OrderedDict())
        host = hosts.get(origin)
        if host is None:
            host = hosts[origin] = _Host(self._at_once)
        hosts.move_to_end(origin)
        if len(hosts) > KNOWN:
            hosts.popitem(last=False)
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

"""Politeness towards each host: concurrent requests, delay between two, and robots.txt.

url → HostPoliteness.rules (fetched once a day) → NotAllowed, or HostPoliteness.slot → request
"""

from __future__ import annotations

import asyncio
import json
import time
from asyncio import AbstractEventLoop
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from copy import copy
from hashlib import blake2b
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from kensaku._single_flight import SingleFlight
from kensaku.errors import FetchError
from kensaku.fetch import robots
from kensaku.fetch.robots import Rules

if TYPE_CHECKING:
    from kensaku.fetch.transport import PageResponse
    from kensaku.store import Store

MAX_HOSTS = 10_000  # hosts that are remembered
DAY = 86_400.0
RETRY_SILENT = 30.0  # seconds before a host that did not answer is asked again
RETRY_UNREADABLE = 600.0  # seconds before a robots.txt that failed is asked for again
INLINE_BYTES = 32 * 1024  # a longer robots.txt is parsed in a thread

Get = Callable[[str], Awaitable["PageResponse"]]


class _Host:
    def __init__(self, at_once: int) -> None:
        self.free = asyncio.Semaphore(at_once)
        self.next = 0.0  # on the loop's clock: when the next request may start


class HostPoliteness:
    """Limits and robots.txt of every host that was asked lately; limits are per event loop."""

    def __init__(
        self, get: Get, user_agent: str, *, at_once: int, store: Store | None, max_delay: float
    ) -> None:
        self._get, self._agent, self._at_once, self._store = get, user_agent, at_once, store
        self._max_delay = max_delay
        self._hosts: WeakKeyDictionary[AbstractEventLoop, OrderedDict[str, _Host]] = (
            WeakKeyDictionary()
        )
        self._rules: OrderedDict[str, tuple[float, Rules | FetchError]] = OrderedDict()
        self._flights = SingleFlight()

    @asynccontextmanager
    async def slot(self, origin: str, delay: float = 0.0) -> AsyncIterator[None]:
        """Wait for one of the host's `at_once` slots, and `delay` seconds after the last request.

        A delay of more than `max_delay` is cut to that.
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
        """Return the rules of robots.txt, fetched once a day and host for all callers.

        Raise the error of the fetch; a host that did not answer is not asked again for a while.
        """
        origin = origin_of(url)
        entry = self._rules.get(origin)
        if entry is None or entry[0] < time.monotonic():
            entry = await self._flights.join(
                origin, lambda: self._load(origin), good=lambda loaded: True
            )
            self._rules[origin] = entry
            if len(self._rules) > MAX_HOSTS:
                self._rules.popitem(last=False)
        _, rules = entry
        if isinstance(rules, FetchError):
            raise copy(rules)  # one instance would gather the traceback of every raise
        return rules

    async def _load(self, origin: str) -> tuple[float, Rules | FetchError]:
        """Return when the entry expires, and the rules or the error."""
        key = "robots:" + blake2b(f"{origin}\x1e{self._agent}".encode(), digest_size=16).hexdigest()
        now = time.monotonic()
        if self._store is not None:
            (raw,) = await self._store.get([key])
            if raw is not None and (stored := _unpack(raw)) is not None:
                return now + RETRY_UNREADABLE, stored
        try:
            response = await self._get(origin + "/robots.txt")
        except FetchError as error:
            return now + RETRY_SILENT, error
        if response.status >= 500 or response.status == 429:
            return now + RETRY_UNREADABLE, robots.UNREADABLE
        rules = robots.ALLOW_ALL
        if response.status == 200:
            if len(response.body) > INLINE_BYTES:
                rules = await asyncio.to_thread(robots.parse, response.body, self._agent)
            else:
                rules = robots.parse(response.body, self._agent)
        if self._store is not None:
            await self._store.put(key, _pack(rules), DAY)
        return now + DAY, rules

    def _host(self, loop: AbstractEventLoop, origin: str) -> _Host:
        hosts = self._hosts.setdefault(loop, OrderedDict())
        host = hosts.get(origin)
        if host is None:
            host = hosts[origin] = _Host(self._at_once)
        hosts.move_to_end(origin)
        if len(hosts) > MAX_HOSTS:
            hosts.popitem(last=False)
        return host


def origin_of(url: str) -> str:
    """Return `https://host:port` of a checked URL."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


_FIELDS = ("allow", "disallow", "delay", "sitemaps", "signals")


def _pack(rules: Rules) -> bytes:
    return json.dumps({name: getattr(rules, name) for name in _FIELDS}).encode()


def _unpack(raw: bytes) -> Rules | None:
    try:
        stored = json.loads(raw)
        return Rules(
            allow=tuple(stored["allow"]),
            disallow=tuple(stored["disallow"]),
            delay=float(stored["delay"]),
            sitemaps=tuple(stored["sitemaps"]),
            signals=tuple((str(n), bool(v)) for n, v in stored["signals"]),
        )
    except (ValueError, KeyError, TypeError):
        return None  # written by another version

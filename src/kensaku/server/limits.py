"""What a caller may do now: its key's rate and quotas, and what the server itself can take.

    KeyLimits.check(key)   → RateExceeded | QuotaExceeded     shared by all processes (rates.py)
    Admission.slot(key)    → a slot in turn | Overloaded      of this process

Each refusal says when to come back.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Literal

from kensaku.database.key_budgets import KeyBudgets
from kensaku.errors import BudgetExceeded, KensakuError
from kensaku.search.budget import Budget, seconds_left
from kensaku.server.rates import SharedRates

if TYPE_CHECKING:
    from kensaku.database.keys import ApiKey
    from kensaku.store import Store

Quota = Literal["searches", "money"]


class LimitExceeded(KensakuError):
    """The request is refused for now; `retry_after` says for how many seconds."""

    status = 429  # of the HTTP response, as Tavily has them

    def __init__(self, message: str, retry_after: float, remedy: str = "") -> None:
        super().__init__(message, remedy=remedy)
        self.retry_after = retry_after


class RateExceeded(LimitExceeded):
    """The key is used faster than its rate."""

    def __init__(self, retry_after: float) -> None:
        super().__init__("too many requests with this key", retry_after, "slow down")


class QuotaExceeded(LimitExceeded):
    """The key has used up its searches of the day, or its money of the month."""

    status = 432

    def __init__(self, kind: Quota, retry_after: float) -> None:
        spent = "searches of the day" if kind == "searches" else "money of the month"
        super().__init__(f"this key has used up its {spent}", retry_after, "ask for a higher quota")
        self.kind: Quota = kind


class Overloaded(LimitExceeded):
    """The server has more requests than it can take."""

    status = 503

    def __init__(self, retry_after: float) -> None:
        super().__init__("the server is busy", retry_after, "try again")


class KeyLimits(KeyBudgets):
    """Rates and quotas of keys, counted in the store that all processes share."""

    def __init__(self, store: Store, *, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(store)
        self._rates = SharedRates(store, clock=clock)

    async def check(self, key: ApiKey, searches: int = 1) -> None:
        """Count a request and its searches. Raises `RateExceeded` or `QuotaExceeded`."""
        if key.rate is not None and (wait := await self._rates.take(key.id, key.rate)):
            raise RateExceeded(wait)
        if (money := self.money(key)) is not None and await money.is_spent():
            raise QuotaExceeded("money", seconds_left("month"))
        if key.searches_per_day is not None and searches:
            quota = self._budget(key, searches=key.searches_per_day, period="day")
            try:
                await quota.spend(searches=searches)
            except BudgetExceeded:
                raise QuotaExceeded("searches", seconds_left("day")) from None

    async def check_run(self, key: ApiKey, parent: Budget | None = None) -> Budget | None:
        """Count a request that makes an unknown number of searches.

        Return the budget that its searches count against: those of the day, and the money. Raises
        `RateExceeded` or `QuotaExceeded`.
        """
        await self.check(key, searches=0)
        budget = self.of_run(key, parent)
        if key.searches_per_day is not None and budget and await budget.is_spent():
            raise QuotaExceeded("searches", seconds_left("day"))
        return budget


class Admission:
    """Bounds the requests in progress, with a short queue that is fair between keys.

    A free slot goes to the waiting key that has the fewest requests in progress. When the queue is
    full, the newest request of the key that waits most often is refused. So a key that floods the
    server slows itself down, and not the others.
    """

    MAX_RETRY_AFTER = 60.0

    def __init__(self, limit: int = 256, queue: int = 256, max_wait: float = 2.0) -> None:
        self._limit, self._max_waiting, self._max_wait = limit, queue, max_wait
        self._queues: dict[str, deque[asyncio.Future[None]]] = {}
        self._running: dict[str, int] = {}  # by key
        self.running = 0  # requests in progress
        self._mean = 0.1  # seconds that a request takes

    @property
    def waiting(self) -> int:
        """Requests in the queue."""
        return sum(map(len, self._queues.values()))

    @asynccontextmanager
    async def slot(self, key: str) -> AsyncIterator[None]:
        """Hold one slot with `async with`; wait for it if need be. Raises `Overloaded`."""
        await self._enter(key)
        began = asyncio.get_running_loop().time()
        try:
            yield
        finally:
            seconds = asyncio.get_running_loop().time() - began
            self._mean += 0.05 * (seconds - self._mean)
            self._leave(key)

    async def _enter(self, key: str) -> None:
        if not self._queues and self.running < self._limit:
            self._count(key)
            return
        if self.waiting >= self._max_waiting:
            self._make_room(key)
        loop = asyncio.get_running_loop()
        future: asyncio.Future[None] = loop.create_future()
        self._queues.setdefault(key, deque()).append(future)
        timer = loop.call_later(self._max_wait, self._refuse, key, future)
        try:
            await future
        except asyncio.CancelledError:
            if future.cancelled():
                self._remove(key, future)
            elif future.exception() is None:  # the caller left as it was given the slot
                self._leave(key)
            raise
        finally:
            timer.cancel()

    def _leave(self, key: str) -> None:
        self.running -= 1
        if (left := self._running[key] - 1) > 0:
            self._running[key] = left
        else:
            del self._running[key]
        # Of keys with as many requests in progress, the first: it was served longest ago.
        while self._queues and not self._start(
            min(self._queues, key=lambda k: self._running.get(k, 0))
        ):
            pass

    def _count(self, key: str) -> None:
        self.running += 1
        self._running[key] = self._running.get(key, 0) + 1

    def _start(self, key: str) -> bool:
        """Give the slot to the first that waits for this key, unless its caller has just left."""
        waiting = self._queues.pop(key)
        first = waiting.popleft()
        if waiting:
            self._queues[key] = waiting  # behind the others
        if first.cancelled():
            return False
        first.set_result(None)
        self._count(key)
        return True

    def _make_room(self, key: str) -> None:
        longest = max(self._queues, key=lambda k: len(self._queues[k]), default=key)
        own = len(self._queues.get(key, ()))
        if longest == key or len(self._queues[longest]) <= own + 1:
            raise Overloaded(self._retry_after())
        self._refuse(longest, self._queues[longest][-1])

    def _refuse(self, key: str, future: asyncio.Future[None]) -> None:
        if not future.done():
            self._remove(key, future)
            future.set_exception(Overloaded(self._retry_after()))

    def _remove(self, key: str, future: asyncio.Future[None]) -> None:
        waiting = self._queues.get(key, deque())
        if future in waiting:  # one that left may have been passed over already
            waiting.remove(future)
            if not waiting:
                del self._queues[key]

    def _retry_after(self) -> float:
        """Seconds until the queue should be done, and at least one."""
        seconds = self._mean * (self.running + self.waiting) / self._limit
        return min(self.MAX_RETRY_AFTER, max(1.0, seconds))

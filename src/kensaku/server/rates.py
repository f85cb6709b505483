"""The rates of keys, shared by all processes: a process takes a few turns of a rate at a time.

    take(id, rate) → a turn of this process's lease → else a lease from the store → else a refusal

A lease is a fiftieth of the burst, which is 10 ms of a rate a second: so the store is asked at most
a hundred times a second for a key, and each process lets at most one lease more through than the
rate allows. A rate with a burst under 100 has leases of one turn: it is exact.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING

from kensaku.text.rate import read_rate

if TYPE_CHECKING:
    from kensaku.store import Store

LEASES = 50  # in a burst
LEASE_SECONDS = 1.0  # after which unused turns are lost
REFUSAL_SECONDS = 1.0  # after which the store is asked again: the rate may have been raised
MAX_KEYS = 10_000
MIN_BURST = 2  # a program that sends two requests side by side is no flood


class SharedRates:
    """The rates of keys in a store."""

    def __init__(self, store: Store, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._store, self._clock = store, clock
        self._leases: dict[str, _Lease] = {}

    async def take(self, id: str, rate: str) -> float:
        """Take a turn and return 0; or return after how many seconds there is one."""
        lease = self._leases.get(id) or self._add(id)
        now = self._clock()
        if lease.use(now):
            return 0.0
        if now < lease.refused_until:
            return lease.refused_for - (now - lease.refused_at)
        # Each has a future of its own: of callers that queue for a lock, one goes on in each
        # round of a busy event loop, and 64 of them waited for a second.
        turn: asyncio.Future[float] = asyncio.get_running_loop().create_future()
        lease.waiting.append(turn)
        if lease.renewal is None:
            lease.renewal = asyncio.create_task(self._serve(lease, id, rate))
        return await turn

    async def _serve(self, lease: _Lease, id: str, rate: str) -> None:
        """Renew a lease until nobody waits for it."""
        try:
            while lease.waiting:
                lease.answer(await self._renew(lease, id, rate), self._clock())
        except Exception as error:
            for turn in lease.waiting:
                if not turn.done():
                    turn.set_exception(error)
        finally:
            for turn in lease.waiting:
                turn.cancel()  # this task was cancelled; no effect on one that is done
            lease.waiting.clear()
            lease.renewal = None

    async def _renew(self, lease: _Lease, id: str, rate: str) -> float:
        interval, burst = bucket_of(rate)
        wait = 0.0
        for turns in sorted({_lease(burst), 1}, reverse=True):
            queue = (interval * turns, burst // turns)  # as long as the queue of single turns
            wait = await self._store.turn(f"rate:{id}", *queue, 0.0)
            if wait >= 0:
                lease.turns, lease.until = turns, self._clock() + LEASE_SECONDS
                return 0.0
        lease.refuse(self._clock(), -wait)
        return -wait

    def _add(self, id: str) -> _Lease:
        if len(self._leases) >= MAX_KEYS:
            del self._leases[next(iter(self._leases))]  # the oldest
        lease = self._leases[id] = _Lease()
        return lease


class _Lease:
    """Turns of a rate that this process may still use, or until when there are none."""

    __slots__ = (
        "refused_at", "refused_for", "refused_until", "renewal", "turns", "until", "waiting",
    )  # fmt: skip

    def __init__(self) -> None:
        self.turns, self.until = 0, 0.0
        self.refused_at = self.refused_for = self.refused_until = 0.0
        self.waiting: deque[asyncio.Future[float]] = deque()
        self.renewal: asyncio.Task[None] | None = None

    def use(self, now: float) -> bool:
        """Use a turn, if there is one."""
        if not self.turns or now >= self.until:
            return False
        self.turns -= 1
        return True

    def answer(self, wait: float, now: float) -> None:
        """Give those who wait their turns, or all of them the refusal."""
        while self.waiting:
            if not self.waiting[0].done():  # else its caller has gone
                if not wait and not self.use(now):
                    return
                self.waiting[0].set_result(wait)
            self.waiting.popleft()

    def refuse(self, now: float, seconds: float) -> None:
        """The store has no turn for so many seconds."""
        self.refused_at, self.refused_for = now, seconds
        self.refused_until = now + min(seconds, REFUSAL_SECONDS)


@lru_cache(maxsize=1_024)
def bucket_of(rate: str) -> tuple[float, int]:
    """`"10/s"` → (seconds between requests, burst).

    A client may send half a second's requests at once, or a tenth of a minute's, hour's or day's,
    and at least two where the rate is more than one. Over 60 s, `10/s` then lets 605 through,
    which is within 1 %. A burst is a number of leases.
    """
    n, period = read_rate(rate)
    burst = max(1, min(int(n), MIN_BURST), int(n * (0.5 if period == 1.0 else 0.1)))
    return period / n, burst - burst % _lease(burst)


def _lease(burst: int) -> int:
    return max(1, burst // LEASES)

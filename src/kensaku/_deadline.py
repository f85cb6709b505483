"""Deadlines for thousands of searches at once.

with until(deadline):    as `async with asyncio.timeout_at(deadline)`, up to `TICK` seconds later
    await …

Those that end in the same hundredth of a second share a timer: one of its own for every wait,
made, sorted in and called off again, was a twentieth of the time of a search.
"""

from __future__ import annotations

import asyncio
from math import ceil
from types import TracebackType
from weakref import WeakKeyDictionary

TICK = 0.01


class _Tick:
    """Those whose time ends together, and the timer that tells them."""

    __slots__ = ("_number", "_ticks", "_timer", "waiting")

    def __init__(
        self, loop: asyncio.AbstractEventLoop, ticks: dict[int, _Tick], number: int
    ) -> None:
        self.waiting: set[until] = set()
        self._ticks, self._number = ticks, number
        self._timer = loop.call_at(number * TICK, self._ends)
        ticks[number] = self

    def leave(self, one: until) -> None:
        self.waiting.discard(one)
        if not self.waiting and self._ticks.get(self._number) is self:
            self._timer.cancel()
            del self._ticks[self._number]

    def _ends(self) -> None:
        del self._ticks[self._number]  # who comes now gets a timer of its own
        for one in self.waiting:
            one.expire()


_TICKS: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[int, _Tick]] = WeakKeyDictionary()


class until:
    """Raises `TimeoutError` when the block has not ended at `when` (loop time)."""

    __slots__ = ("_before", "_expired", "_number", "_task", "_tick")

    def __init__(self, when: float) -> None:
        self._number = ceil(when / TICK)
        self._expired = False

    def __enter__(self) -> None:
        loop = asyncio.get_running_loop()
        task = asyncio.current_task(loop)
        assert task is not None
        self._task, self._before = task, task.cancelling()
        ticks = _TICKS.get(loop)
        if ticks is None:
            ticks = _TICKS[loop] = {}
        self._tick = ticks.get(self._number) or _Tick(loop, ticks, self._number)
        self._tick.waiting.add(self)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._tick.leave(self)
        # Who was cancelled by somebody else, too, stays cancelled.
        if (
            self._expired
            and self._task.uncancel() <= self._before
            and kind is asyncio.CancelledError
        ):
            raise TimeoutError from error

    def expire(self) -> None:
        """Its time is over."""
        self._expired = True
        self._task.cancel()

"""A timeout for a machine that is busy: it counts what the event loop could do, not the clock."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

STEPS = 10


@asynccontextmanager
async def patience(seconds: float, start: float | None = None) -> AsyncIterator[None]:
    """Raise `TimeoutError` when the body takes longer, in steps of the event loop's.

    A process that did not get the processor for a while has not waited: a single timer would end
    the body although its answer is there. `start` (loop time) is when the seconds begin.
    """
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(None) as deadline:
        timers: list[asyncio.TimerHandle] = []

        def step() -> None:
            if len(timers) <= STEPS:
                timers.append(loop.call_later(seconds / STEPS, step))
            else:
                deadline.reschedule(loop.time())

        timers.append(loop.call_at(loop.time() if start is None else start, step))
        try:
            yield
        finally:
            timers[-1].cancel()

"""Wait for what goes on though the caller is cancelled: work of others, the end of a thread.

`asyncio.shield` does the former. From Python 3.14 on it also logs an error when the work fails
after one of those who waited has gone, although the others are told.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


async def shielded(work: asyncio.Future[T]) -> T:
    """Return the result of `work`, or raise what it raised. It is not cancelled with the caller."""
    work.add_done_callback(_retrieve)
    await asyncio.wait([work])
    return work.result()


async def end_thread(thread: ThreadPoolExecutor, work: Callable[[], None]) -> None:
    """Do the last work of a thread, behind what waits for it, and end the thread.

    It is done even if the caller is cancelled. A second caller waits for the first one's.
    """
    try:
        last = thread.submit(work)
    except RuntimeError:  # it has been ended
        await asyncio.to_thread(thread.shutdown)
        return
    thread.shutdown(wait=False)
    await shielded(asyncio.wrap_future(last))


def _retrieve(work: asyncio.Future[T]) -> None:
    """Nobody may be left who asks how it ended, which is no error of the event loop."""
    if not work.cancelled():
        work.exception()

"""Wait for work that others wait for, too: whoever is cancelled leaves it running.

`asyncio.shield` does that. From Python 3.14 on it also logs an error when the work fails after one
of those who waited has gone, although the others are told.
"""

from __future__ import annotations

import asyncio
from typing import TypeVar

T = TypeVar("T")


async def shielded(work: asyncio.Future[T]) -> T:
    """Return the result of `work`, or raise what it raised. It is not cancelled with the caller."""
    work.add_done_callback(_retrieve)
    await asyncio.wait([work])
    return work.result()


def _retrieve(work: asyncio.Future[T]) -> None:
    """Nobody may be left who asks how it ended, which is no error of the event loop."""
    if not work.cancelled():
        work.exception()

"""Wake who waits in this process; what other processes do is found by polling."""

from __future__ import annotations

import asyncio
from contextlib import suppress

POLL = 0.5  # seconds between two looks at the database


class Signal:
    """Something has changed. Take `next` before looking, and wait for it after."""

    def __init__(self) -> None:
        self.next = asyncio.Event()

    def notify(self) -> None:
        """Wake everyone who waits."""
        self.next.set()
        self.next = asyncio.Event()


async def wait_for(event: asyncio.Event, seconds: float) -> None:
    """Wait for an event, at most so many seconds."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()

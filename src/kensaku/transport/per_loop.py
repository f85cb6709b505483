"""Connections belong to one event loop; a client may be used in several.

PerLoop._session() → the session of the running event loop, made on first use
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator
from contextlib import suppress
from typing import Any, Generic, Protocol, TypeVar
from weakref import WeakKeyDictionary


class Closable(Protocol):
    """An object that holds connections."""

    async def close(self) -> None:
        """Close the connections."""


S = TypeVar("S", bound=Closable)


class PerLoop(ABC, Generic[S]):
    """Hold one session for each event loop. Subclasses write `_make`."""

    def __init__(self) -> None:
        self._sessions: WeakKeyDictionary[asyncio.AbstractEventLoop, S] = WeakKeyDictionary()
        self._closers: WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncGenerator[None, None]] = (
            WeakKeyDictionary()
        )

    @abstractmethod
    async def _make(self) -> S:
        """Make a session for the running event loop."""

    async def ready(self) -> None:
        """Load the library and make the session now, rather than with the first request."""
        await self._session()

    async def _session(self) -> S:
        """Return the session of the running event loop; make it first if there is none."""
        return self._sessions.get(asyncio.get_running_loop()) or await self._open()

    async def _open(self) -> S:
        made = await self._make()
        loop = asyncio.get_running_loop()
        for other in [other for other in self._sessions if other.is_closed()]:
            self._abandon(self._sessions.pop(other))
        if (session := self._sessions.get(loop)) is not None:  # another task was faster
            await made.close()
            return session
        self._sessions[loop] = made
        self._closers[loop] = _close_with_loop(made)
        await anext(self._closers[loop])
        return made

    async def close(self) -> None:
        """Close the session of this event loop, and drop sessions of closed loops.

        A session of a loop that still runs in another thread is closed when that loop ends.
        """
        for loop, session in list(self._sessions.items()):
            if loop is asyncio.get_running_loop():
                await self._closers[loop].aclose()
            elif loop.is_closed():
                self._abandon(session)
        self._sessions.clear()
        self._closers.clear()

    def _abandon(self, session: S) -> None:
        """Let go of a session whose event loop has ended without closing its generators."""
        _close_sockets(session)


async def _close_with_loop(session: Closable) -> AsyncGenerator[None, None]:
    """Close the session when its event loop ends: `asyncio.run` closes open generators first.

    Frameworks make a loop for every call that does not await, and do not know of our sockets.
    """
    try:
        yield
    finally:
        await session.close()


def _close_sockets(session: Any) -> None:
    connector = session.connector
    if connector is None:  # it is closed
        return
    session.detach()
    with suppress(RuntimeError, StopIteration):  # the transports belong to the closed loop
        closing = connector.close()
        closing.send(None)
        closing.close()

"""Connections belong to one event loop; a client may live through several.

Sessions._session() → what holds the connections of the running loop, made on first use
"""

from __future__ import annotations

import asyncio
import inspect
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator
from contextlib import suppress
from typing import Any, Generic, Protocol, TypeVar
from weakref import WeakKeyDictionary


class Session(Protocol):
    """What holds connections."""

    async def close(self) -> None:
        """Close them."""


S = TypeVar("S", bound=Session)


class Sessions(ABC, Generic[S]):
    """One set of connections per event loop, made on first use."""

    def __init__(self) -> None:
        self._sessions: WeakKeyDictionary[asyncio.AbstractEventLoop, S] = WeakKeyDictionary()
        self._keepers: WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncGenerator[None, None]] = (
            WeakKeyDictionary()
        )

    @abstractmethod
    async def _make(self) -> S:
        """A session for the running loop."""

    async def ready(self) -> None:
        """Load the library and make the session now, rather than with the first request."""
        await self._session()

    async def _session(self) -> S:
        return self._sessions.get(asyncio.get_running_loop()) or await self._open()

    async def _open(self) -> S:
        made = await self._make()
        loop = asyncio.get_running_loop()
        for other in [other for other in self._sessions if other.is_closed()]:
            _abandon(self._sessions.pop(other))
        if (session := self._sessions.get(loop)) is not None:  # somebody was faster
            await made.close()
            return session
        session = self._sessions[loop] = made
        self._keepers[loop] = _kept(session)
        await anext(self._keepers[loop])
        return session

    async def close(self) -> None:
        """Close the connections of this loop, and let go of those of loops that have ended."""
        for loop, session in list(self._sessions.items()):
            if loop is asyncio.get_running_loop():
                await self._keepers[loop].aclose()
            elif loop.is_closed():
                _abandon(session)
        self._sessions.clear()
        self._keepers.clear()  # loops that run elsewhere now end theirs by themselves


async def _kept(session: Session) -> AsyncGenerator[None, None]:
    """Closes the session when its loop ends: a loop that ends well ends its generators first.

    Frameworks make a loop for every call that does not await, and know nothing of our sockets.
    """
    try:
        yield
    finally:
        await session.close()


def _abandon(session: Any) -> None:
    """Close what belongs to a loop that has ended badly, as far as that can be done from here."""
    connector = getattr(session, "connector", session)
    if connector is not session:
        session.detach()
    with suppress(RuntimeError, StopIteration):  # its transports hang on the dead loop
        closing = connector.close()
        if inspect.iscoroutine(closing):
            closing.send(None)
            closing.close()

"""One message of a chat channel that is edited while a run goes on.

show(content) …  → at most one edit a second, and only of what has changed
finish(parts)    → the last edit, and further messages for what does not fit
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from kensaku._logger import get_logger
from kensaku.assistant.channels._text import Links

log = get_logger("kensaku.assistant.channels")

EDIT_SECONDS = 1.0
TRIES = 5
MAX_WAIT = 60.0  # seconds that a service may ask us to wait


class NotDelivered(Exception):
    """The service did not take a message; it may do so later."""

    def __init__(self, reason: str, retry_after: float = 0.0) -> None:
        super().__init__(reason)
        self.retry_after = retry_after


class Undeliverable(NotDelivered):
    """The service will never take this message: the chat is gone, or the bot was removed."""


class MessageGone(NotDelivered):
    """The message that was to be edited does not exist any more."""


class Button(NamedTuple):
    """A choice below a message; `data` comes back when it is pressed."""

    label: str
    data: str


@dataclass(frozen=True, slots=True)
class Content:
    """What a message shows, before the markup of the channel."""

    text: str
    links: Links = field(default_factory=dict, hash=False)
    buttons: tuple[Button, ...] = ()


Place = Mapping[str, Any]  # where in a channel: JSON


class Writer(Protocol):
    """How a channel writes. Raises `NotDelivered`."""

    limit: int

    def place_of(self, thread: str) -> Place:
        """Return where a conversation is, when nothing more is known."""

    def size(self, content: Content) -> int:
        """Return the length of a message as the channel counts it."""

    async def send(self, place: Place, content: Content) -> str:
        """Send a message and return its id."""

    async def edit(self, place: Place, message: str, content: Content) -> None:
        """Replace a message."""


Remember = Callable[[Mapping[str, Any]], Awaitable[None]]


class LiveMessage:
    """The reply to one question. `memory` has where it is, and is kept across restarts."""

    def __init__(
        self,
        writer: Writer,
        memory: Mapping[str, Any],
        remember: Remember,
        interval: float = EDIT_SECONDS,
    ) -> None:
        self._writer, self._remember, self._interval = writer, remember, interval
        self._place: Place = memory
        self._ids: list[str] = list(memory.get("messages", ()))
        self._wanted: Content | None = None
        self._task: asyncio.Task[None] | None = None
        self._ending = asyncio.Event()

    def show(self, content: Content) -> None:
        """Replace the message soon."""
        if content != self._wanted:
            self._wanted = content
            if self._task is None or self._task.done():
                self._task = asyncio.create_task(self._write())

    async def finish(self, parts: Sequence[Content]) -> None:
        """Replace the message for the last time. Raises `NotDelivered`."""
        await self.close()
        for at, part in enumerate(parts):
            await self._retry(at, part)

    async def close(self) -> None:
        """Wait for the edit that is being sent; send no more."""
        self._ending.set()
        if self._task is not None:
            await asyncio.gather(self._task, return_exceptions=True)

    async def _write(self) -> None:
        shown: Content | None = None
        failures = 0
        while (wanted := self._wanted) != shown and wanted and not self._ending.is_set():
            wait = self._interval
            try:
                await self._put(0, wanted)
                shown, failures = wanted, 0
            except NotDelivered as error:
                failures += 1
                log.info("a status was not shown: %s", error)
                if failures == TRIES or isinstance(error, Undeliverable):
                    return
                wait = max(wait, min(error.retry_after, MAX_WAIT))
            await self._pause(wait)

    async def _pause(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._ending.wait()
        except TimeoutError:
            return

    async def _retry(self, at: int, content: Content) -> None:
        for again in range(TRIES):
            try:
                await self._put(at, content)
                return
            except Undeliverable:
                raise
            except NotDelivered as error:
                if again == TRIES - 1:
                    raise
                await asyncio.sleep(min(error.retry_after or self._interval, MAX_WAIT))

    async def _put(self, at: int, content: Content) -> None:
        """Edit message number `at`, or send it, and remember its id at once."""
        if at < len(self._ids):
            try:
                await self._writer.edit(self._place, self._ids[at], content)
                return
            except MessageGone:
                del self._ids[at:]
        self._ids.append(await self._writer.send(self._place, content))
        await self._remember({"messages": self._ids})

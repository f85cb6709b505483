"""`kensaku chat` without a terminal: its loop and its plain screen, with lines that a test gives."""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

from kensaku.assistant import Assistant, Event
from kensaku.assistant.channels.terminal.chat import CHANNEL, Chat
from kensaku.assistant.channels.terminal.screen import LiteScreen
from kensaku.database import Database
from kensaku.locale import translator

from . import Stage, Turn, turn_of

ENGLISH = translator("en")

NAME = CHANNEL


class Typed:
    """A person who types what `say` gives, and reads until they are to type again."""

    has_person = True

    def __init__(self) -> None:
        self.lines: asyncio.Queue[str] = asyncio.Queue()
        self.ready = asyncio.Event()

    async def line(self, on_ready: Callable[[], None]) -> str:
        on_ready()
        return await self._next()

    async def reply(self, until: Awaitable[object]) -> str | None:
        asyncio.ensure_future(until).cancel()
        return await self._next()

    async def aside(self, show: Callable[[], None]) -> None:
        show()

    async def _next(self) -> str:
        self.ready.set()
        return await self.lines.get()


class Quiet:
    """Notices of the command line that a test does not need."""

    def before(self, options: dict[str, Any]) -> None: ...
    def after(self, answer: Any) -> None: ...


class Recording(LiteScreen):
    """The screen, and the events that it was given."""

    def __init__(self) -> None:
        self.text = io.StringIO()
        super().__init__(ENGLISH, self.text, self.text)
        self.events: list[dict[str, Any]] = []

    def show(self, event: Event) -> None:
        self.events.append(event.to_dict())
        super().show(event)


class Terminal:
    """A person at a terminal."""

    def __init__(self, typed: Typed, screen: Recording) -> None:
        self._typed, self._screen = typed, screen

    async def say(self, text: str) -> Turn:
        await self._typed.ready.wait()
        self._typed.ready.clear()
        events, before = len(self._screen.events), len(self._screen.text.getvalue())
        self._typed.lines.put_nowait(text)
        await self._typed.ready.wait()
        shown = self._screen.text.getvalue()[before:]
        turn = turn_of(self._screen.events[events:], shown)
        return Turn(_asked(shown), turn.tools, shown) if not turn.tools else turn


def _asked(shown: str) -> tuple[tuple[str, str], ...]:
    """Read the question to the person from the screen."""
    lines = [line.strip() for line in shown.splitlines()]
    at = next((n for n, line in enumerate(lines) if line.startswith("? ")), None)
    if at is None:
        return ()
    tool, _, query = lines[at + 1].partition(": ")
    return ((tool, query.strip('"')),)


@asynccontextmanager
async def open_channel(stage: Stage) -> AsyncIterator[Terminal]:
    """The loop of the terminal, in a task."""
    settings = stage.client.settings
    db = await Database.open(settings)
    async with Assistant(db, lambda _: stage.client) as assistant:

        async def opened() -> Assistant:
            return assistant

        typed, screen = Typed(), Recording()
        chat = Chat(
            opened, typed, screen, Quiet(), person="ann", tenant=settings.tenant, home=settings.home
        )
        running = asyncio.create_task(chat.run())
        yield Terminal(typed, screen)
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running
    await db.close()

"""A chat without a terminal: what is typed, what is shown, what is kept."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from kensaku.assistant import Assistant, CitedAnswer
from kensaku.assistant.channels.terminal.chat import Chat
from kensaku.assistant.channels.terminal.input import Interrupted
from kensaku.assistant.channels.terminal.screen import LiteScreen
from kensaku.database import Database
from kensaku.locale import translator

ENGLISH = translator("en")

CTRL_D = "\x04"


class Typed:
    """A person who types lines, replies to questions, and presses Ctrl-C (None) and Ctrl-D."""

    def __init__(self, lines: list[str | None], replies: list[str | None] | None = None) -> None:
        self.lines, self.replies = lines, replies or []
        self.has_person = True

    async def line(self, on_ready: Callable[[], None]) -> str:
        on_ready()
        if not self.lines:
            raise EOFError
        return _typed(self.lines.pop(0))

    async def reply(self, until: Awaitable[object]) -> str | None:
        if not self.replies:
            await until
            return None
        asyncio.ensure_future(until).cancel()
        return _typed(self.replies.pop(0))

    async def aside(self, show: Callable[[], None]) -> None:
        show()


def _typed(text: str | None) -> str:
    """What a key does: Ctrl-C interrupts, Ctrl-D ends."""
    if text is None:
        raise Interrupted
    if text == CTRL_D:
        raise EOFError
    return text


class Notices:
    """Says nothing besides the answer; remembers what it could have said it about."""

    def __init__(self) -> None:
        self.about: list[Any] = []

    def before(self, options: dict[str, Any]) -> None:
        self.about.append(options)

    def after(self, answer: CitedAnswer) -> None:
        self.about.append(answer.text)


class Session:
    """A chat, and what it has shown."""

    def __init__(self, chat: Chat, notices: Notices, out: StringIO, err: StringIO) -> None:
        self.chat, self.notices, self._out, self._err = chat, notices, out, err
        self.status = -1  # that the program would exit with

    @property
    def out(self) -> str:
        return self._out.getvalue()

    @property
    def err(self) -> str:
        return self._err.getvalue()


@pytest.fixture
async def talk(client: Any, machine: Path) -> AsyncIterator[Callable[..., Awaitable[Session]]]:
    """`await talk(["a question", "/help"], replies=["y"])`: to the end."""
    closing: list[Callable[[], Awaitable[None]]] = []
    sessions: list[Session] = []

    async def run(
        lines: list[str | None],
        replies: list[str | None] | None = None,
        *,
        reads: Any = None,
        resume: bool = False,
        options: dict[str, Any] | None = None,
        **settings: Any,
    ) -> Session:
        k = client(**settings)
        out, err = StringIO(), StringIO()
        screen = LiteScreen(ENGLISH, out, err)

        async def open_assistant() -> Assistant:
            db = await Database.open(k.settings)
            assistant = Assistant(db, lambda _: k)
            closing.extend([db.close, assistant.close])
            return assistant

        notices = Notices()
        chat = Chat(
            open_assistant, reads or Typed(lines, replies), screen, notices,
            person="ann", tenant="", home=machine, options=options,
        )  # fmt: skip
        session = Session(chat, notices, out, err)
        sessions.append(session)
        session.status = await chat.run(resume=resume)
        return session

    run.sessions = sessions  # type: ignore[attr-defined]
    yield run
    for close in reversed(closing):
        await close()


Talk = Callable[..., Awaitable[Session]]

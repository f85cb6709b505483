"""No channel: the events of the assistant itself. The others are compared with it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from kensaku.assistant import ApprovalNeeded, Assistant, Exchange, QuestionAsked
from kensaku.database import Database
from kensaku.database.conversations import Sender

from . import Stage, Turn, turn_of

NAME = "plain"
ANN = Sender(NAME, "ann", "t1")


class Plain:
    """Follows exchanges."""

    def __init__(self, assistant: Assistant) -> None:
        self._assistant = assistant
        self._exchange: Exchange | None = None
        self._seen = 0

    async def say(self, text: str) -> Turn:
        exchange = await self._assistant.receive(ANN, text)
        if exchange is not None:
            self._exchange, self._seen = exchange, 0
        assert self._exchange is not None
        events = []
        async for event in self._exchange.follow(self._seen):
            self._seen += 1
            events.append(event.to_dict())
            if isinstance(event, ApprovalNeeded | QuestionAsked):
                break
        last = self._exchange.last
        doubt = last.answer.doubt if last is not None else ""
        return replace(turn_of(events), doubt=doubt)


@asynccontextmanager
async def open_channel(stage: Stage) -> AsyncIterator[Plain]:
    """An assistant of its own."""
    db = await Database.open(stage.client.settings)
    async with Assistant(db, lambda _: stage.client) as assistant:
        yield Plain(assistant)
    await db.close()

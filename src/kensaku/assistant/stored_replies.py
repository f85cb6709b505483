"""Replies that reach a run by way of the database: the person spoke to another process.

    asked(exchange, question) → stored, and looked at every POLL seconds → exchange.reply(…)

Nothing is polled while no run of this process waits.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

from kensaku.answers.person import Reply
from kensaku.database.questions import add_question, remove_question, replies_to
from kensaku.errors import DatabaseFault

if TYPE_CHECKING:
    from kensaku.answers.person import Question
    from kensaku.assistant.exchange import Exchange
    from kensaku.database.engine import Database

POLL = 0.5  # seconds
log = logging.getLogger("kensaku.assistant")


class StoredReplies:
    """Finds the replies to the questions of one process."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._waiting: dict[tuple[str, str], Exchange] = {}
        self._polling: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def asked(self, exchange: Exchange, question: Question) -> AsyncIterator[None]:
        """Let other processes see a question and answer it, as long as the run is inside of this.

        Without a database it is answered in this process alone.
        """
        key = (exchange.id, question.id)
        try:
            await add_question(self._database, *key, question.to_dict())
        except DatabaseFault as error:
            log.warning("a question is known to this process alone: %s", error)
        self._waiting[key] = exchange
        if self._polling is None or self._polling.done():
            self._polling = asyncio.create_task(self._poll())
        try:
            yield
        finally:
            del self._waiting[key]
            with suppress(DatabaseFault):
                await remove_question(self._database, *key)

    async def close(self) -> None:
        """Stop polling."""
        if self._polling is not None:
            self._polling.cancel()
            await asyncio.gather(self._polling, return_exceptions=True)

    async def _poll(self) -> None:
        while self._waiting:
            try:
                found = await replies_to(self._database, {run for run, _ in self._waiting})
            except DatabaseFault:
                found = []  # it may come back
            for run, question, reply in found:
                if exchange := self._waiting.get((run, question)):
                    exchange.reply(Reply(**reply), question)
            await asyncio.sleep(POLL)

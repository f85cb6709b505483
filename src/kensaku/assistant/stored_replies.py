"""Replies that reach a run by way of the database: the person spoke to another process.

asked(exchange, question) → stored, for other processes to see → look() → exchange.reply(…)
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

from kensaku._logger import get_logger
from kensaku.answers.person import Reply
from kensaku.database.questions import add_question, remove_question, replies_to
from kensaku.errors import DatabaseFault

if TYPE_CHECKING:
    from kensaku.answers.person import Question
    from kensaku.assistant.exchange import Exchange
    from kensaku.database.engine import Database

log = get_logger("kensaku.assistant")


class StoredReplies:
    """Finds the replies to the questions of one process."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._waiting: dict[tuple[str, str], Exchange] = {}

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
        try:
            yield
        finally:
            del self._waiting[key]
            with suppress(DatabaseFault):
                await remove_question(self._database, *key)

    async def look(self) -> None:
        """Give the replies that other processes have stored to the runs that wait for them."""
        if not self._waiting:
            return
        for run, question, reply in await replies_to(self._database, {r for r, _ in self._waiting}):
            if exchange := self._waiting.get((run, question)):
                exchange.reply(Reply(**reply), question)

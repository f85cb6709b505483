"""Replies by way of the database: a person answers one process what another one asked."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from kensaku.assistant import Answered, Assistant
from kensaku.database import Database
from kensaku.database.questions import add_reply, open_questions
from tests.answers.conftest import Web
from tests.search.support import until

from .conftest import ANN, ASK, BEN, SLEEP, begin, eventually, to_the_end, until_asked, without

YES = {"action": "proceed", "text": ""}


async def test_a_reply_of_another_process_reaches_the_run(
    assistant: Assistant, k: Any, web: Web, clock: Any
) -> None:
    """It sees the question as it was asked; a reply counts once, and for that run alone."""
    mine, other = [await begin(assistant, who, SLEEP, approvals=ASK) for who in (ANN, BEN)]
    asked = await until_asked(mine)
    await until_asked(other)
    elsewhere = await Database.open(k.settings)
    found = await eventually(lambda: open_questions(elsewhere, ANN))
    assert [(q.run, q.id, q.question) for q in found] == [(mine.id, asked.id, asked.to_dict())]

    assert await add_reply(elsewhere, mine.id, asked.id, YES)
    assert not await add_reply(elsewhere, mine.id, asked.id, {"action": "skip", "text": ""})
    clock.advance(1)
    await mine.settled(asked.id)
    await to_the_end(mine)

    assert isinstance(mine.last, Answered)
    assert web.queries == [SLEEP]
    assert other.waits_with is not None
    assert await open_questions(elsewhere, ANN) == []
    assert not await add_reply(elsewhere, mine.id, asked.id, YES)
    await elsewhere.close()


async def test_without_its_table_a_question_is_answered_where_it_was_asked(
    assistant: Assistant, db: Database, web: Web, caplog: pytest.LogCaptureFixture
) -> None:
    """The person is asked all the same; that no other process knows is in the log."""
    async with without(db, "kensaku_questions"):
        exchange = await begin(assistant, ANN, SLEEP, approvals=ASK)
        await until_asked(exchange)
        await until(lambda: "known to this process alone" in caplog.text)
    assert exchange.reply("yes")
    await to_the_end(exchange)

    assert isinstance(exchange.last, Answered)
    assert web.queries == [SLEEP]


async def test_a_database_that_was_away_is_looked_at_again(
    assistant: Assistant, db: Database, web: Web, clock: Any
) -> None:
    """The reply that was stored before counts."""
    clock.stop()  # nobody looks until it is put forward
    exchange = await begin(assistant, ANN, SLEEP, approvals=ASK)
    asked = await until_asked(exchange)
    await eventually(lambda: add_reply(db, exchange.id, asked.id, YES))
    async with without(db, "kensaku_questions"):
        clock.advance(1)
        for _ in range(100):
            await asyncio.sleep(0)  # a look or none: either way the next one finds it
    clock.advance(1)
    await exchange.settled(asked.id)
    await to_the_end(exchange)

    assert isinstance(exchange.last, Answered)

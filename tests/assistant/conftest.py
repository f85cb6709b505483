"""A small web on loopback, a model behind a URL, collections, and a person who replies."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any, TypeVar

import pytest
from sqlalchemy import text, update

from kensaku.assistant import (
    ApprovalNeeded,
    Assistant,
    Exchange,
    Question,
    QuestionAsked,
)
from kensaku.database import Database
from kensaku.database.conversations import Sender
from kensaku.database.tables import RUNS
from tests.answers.ask.conftest import ASK as ASK
from tests.answers.ask.conftest import BOTH as BOTH
from tests.answers.ask.conftest import PLAN as PLAN
from tests.answers.ask.conftest import SLEEP as SLEEP
from tests.answers.ask.conftest import WHICH as WHICH
from tests.answers.ask.conftest import all_events as all_events
from tests.answers.conftest import client as client
from tests.answers.conftest import model as model
from tests.answers.conftest import web as web

T = TypeVar("T")
ANN, BEN = Sender("test", "ann", "t1"), Sender("test", "ben", "t2")


@pytest.fixture
async def k(client: Any) -> Any:
    """The client, with a database in its home."""
    return client()


@pytest.fixture
async def db(k: Any) -> AsyncIterator[Database]:
    """The database of the assistant."""
    database = await Database.open(k.settings)
    yield database
    await database.close()


@pytest.fixture
async def assistant(k: Any, db: Database) -> AsyncIterator[Assistant]:
    """An assistant of one tenant."""
    async with Assistant(db, lambda _: k) as made:
        yield made


async def begin(assistant: Assistant, sender: Sender, words: str, **options: Any) -> Exchange:
    """Say something that begins a run."""
    exchange = await assistant.receive(sender, words, **options)
    assert exchange is not None
    return exchange


async def ask(assistant: Assistant, sender: Sender, words: str, **options: Any) -> Exchange:
    """Ask, and wait for the end; the person cannot help."""
    return await to_the_end(await begin(assistant, sender, words, **options))


async def to_the_end(exchange: Exchange) -> Exchange:
    """Skip every question that is left."""
    async for event in exchange.follow():
        if isinstance(event, QuestionAsked | ApprovalNeeded):
            exchange.reply("skip", event.question.id)
    return exchange


async def until_asked(exchange: Exchange) -> Question:
    """Wait for a question to the person."""
    async for event in exchange.follow():
        if isinstance(event, QuestionAsked | ApprovalNeeded):
            return event.question
    raise AssertionError("nothing was asked")


async def eventually(look: Callable[[], Awaitable[T]]) -> T:
    """Look into a database until there is something; a minute is enough for anything."""
    async with asyncio.timeout(60):
        while True:
            if found := await look():
                return found
            await asyncio.sleep(0)  # also where the clock stands still


@asynccontextmanager
async def without(db: Database, table: str) -> AsyncIterator[None]:
    """Take a table away for a while: the database refuses whoever needs it."""
    async with db.write() as connection:
        await connection.execute(text(f"ALTER TABLE {table} RENAME TO gone"))
    yield
    async with db.write() as connection:
        await connection.execute(text(f"ALTER TABLE gone RENAME TO {table}"))


async def age(db: Database, *columns: str) -> None:
    """Let what the database says about its runs be years old: `lease`, `created`."""
    long_ago = dict.fromkeys(columns, datetime(2020, 1, 1, tzinfo=UTC))
    async with db.write() as connection:
        await connection.execute(update(RUNS).values(long_ago))

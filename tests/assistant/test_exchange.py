"""One exchange by itself: its questions and replies, its events, and its end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from kensaku.answers.cited import CitedAnswer, Thresholds, assess
from kensaku.assistant import (
    Answered,
    ApprovalNeeded,
    Exchange,
    Failed,
    Planned,
    Question,
    Reply,
    TextDelta,
)
from kensaku.database.conversations import Sender
from kensaku.database.runs import StoredRun
from kensaku.models import Outcome

from .conftest import all_events

ANN = Sender("test", "ann", "t1")
FIRST = Question("approve", "First?", tool="a")
SECOND = Question("help", "Second?", choices=("modify", "skip"), tool="b")
ANSWER = CitedAnswer("How?", "So.", (), Outcome.FOUND, assess((), Thresholds()))


@pytest.fixture
async def exchange() -> Exchange:
    """A run that nobody runs."""

    async def remember(_: Any) -> None: ...

    return Exchange(StoredRun("r1", ANN, "c1", "How?", {}, {}), remember)


async def asked(exchange: Exchange, *questions: Question) -> list[asyncio.Task[Reply]]:
    """Ask questions side by side."""
    made = [asyncio.ensure_future(exchange.ask(question)) for question in questions]
    await asyncio.sleep(0)
    return made


async def test_questions_wait_in_their_order(exchange: Exchange) -> None:
    """A reply without a name is for the oldest; one counts once."""
    assert (exchange.waiting, exchange.waits_with) == ([], None)
    assert not exchange.reply("yes")
    first, second = await asked(exchange, FIRST, SECOND)
    assert (exchange.waiting, exchange.waits_with) == ([FIRST, SECOND], FIRST)

    assert exchange.reply(Reply("proceed"))
    assert not exchange.reply(Reply("proceed"), FIRST.id)
    assert (exchange.waiting, exchange.waits_with) == ([SECOND], SECOND)
    assert await first == Reply("proceed")
    assert [exchange.waits_for(q.id) for q in (FIRST, SECOND)] == [False, True]
    assert not exchange.reply(Reply("proceed"), SECOND.id)  # not offered
    assert exchange.reply("sea otters")
    assert await second == Reply("modify", "sea otters")
    assert exchange.waiting == []


async def test_a_question_is_shown_once_it_can_be_answered_from_anywhere(
    exchange: Exchange,
) -> None:
    """Whoever sees it may reply to another process, which looks for it in the database."""
    stored, removed = asyncio.Event(), []

    @asynccontextmanager
    async def meanwhile() -> AsyncIterator[None]:
        await stored.wait()
        yield
        removed.append(FIRST.id)

    exchange.emit(ApprovalNeeded(FIRST))
    asking = asyncio.ensure_future(exchange.ask(FIRST, meanwhile()))
    await asyncio.sleep(0)
    assert (exchange.events, exchange.waiting, exchange.reply("yes")) == ([], [], False)

    stored.set()
    assert await anext(exchange.follow()) == ApprovalNeeded(FIRST)
    assert exchange.waits_for(FIRST.id)
    settled = asyncio.ensure_future(exchange.settled(FIRST.id))
    await asyncio.sleep(0)
    assert not settled.done()
    exchange.reply("no")

    await settled
    assert await asking == Reply("cancel")
    assert removed == [FIRST.id]
    assert not exchange.waits_for(FIRST.id)


async def test_a_question_that_is_given_up_waits_no_longer(exchange: Exchange) -> None:
    """Whoever waits until it is settled goes on."""
    (given_up,) = await asked(exchange, SECOND)
    settled = asyncio.ensure_future(exchange.settled(SECOND.id))
    await asyncio.sleep(0)
    given_up.cancel()

    await settled
    assert exchange.waiting == []


async def test_a_question_that_is_given_up_before_it_is_shown_never_was(exchange: Exchange) -> None:
    """A database that hangs while it stores the question keeps no channel waiting."""

    @asynccontextmanager
    async def hangs() -> AsyncIterator[None]:
        await asyncio.Event().wait()
        yield

    exchange.emit(ApprovalNeeded(FIRST))
    asking = asyncio.ensure_future(exchange.ask(FIRST, hangs()))
    await asyncio.sleep(0)
    await exchange.settled(FIRST.id)
    asking.cancel()
    await asyncio.wait([asking])

    assert (exchange.events, exchange.waiting) == ([], [])


@pytest.mark.parametrize("last", [Answered(ANSWER), Failed("Nothing.", ANSWER)])
async def test_whoever_follows_gets_every_event_once(last: Any, exchange: Exchange) -> None:
    """From the beginning, or from a number on; how it ended is its last event."""
    follows = [asyncio.ensure_future(all_events(exchange.follow(n))) for n in (0, 2)]
    await asyncio.sleep(0)
    events = [Planned(("How?",), "rule"), TextDelta("So."), last]
    assert exchange.last is None
    for event in events:
        exchange.emit(event)
        await asyncio.sleep(0)
    assert not any(task.done() for task in follows)
    exchange.end()

    assert await asyncio.gather(*follows) == [events, events[2:]]
    assert await all_events(exchange.follow(1)) == events[1:]
    assert exchange.last == last


async def test_a_run_that_has_ended_well_is_not_waited_for(exchange: Exchange) -> None:
    """What breaks behind its last event is nothing to whoever follows."""

    async def breaks() -> None:
        raise ConnectionError("the database is gone")

    exchange.task = asyncio.ensure_future(breaks())
    await asyncio.wait([exchange.task])
    exchange.emit(Answered(ANSWER))
    exchange.end()

    assert await all_events(exchange.follow()) == [Answered(ANSWER)]
    assert exchange.task.exception()

"""The bounds of conversations: how many messages, which budgets, whose tiers, and leases."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import select, update

from kensaku.assistant.approval import Question
from kensaku.assistant.assistant import Assistant, TooMany, _decisions, _options, _strictest
from kensaku.assistant.events import ApprovalNeeded, Planned, ToolEnded
from kensaku.database import Database
from kensaku.database.conversations import Sender
from kensaku.database.people import list_decisions
from kensaku.database.tables import RUNS
from kensaku.errors import InvalidQuery
from kensaku.search.budget import Budget
from kensaku.testing import FakeUpstream, faults
from tests.research.conftest import Web

from .conftest import all_events
from .test_assistant import ANN, BEN, SLEEP, to_the_end, until_asked
from .test_assistant import assistant as assistant
from .test_assistant import db as db
from .test_assistant import k as k

ASK = {"web_search": "ask"}


def counting(now: Callable[[], float]) -> Assistant:
    """An assistant that only counts who speaks."""
    return Assistant(None, lambda _: None, now=now)  # type: ignore[arg-type, return-value]


def count(assistant: Assistant, sender: Sender, times: int = 1) -> None:
    """Let somebody say so many things."""
    for _ in range(times):
        assistant._count(sender)


async def test_a_person_may_say_twenty_things_in_a_minute() -> None:
    """In all threads together; each of them counts for sixty seconds."""
    now = 0.0
    counted = counting(lambda: now)
    count(counted, ANN, 19)
    now = 30.0
    count(counted, Sender("test", "ann", "t7"))
    with pytest.raises(TooMany):
        count(counted, ANN)
    now = 60.0
    with pytest.raises(TooMany, match=r"^more than 20 messages in a minute"):
        count(counted, ANN)
    for other in (BEN, Sender("other", "ann", "t1"), Sender("test", "ann", "t1", "acme")):
        count(counted, other)
    now = 60.001
    count(counted, ANN, 19)
    with pytest.raises(TooMany):
        count(counted, ANN)
    assert TooMany("x").status == 429


async def test_ten_thousand_people_are_counted() -> None:
    """Then whoever has been silent for longest is forgotten."""
    counted = counting(lambda: 0.0)
    count(counted, BEN, 20)
    count(counted, ANN, 20)
    for n in range(9_998):
        count(counted, Sender("test", str(n), "t"))
    for sender in (BEN, ANN):
        with pytest.raises(TooMany):
            count(counted, sender)
    count(counted, Sender("test", "new", "t"))
    with pytest.raises(TooMany):
        count(counted, BEN)
    count(counted, Sender("test", "newer", "t"), 2)
    count(counted, Sender("test", "0", "t"), 20)


async def test_four_messages_of_a_thread_are_under_way(
    assistant: Assistant, upstream: FakeUpstream
) -> None:
    """One that is answered, and three that wait; what is said is exact."""
    upstream.heals("tavily")
    upstream.fails("tavily", faults.hang())
    exchanges = [await assistant.receive(ANN, SLEEP) for _ in range(4)]
    with pytest.raises(TooMany, match=r"^the question before this one is not answered yet"):
        await assistant.receive(ANN, SLEEP)

    first = exchanges[0]
    assert first is not None
    assert assistant.current(Sender("test", "ben", "t1")) is first  # the thread's, whoever speaks
    assert assistant.current(BEN) is None
    assert assistant.find(first.id) is first
    assert assistant.find(first.id, "acme") is None
    assert assistant.find("unknown") is None


@pytest.mark.parametrize(
    ("stored", "parent", "left"),
    [
        ({"searches": 3, "money": 0.5}, None, {"searches": 3, "money": 0.5}),
        ({"tokens": 999_999_999_999}, None, {"tokens": 999_999_999_999}),
        ({"seconds": 0.001}, Budget(searches=1), {"seconds": 0.001}),
        (None, Budget(searches=1), {"searches": 1}),
        (None, None, None),
    ],
)
def test_what_a_person_chose_to_spend(
    stored: Any, parent: Budget | None, left: dict[str, float] | None
) -> None:
    """Of the parent, too; without a choice it is the parent's."""
    options = _options({"route": "exa"} | ({"budget": stored} if stored else {}), parent)
    budget = options.get("budget")

    assert options.get("route") == "exa"
    assert (budget.left() if budget else None) == left
    if stored and budget:
        assert budget.parent is parent


@pytest.mark.parametrize("most", [0, -1, 1e12, 1e13, True, "3", None])
def test_a_bound_that_is_none(most: Any) -> None:
    """The sentence names it."""
    with pytest.raises(InvalidQuery) as error:
        _options({"budget": {"searches": most}})
    assert error.value.message == f"the bound of searches is {most!r}; it must be above 0"


@pytest.mark.parametrize(
    ("registered", "chosen", "tiers"),
    [
        ({}, {}, {}),
        ({"a": "auto"}, {"a": "ask"}, {"a": "ask"}),
        ({"a": "ask"}, {"a": "auto"}, {"a": "ask"}),
        ({"a": "never"}, {"a": "ask"}, {"a": "never"}),
        ({"a": "ask"}, {"a": "never"}, {"a": "never"}),
        ({"a": "auto"}, {"b": "never"}, {"a": "auto", "b": "never"}),
    ],
)
def test_the_stricter_tier_counts(
    registered: dict[str, str], chosen: dict[str, str], tiers: dict[str, str]
) -> None:
    """Nobody may allow what the registrations forbid."""
    assert _strictest(registered, chosen) == tiers


def test_a_tier_that_is_none_is_refused() -> None:
    """Before it is compared."""
    with pytest.raises(InvalidQuery, match="approval"):
        _strictest({}, {"a": "sometimes"})


def test_which_tools_ran_is_recorded() -> None:
    """A call that was repeated did not run; what was not a call is left out."""
    events = [
        Planned((), "rule"),
        ToolEnded("1", "web_search", {}, "found"),
        ToolEnded("2", "web_search", {}, "found", repeated=True),
        ToolEnded("3", "web_extract", {}, "refused"),
        ApprovalNeeded(Question("approve", "x")),
        ToolEnded("4", "rag_search", {}, "unavailable"),
    ]

    assert _decisions(events) == [
        ("tool", "web_search", "ran"), ("tool", "web_extract", "refused"),
        ("tool", "rag_search", "ran"),
    ]  # fmt: skip


async def test_a_choice_is_taken_back_and_the_others_stay(assistant: Assistant) -> None:
    """Also one that has become wrong meanwhile keeps nobody from changing another."""
    await assistant.choose(ANN, "budget", {"searches": 3})
    await assistant.choose(ANN, "collection", "papers")
    await assistant.choose(ANN, "route", "tavily")
    await assistant.choose(ANN, "collection", None)
    await assistant.choose(ANN, "model", None)

    assert await assistant.options(ANN) == {"budget": {"searches": 3}, "route": "tavily"}


async def test_the_next_process_need_not_wait_for_one_that_stopped(
    k: Any, db: Database, web: Web
) -> None:
    """It releases its leases; without one, nothing is anybody's."""
    first = Assistant(db, lambda _: k)
    exchange = await first.receive(ANN, SLEEP, approvals=ASK)
    assert exchange is not None
    await until_asked(exchange)
    async with Assistant(db, lambda _: k) as second:
        assert await second.resume("test") == []
        await first.close()
        with pytest.raises(asyncio.CancelledError, match="the process stops"):
            await all_events(exchange.follow())
        (again,) = await second.resume("test")
        await to_the_end(again)
    assert [d["decision"] for d in await list_decisions(db, "", "test", "ann")].count("skip") > 0
    assert web.queries == []


@pytest.mark.parametrize("taken", [True, False])
async def test_leases_are_renewed_every_five_seconds(
    taken: bool, assistant: Assistant, db: Database, clock: Any
) -> None:
    """A run that another process has taken over is stopped here, and stays that one's."""
    exchange = await assistant.receive(ANN, SLEEP, approvals=ASK)
    assert exchange is not None
    await until_asked(exchange)
    async with db.write() as connection:
        before = await connection.scalar(select(RUNS.c.lease))
        if taken:
            await connection.execute(update(RUNS).values(owner="another"))

    async def is_renewed() -> bool:
        async with db.read() as connection:
            return await connection.scalar(select(RUNS.c.lease)) != before

    clock.advance(5.0)
    if taken:
        with pytest.raises(asyncio.CancelledError, match="another process goes on with it"):
            await all_events(exchange.follow())
        assert not await is_renewed()
    else:
        async with asyncio.timeout(60):
            while True:
                if await is_renewed():
                    break
                await asyncio.sleep(0.01)
        assert exchange.waits_with is not None
    async with db.read() as connection:
        assert await connection.scalar(select(RUNS.c.state)) == "running"


async def test_whatever_breaks_a_run_ends_it(k: Any, db: Database) -> None:
    """Nobody repeats it, and whoever follows gets the error."""

    async def broken(_: Sender) -> Budget | None:
        raise ZeroDivisionError

    async with Assistant(db, lambda _: k, budget_of=broken) as assistant:
        exchange = await assistant.receive(ANN, SLEEP)
        assert exchange is not None
        with pytest.raises(ZeroDivisionError):
            await all_events(exchange.follow())
    async with db.read() as connection:
        assert await connection.scalar(select(RUNS.c.state)) == "failed"


async def test_the_budget_of_a_person_bounds_the_run(k: Any, db: Database, web: Web) -> None:
    """Beside the client's."""
    asked: list[Sender] = []

    async def none_left(sender: Sender) -> Budget | None:
        asked.append(sender)
        return Budget(searches=0)

    async with Assistant(db, lambda _: k, budget_of=none_left) as assistant:
        exchange = await assistant.receive(ANN, SLEEP)
        assert exchange is not None
        await to_the_end(exchange)

    assert asked == [ANN]
    assert web.queries == []

"""Conversations: stored, once, durable, one person's never another's."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext
from typing import Any

import pytest
from sqlalchemy import select, update

from kensaku import Budget
from kensaku.assistant import Answered, Assistant, TooMany
from kensaku.database import Database, runs
from kensaku.database.conversations import (
    Sender,
    find_conversation,
    list_conversations,
    messages_of,
)
from kensaku.database.people import list_decisions
from kensaku.database.tables import RUNS
from kensaku.errors import InvalidQuery, UnknownName
from kensaku.testing import FakeUpstream, faults
from tests.answers.conftest import Web
from tests.search.support import until

from .conftest import (
    ANN,
    ASK,
    BEN,
    BOTH,
    SLEEP,
    age,
    all_events,
    ask,
    begin,
    eventually,
    to_the_end,
    until_asked,
    without,
)


async def test_an_exchange_is_stored_and_can_be_followed_again(
    assistant: Assistant, db: Database
) -> None:
    """The same events for whoever joins later."""
    exchange = await ask(assistant, ANN, SLEEP)

    assert isinstance(exchange.last, Answered)
    assert await all_events(exchange.follow()) == exchange.events
    assert await all_events(exchange.follow(2)) == exchange.events[2:]
    conversation = await find_conversation(db, ANN)
    assert conversation is not None
    assert conversation.title == SLEEP
    said = await messages_of(db, conversation.id)
    assert [m.role for m in said] == ["user", "assistant"]
    assert said[1].text == exchange.last.answer.text
    kept, made = said[1].answer, exchange.last.answer
    assert kept is not None
    assert kept.keys() > made.to_dict().keys()
    assert [c["origin"] for c in kept["citations"]] == [c.origin for c in made.citations]
    assert [a["provider"] for a in kept["attempts"]] == ["tavily"]
    assert (kept["doubt"], kept["reason"], kept["notes"]) == (made.doubt, "", list(made.notes))
    assert [e["type"] for e in kept["events"]][:2] == ["Planned", "ToolEnded"]


async def test_the_same_update_twice_is_one_run(assistant: Assistant, web: Web) -> None:
    """Channels deliver at least once."""
    await ask(assistant, ANN, SLEEP, update="7")

    assert await assistant.receive(ANN, SLEEP, update="7") is None
    assert web.queries == [SLEEP]


async def test_a_follow_up_gets_the_topic_of_the_question_before(
    assistant: Assistant, web: Web
) -> None:
    """Of the same person in the same thread alone."""
    await ask(assistant, ANN, SLEEP)
    await ask(assistant, ANN, "And what do they eat?")
    await ask(assistant, BEN, "And what do they eat?")

    assert "otters" in web.queries[1]
    assert not any("otters" in query for query in web.queries[2:])


async def test_words_answer_the_question_that_a_run_waits_with(
    assistant: Assistant, db: Database, web: Web
) -> None:
    """Consent is asked for, given in Japanese, and recorded without the query."""
    await assistant.choose(ANN, "approvals", ASK)
    exchange = await begin(assistant, ANN, SLEEP, update="1")
    await until_asked(exchange)
    assert web.queries == []
    assert await assistant.receive(ANN, "いいえ", update="1") is None  # delivered twice
    assert exchange.waits_with is not None

    assert await assistant.receive(BEN, "はい") is not None  # nobody answers for another
    assert await assistant.receive(ANN, "はい") is None
    await all_events(exchange.follow())

    assert isinstance(exchange.last, Answered)
    trail = await list_decisions(db, "", "test", "ann")
    assert ("approve", "web_search", "proceed") in {
        (d["kind"], d["tool"], d["decision"]) for d in trail
    }
    assert "otters" not in str(trail)


@pytest.mark.parametrize("reply", ["skip", None])
async def test_what_was_not_allowed_is_recorded(
    reply: str | None, client: Any, web: Web, clock: Any
) -> None:
    """Also that nobody replied; a tool that did not run did not run."""
    k = client()
    db = await Database.open(k.settings)
    async with Assistant(db, lambda _: k) as assistant:
        exchange = await begin(assistant, ANN, SLEEP, approvals=ASK)
        asked = await until_asked(exchange)
        if reply is None:
            clock.advance(k.settings.assistant_wait)
            await exchange.settled(asked.id)
        await to_the_end(exchange)
    trail = [
        (d["kind"], d["tool"], d["decision"]) for d in await list_decisions(db, "", "test", "ann")
    ]
    await db.close()

    assert ("approve", "web_search", reply or "none") in trail
    assert ("tool", "web_search", "refused") in trail
    assert ("tool", "web_search", "ran") not in trail
    assert web.queries == []


async def test_a_killed_run_goes_on_and_searches_nothing_twice(
    k: Any, db: Database, web: Web
) -> None:
    """The next process asks the question that was open, with the channel's memory."""
    web.upstream.heals("tavily")
    web.has("sleep", "/p/long", "Otters", "Nothing of interest. " * 5 + "They float.")
    first = Assistant(db, lambda _: k)
    exchange = await begin(first, ANN, SLEEP, approvals={"web_extract": "ask"})
    await exchange.remember({"message": 41, "chat": 5})
    await exchange.remember({"message": 42})
    asked = await until_asked(exchange)  # the snippet is no answer: may the page be read?
    await first.close()
    await age(db, "lease")

    async with Assistant(db, lambda _: k) as second:
        (again,) = await second.resume("test")
        assert again.id == exchange.id
        assert again.memory == {"message": 42, "chat": 5}
        assert (await until_asked(again)).id == asked.id
        await to_the_end(again)
        assert again.last is not None
        assert await second.resume("test") == []
    assert len(set(web.queries)) == len(web.queries)


async def test_a_person_goes_on_with_the_own_runs_alone(k: Any, db: Database) -> None:
    """On one database, two people have a terminal each."""
    first = Assistant(db, lambda _: k)
    for sender in (ANN, BEN):
        exchange = await begin(first, sender, SLEEP, approvals=ASK)
        await until_asked(exchange)
    await first.close()
    await age(db, "lease")

    async with Assistant(db, lambda _: k) as second:
        assert await runs.list_unfinished(db, "", "test", "ann") == [SLEEP]
        assert await runs.list_unfinished(db, "other", "test", "ann") == []
        (again,) = await second.resume("test", tenant="", person="ann")
        assert again.sender == ANN
        await to_the_end(again)
        assert await runs.list_unfinished(db, "", "test", "ann") == []
        assert await runs.list_unfinished(db, "", "test", "ben") == [SLEEP]


async def test_what_nobody_left_behind_is_not_taken_over(
    assistant: Assistant, k: Any, db: Database
) -> None:
    """Neither a run that has ended, nor one that is under way elsewhere, nor one of last week."""
    await ask(assistant, ANN, SLEEP)
    await until_asked(await begin(assistant, ANN, SLEEP, approvals=ASK))
    async with Assistant(db, lambda _: k) as other:
        assert await other.resume("test") == []
        await assistant.close()
        await age(db, "lease", "created")
        assert await other.resume("test") == []


async def test_two_people_never_mix(assistant: Assistant, db: Database) -> None:
    """Settings, threads and what is kept are a person's own."""
    await assistant.choose(ANN, "approvals", {"web_search": "never"})
    ann, ben = await asyncio.gather(ask(assistant, ANN, SLEEP), ask(assistant, BEN, SLEEP))

    assert not isinstance(ann.last, Answered)
    assert isinstance(ben.last, Answered)
    assert await assistant.options(BEN) == {}
    assert [c.thread for c in await list_conversations(db, "", "test", "ann")] == ["t1"]
    assert await list_conversations(db, "other", "test") == []


async def test_a_thread_has_one_run_and_three_that_wait(
    assistant: Assistant, upstream: FakeUpstream
) -> None:
    """The run is known by its thread, whoever speaks there, and by its id within its tenant."""
    upstream.heals("tavily")
    upstream.fails("tavily", faults.hang())
    first, *_ = [await begin(assistant, ANN, SLEEP) for _ in range(4)]
    with pytest.raises(TooMany, match="not answered yet") as refused:
        await assistant.receive(ANN, SLEEP)

    assert refused.value.status == 429
    assert assistant.current(Sender("test", "ben", "t1")) is first
    assert assistant.current(BEN) is None
    assert assistant.find(first.id) is first
    assert assistant.find(first.id, "acme") is None
    assert await assistant.receive(BEN, SLEEP) is not None


async def test_a_person_says_twenty_things_in_a_minute(k: Any, db: Database) -> None:
    """In all threads together, also what is refused; others are not concerned."""
    now = 0.0
    async with Assistant(db, lambda _: k, now=lambda: now) as assistant:

        async def say(sender: Sender) -> None:
            with pytest.raises(InvalidQuery):
                await assistant.receive(sender, " ")

        for n in range(20):
            await say(Sender("test", "ann", f"t{n % 3}"))
        now = 59.0
        with pytest.raises(TooMany, match="in a minute"):
            await assistant.receive(ANN, " ")
        for other in (BEN, Sender("other", "ann", "t1"), Sender("test", "ann", "t1", "acme")):
            await say(other)
        now = 61.0
        await say(ANN)


async def test_so_many_runs_are_under_way_at_once(assistant: Assistant) -> None:
    """The others wait for their turn, and get it."""
    people = [Sender("test", str(n), str(n)) for n in range(33)]
    *first, last = [await begin(assistant, who, SLEEP, approvals=ASK) for who in people]
    for exchange in first:
        await until_asked(exchange)
    assert last.events == []
    await to_the_end(first[0])

    await until_asked(last)


async def test_messages_of_one_thread_are_answered_in_order(assistant: Assistant, web: Web) -> None:
    """The second waits for the first."""
    first = await begin(assistant, ANN, SLEEP)
    second = await begin(assistant, ANN, "What do sea otters eat?")
    await to_the_end(second)

    assert first.last is not None
    assert second.last is not None
    assert assistant.current(ANN) is None


async def test_a_person_cancels(assistant: Assistant, db: Database, upstream: FakeUpstream) -> None:
    """Before its first step, too; nobody goes on with that run."""
    upstream.heals("tavily")
    upstream.fails("tavily", faults.hang())
    exchange = await begin(assistant, ANN, SLEEP)
    exchange.cancel()
    with pytest.raises(asyncio.CancelledError):
        await all_events(exchange.follow())

    async with db.read() as connection:
        assert await connection.scalar(select(RUNS.c.state)) == "cancelled"
    assert await assistant.resume("test") == []


async def test_wrong_words_and_choices_are_refused_before_anything_is_stored(
    assistant: Assistant, db: Database
) -> None:
    """With the error that a command gives."""
    with pytest.raises(InvalidQuery, match="empty"):
        await assistant.receive(ANN, "  ")
    with pytest.raises(UnknownName, match="choice"):
        await assistant.choose(ANN, "home", "/")
    with pytest.raises(InvalidQuery, match="approval"):
        await assistant.choose(ANN, "approvals", {"web_search": "sometimes"})
    with pytest.raises(UnknownName, match="provider"):
        await assistant.choose(ANN, "route", "tavily,nobody")
    with pytest.raises(UnknownName, match="bound"):
        await assistant.choose(ANN, "budget", {"patience": 3})
    for bound in (0, -1, float("nan"), float("inf"), True, "3"):
        with pytest.raises(InvalidQuery, match="above 0"):
            await assistant.choose(ANN, "budget", {"searches": bound})
    assert await list_conversations(db, "", "test") == []


async def test_the_registrations_in_the_database_decide(
    k: Any, db: Database, assistant: Assistant, web: Web
) -> None:
    """A tool that is switched off there does not run, whatever the person chose."""
    from sqlalchemy import text

    from kensaku.compat.chat_server.database import register
    from kensaku.database import url_of

    await asyncio.to_thread(register, url_of(k.settings))
    assert isinstance((await ask(assistant, ANN, SLEEP)).last, Answered)

    async with db.write() as connection:
        await connection.execute(text("UPDATE agent_tools SET is_active = false"))
    await assistant.choose(ANN, "approvals", {"web_search": "auto"})
    assert not isinstance((await ask(assistant, ANN, SLEEP)).last, Answered)
    assert web.queries == [SLEEP]


# --- choices and budgets


async def test_a_choice_is_taken_back_and_the_others_stay(assistant: Assistant) -> None:
    """Each by itself."""
    await assistant.choose(ANN, "budget", {"searches": 3})
    await assistant.choose(ANN, "collection", "papers")
    await assistant.choose(ANN, "collection", None)
    await assistant.choose(ANN, "model", None)

    assert await assistant.options(ANN) == {"budget": {"searches": 3}}


@pytest.mark.parametrize(
    ("chosen", "bound", "searches"),
    [
        ({"searches": 1}, None, 1),
        ({"searches": 9}, 1, 1),
        (None, 1, 1),
        (None, 0, 0),
        (None, None, 2),
    ],
)
async def test_a_run_spends_no_more_than_the_person_and_the_operator_allow(
    chosen: Any, bound: int | None, searches: int, k: Any, db: Database, web: Web
) -> None:
    """The stricter of both counts."""

    async def budget_of(sender: Sender) -> Budget | None:
        assert sender == ANN
        return None if bound is None else Budget(searches=bound)

    async with Assistant(db, lambda _: k, budget_of=budget_of) as assistant:
        await assistant.choose(ANN, "budget", chosen)
        await ask(assistant, ANN, BOTH)

    assert len(web.queries) == searches


# --- leases, and a database that is away


async def lease(db: Database) -> Any:
    """Until when the run belongs to its process."""
    async with db.read() as connection:
        return await connection.scalar(select(RUNS.c.lease))


async def test_a_process_keeps_its_runs_also_after_its_database_was_away(
    assistant: Assistant, db: Database, clock: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """It renews their leases as long as they are under way."""
    await until_asked(await begin(assistant, ANN, SLEEP, approvals=ASK))
    before = await lease(db)
    async with without(db, "kensaku_runs"):
        clock.advance(5)
        await until(lambda: "were not renewed" in caplog.text)
    clock.advance(5)

    async def is_renewed() -> bool:
        return bool(await lease(db) != before)

    await eventually(is_renewed)


async def test_a_run_that_another_process_has_taken_is_stopped_here(
    assistant: Assistant, db: Database, clock: Any
) -> None:
    """It stays that one's."""
    exchange = await begin(assistant, ANN, SLEEP, approvals=ASK)
    await until_asked(exchange)
    async with db.write() as connection:
        await connection.execute(update(RUNS).values(owner="another"))
    clock.advance(5)
    with pytest.raises(asyncio.CancelledError, match="another process goes on with it"):
        await all_events(exchange.follow())

    async with db.read() as connection:
        assert await connection.scalar(select(RUNS.c.state)) == "running"


async def test_the_next_process_need_not_wait_for_one_that_stopped(
    k: Any, db: Database, web: Web
) -> None:
    """Whoever follows the run there is told; it goes on here."""
    first = Assistant(db, lambda _: k)
    exchange = await begin(first, ANN, SLEEP, approvals=ASK)
    await until_asked(exchange)
    async with Assistant(db, lambda _: k) as second:
        assert await second.resume("test") == []
        await first.close()
        with pytest.raises(asyncio.CancelledError, match="the process stops"):
            await all_events(exchange.follow())
        (again,) = await second.resume("test")
        await to_the_end(again)
    assert web.queries == []


@pytest.mark.parametrize("away", [False, True])
async def test_whatever_breaks_a_run_ends_it(away: bool, k: Any, db: Database) -> None:
    """Nobody repeats it, and whoever follows gets the error, not that of a database."""
    may_break = asyncio.Event()

    async def broken(_: Sender) -> Budget | None:
        await may_break.wait()
        raise ZeroDivisionError

    async with Assistant(db, lambda _: k, budget_of=broken) as assistant:
        exchange = await begin(assistant, ANN, SLEEP)
        async with without(db, "kensaku_runs") if away else nullcontext():
            may_break.set()
            with pytest.raises(ZeroDivisionError):
                await all_events(exchange.follow())
    async with db.read() as connection:
        state = await connection.scalar(select(RUNS.c.state))
    assert state == ("running" if away else "failed")


async def test_a_process_stops_without_its_database(k: Any, db: Database) -> None:
    """The leases expire by themselves."""
    assistant = Assistant(db, lambda _: k)
    exchange = await begin(assistant, ANN, SLEEP, approvals=ASK)
    await until_asked(exchange)
    async with without(db, "kensaku_runs"):
        await assistant.close()

    assert assistant.current(ANN) is None

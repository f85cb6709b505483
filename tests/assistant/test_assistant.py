"""Conversations: stored, once, durable, one person's never another's."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from kensaku.assistant.approval import Reply
from kensaku.assistant.assistant import MAX_PER_MINUTE, MAX_QUEUED, Assistant, TooMany
from kensaku.assistant.events import Answered, ApprovalNeeded, QuestionAsked
from kensaku.assistant.exchange import Exchange
from kensaku.database import Database, runs
from kensaku.database.conversations import (
    Sender,
    find_conversation,
    list_conversations,
    messages_of,
)
from kensaku.database.people import delete_person, export_person, list_decisions
from kensaku.errors import InvalidQuery, UnknownName
from kensaku.testing import FakeUpstream, faults
from tests.research.conftest import Web

from .conftest import all_events

ANN = Sender("test", "ann", "t1")
BEN = Sender("test", "ben", "t2")
SLEEP = "How do sea otters sleep?"


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


async def ask(assistant: Assistant, sender: Sender, text: str, **options: Any) -> Exchange:
    """Ask, and wait for the end; the person cannot help."""
    exchange = await assistant.receive(sender, text, **options)
    assert exchange is not None
    return await to_the_end(exchange)


async def to_the_end(exchange: Exchange) -> Exchange:
    """Skip every question that is left."""
    async for event in exchange.follow():
        if isinstance(event, QuestionAsked | ApprovalNeeded):
            exchange.reply("skip", event.question.id)
    return exchange


async def until_asked(exchange: Exchange) -> Any:
    """Wait for a question to the person."""
    async for event in exchange.follow():
        if isinstance(event, QuestionAsked | ApprovalNeeded):
            return event.question
    raise AssertionError("nothing was asked")


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
    assert said[1].answer is not None
    assert said[1].answer["citations"]


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
    await assistant.choose(ANN, "approvals", {"web_search": "ask"})
    exchange = await assistant.receive(ANN, SLEEP)
    assert exchange is not None
    await until_asked(exchange)
    assert web.queries == []

    assert await assistant.receive(BEN, "はい") is not None  # nobody answers for another
    assert await assistant.receive(ANN, "はい") is None
    await all_events(exchange.follow())

    assert isinstance(exchange.last, Answered)
    trail = await list_decisions(db, "", "test", "ann")
    assert ("approve", "web_search", "proceed") in {
        (d["kind"], d["tool"], d["decision"]) for d in trail
    }
    assert "otters" not in str(trail)


async def test_a_button_counts_once(assistant: Assistant) -> None:
    """The second press, and a choice that was not offered, change nothing."""
    await assistant.choose(ANN, "approvals", {"web_search": "ask"})
    exchange = await assistant.receive(ANN, SLEEP)
    assert exchange is not None
    question = await until_asked(exchange)

    assert not exchange.reply(Reply("retry"), question.id)
    assert not exchange.reply(Reply("proceed"), "unknown")
    assert exchange.reply(Reply("proceed"), question.id)
    assert not exchange.reply(Reply("cancel"), question.id)
    await all_events(exchange.follow())
    assert isinstance(exchange.last, Answered)


async def test_a_killed_run_goes_on_and_searches_nothing_twice(
    k: Any, db: Database, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next process asks the question that was open, with the channel's memory."""
    monkeypatch.setattr(runs, "LEASE_SECONDS", -1.0)  # as if its process were long gone
    web.upstream.heals("tavily")
    web.has("sleep", "/p/long", "Otters", "Nothing of interest. " * 5 + "They float.")
    first = Assistant(db, lambda _: k)
    exchange = await first.receive(ANN, SLEEP, approvals={"web_extract": "ask"})
    assert exchange is not None
    await exchange.remember({"message": 42})
    asked = await until_asked(exchange)  # the snippet is no answer: may the page be read?
    await first.close()

    async with Assistant(db, lambda _: k) as second:
        (again,) = await second.resume("test")
        assert again.id == exchange.id
        assert again.memory == {"message": 42}
        assert (await until_asked(again)).id == asked.id
        await to_the_end(again)
        assert again.last is not None
        assert await second.resume("test") == []
    assert len(set(web.queries)) == len(web.queries)


async def test_a_person_goes_on_with_the_own_runs_alone(
    k: Any, db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On one database, two people have a terminal each."""
    monkeypatch.setattr(runs, "LEASE_SECONDS", -1.0)
    first = Assistant(db, lambda _: k)
    for sender in (ANN, BEN):
        exchange = await first.receive(sender, SLEEP, approvals={"web_search": "ask"})
        assert exchange is not None
        await until_asked(exchange)
    await first.close()

    async with Assistant(db, lambda _: k) as second:
        assert await runs.list_unfinished(db, "", "test", "ann") == [SLEEP]
        assert await runs.list_unfinished(db, "other", "test", "ann") == []
        (again,) = await second.resume("test", tenant="", person="ann")
        assert again.sender == ANN
        await to_the_end(again)
        assert await runs.list_unfinished(db, "", "test", "ann") == []
        assert await runs.list_unfinished(db, "", "test", "ben") == [SLEEP]


async def test_a_channel_learns_that_a_question_is_settled(make_client: Any, client: Any) -> None:
    """By a reply, or because nobody waits for one any more."""
    patient, hasty = client(), client(assistant_wait=1)
    for k, reply in ((patient, "yes"), (hasty, None)):
        db = await Database.open(k.settings)
        async with Assistant(db, lambda _, k=k: k) as assistant:  # type: ignore[misc]
            exchange = await assistant.receive(ANN, SLEEP, approvals={"web_search": "ask"})
            assert exchange is not None
            question = await until_asked(exchange)
            waiting = asyncio.ensure_future(exchange.settled(question.id))
            if reply is not None:
                await asyncio.sleep(0)
                assert not waiting.done()
                exchange.reply(reply)
            await waiting
            await exchange.settled("unknown")
            await to_the_end(exchange)
        await db.close()


async def test_a_run_that_ended_is_not_taken_over(
    assistant: Assistant, db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And one that is under way elsewhere neither."""
    await ask(assistant, ANN, SLEEP)
    await assistant.choose(ANN, "approvals", {"web_search": "ask"})
    waiting = await assistant.receive(ANN, SLEEP)
    assert waiting is not None
    await until_asked(waiting)

    assert await runs.claim(db, "test", "other") == []


async def test_an_old_question_is_not_answered_any_more(
    k: Any, db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bot that was down for days does not surprise people."""
    monkeypatch.setattr(runs, "LEASE_SECONDS", -1.0)
    monkeypatch.setattr(runs, "ABANDONED_SECONDS", -1.0)
    first = Assistant(db, lambda _: k)
    await first.receive(ANN, SLEEP, approvals={"web_search": "ask"})
    await first.close()

    assert await runs.claim(db, "test", "other") == []


async def test_two_people_never_mix(assistant: Assistant, db: Database) -> None:
    """Settings, threads and what is kept are a person's own."""
    await assistant.choose(ANN, "approvals", {"web_search": "never"})
    ann, ben = await asyncio.gather(ask(assistant, ANN, SLEEP), ask(assistant, BEN, SLEEP))

    assert not isinstance(ann.last, Answered)
    assert isinstance(ben.last, Answered)
    assert await assistant.options(BEN) == {}
    assert [c.thread for c in await list_conversations(db, "", "test", "ann")] == ["t1"]
    assert await list_conversations(db, "other", "test") == []


async def test_floods_are_bounded(assistant: Assistant, upstream: FakeUpstream) -> None:
    """By thread, and by person."""
    upstream.heals("tavily")
    upstream.fails("tavily", faults.hang())
    for _ in range(MAX_QUEUED + 1):
        await assistant.receive(ANN, SLEEP)
    with pytest.raises(TooMany, match="not answered yet"):
        await assistant.receive(ANN, SLEEP)
    for n in range(MAX_PER_MINUTE - MAX_QUEUED - 2):
        await assistant.receive(Sender("test", "ann", f"t{n + 9}"), SLEEP)
    with pytest.raises(TooMany, match="in a minute"):
        await assistant.receive(Sender("test", "ann", "t8"), SLEEP)
    assert await assistant.receive(BEN, SLEEP) is not None


async def test_messages_of_one_thread_are_answered_in_order(assistant: Assistant, web: Web) -> None:
    """The second waits for the first."""
    first = await assistant.receive(ANN, SLEEP)
    second = await assistant.receive(ANN, "What do sea otters eat?")
    assert first is not None
    assert second is not None
    await to_the_end(second)

    assert first.last is not None
    assert second.last is not None
    assert assistant.current(ANN) is None


async def test_a_person_cancels(assistant: Assistant, upstream: FakeUpstream) -> None:
    """Nobody goes on with that run."""
    upstream.heals("tavily")
    upstream.fails("tavily", faults.hang())
    exchange = await assistant.receive(ANN, SLEEP)
    assert exchange is not None
    exchange.cancel()
    with pytest.raises(asyncio.CancelledError):
        await all_events(exchange.follow())

    assert await assistant.resume("test") == []


async def test_what_is_kept_can_be_exported_and_deleted(assistant: Assistant, db: Database) -> None:
    """All of it, and only that person's."""
    await ask(assistant, ANN, SLEEP)
    await ask(assistant, BEN, SLEEP)
    await assistant.choose(ANN, "route", "tavily")

    kept = await export_person(db, "", "test", "ann")
    assert [m["role"] for m in kept["messages"]] == ["user", "assistant"]
    assert kept["options"] == {"route": "tavily"}
    assert kept["approvals"]

    assert await delete_person(db, "", "test", "ann") == 2
    gone = await export_person(db, "", "test", "ann")
    assert (gone["messages"], gone["options"], gone["approvals"]) == ([], {}, [])
    assert await find_conversation(db, ANN) is None
    assert len((await export_person(db, "", "test", "ben"))["messages"]) == 2


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

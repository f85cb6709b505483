"""People and their conversations: what is kept is listed, exported and deleted, and whose it is."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import func, select, update

from kensaku.database import Database, conversations, people, runs
from kensaku.database.conversations import Conversation, Sender
from kensaku.database.leases import save_step
from kensaku.database.tables import APPROVALS, CONVERSATIONS, MESSAGES, RUN_STEPS, RUNS

ADA = Sender("slack", "ada", "t1", "acme")
BOB = replace(ADA, person="bob")
OTHER_TENANT, OTHER_CHANNEL = replace(ADA, tenant="other"), replace(ADA, channel="teams")
NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)


@pytest.fixture
def db(file_db: Database) -> Database:
    """A file: both databases are met in `test_tables.py` and by the assistant's tests."""
    return file_db


async def ask(db: Database, id: str, sender: Sender = ADA, text: str = "otters?") -> Any:
    """Ask something and get an answer."""
    run = await runs.begin(db, id, sender, text, {}, owner="me")
    assert run is not None
    decisions = [("tool", "web_search", "auto")]
    answer = {"answer": f"{text} yes"}
    await runs.finish(db, run, "me", "done", text="yes", answer=answer, decisions=decisions)
    return run


async def count(db: Database, table: Any) -> int:
    async with db.read() as connection:
        return await connection.scalar(select(func.count()).select_from(table)) or 0


async def test_a_conversation_has_the_beginning_of_its_first_question_for_a_title(db):
    """A hundred characters of it, in one line; later questions leave it as it is."""
    run = await ask(db, "r1", text="a\n b" + "c" * 100)
    first = await conversations.find_conversation(db, ADA)
    await ask(db, "r2", text="another")
    second = await conversations.find_conversation(db, ADA)

    assert first is not None
    assert second is not None
    assert first.created == first.updated
    assert first == Conversation(
        run.conversation, "slack", "t1", "a b" + "c" * 97, first.created, first.created
    )
    assert second == replace(first, updated=second.updated)
    assert second.updated > first.updated
    for other in (OTHER_TENANT, OTHER_CHANNEL, replace(ADA, thread="t2")):
        assert await conversations.find_conversation(db, other) is None


async def test_conversations_are_listed_newest_first(db):
    """Of a channel and a tenant; of a person, those in which the person spoke."""
    for n, sender in enumerate([ADA, replace(BOB, thread="t2"), OTHER_TENANT, OTHER_CHANNEL]):
        await ask(db, f"r{n}", sender)

    async def threads(*who: Any, **more: Any) -> list[str]:
        return [c.thread for c in await conversations.list_conversations(db, *who, **more)]

    assert await threads("acme", "slack") == ["t2", "t1"]
    assert await threads("acme", "slack", limit=1) == ["t2"]
    assert await threads("acme", "slack", "ada") == ["t1"]
    assert await threads("acme", "slack", "nobody") == []
    assert await threads("acme", "nowhere") == []


async def test_the_last_messages_are_read_oldest_first(db):
    """A question comes before its answer, also if both have the same time."""
    run = await ask(db, "r1", text="first")
    await ask(db, "r2", text="second")
    async with db.write() as connection:
        own = MESSAGES.c.id.in_(["r1-u", "r1-a"])
        await connection.execute(update(MESSAGES).where(own).values(created=NOON))

    async def ids(limit: int = 500) -> list[str]:
        return [m.id for m in await conversations.messages_of(db, run.conversation, limit)]

    assert await ids() == ["r1-u", "r1-a", "r2-u", "r2-a"]
    assert await ids(3) == ["r1-a", "r2-u", "r2-a"]
    assert await conversations.messages_of(db, "another") == []


async def test_a_conversation_is_deleted_with_all_that_was_said(db):
    """That thread alone."""
    await ask(db, "r1")
    await ask(db, "r2", OTHER_CHANNEL)

    assert await conversations.delete_conversation(db, replace(ADA, thread="t2")) is False
    assert await conversations.delete_conversation(db, ADA) is True
    assert await conversations.delete_conversation(db, ADA) is False
    assert [await count(db, t) for t in (CONVERSATIONS, MESSAGES, RUNS)] == [1, 2, 1]


async def test_what_a_person_chose_is_replaced_as_a_whole(db):
    """Per tenant, channel and person; in every thread."""
    await people.set_options(db, ADA, {"route": "tavily"})
    await people.set_options(db, BOB, {"route": "exa"})
    await people.set_options(db, ADA, {"model": "x"})

    assert await people.options_of(db, replace(ADA, thread="another")) == {"model": "x"}
    assert await people.options_of(db, BOB) == {"route": "exa"}
    assert await people.options_of(db, OTHER_TENANT) == {}
    assert await people.options_of(db, OTHER_CHANNEL) == {}


async def test_people_are_those_who_spoke_or_chose(db):
    """In one channel of one tenant, each once, in order."""
    await ask(db, "r1", BOB)
    await ask(db, "r2", replace(ADA, person="other", tenant="other"))
    await people.set_options(db, BOB, {})
    await people.set_options(db, ADA, {})
    await people.set_options(db, replace(OTHER_CHANNEL, person="else"), {})

    assert await people.list_people(db, "acme", "slack") == ["ada", "bob"]
    assert await people.list_people(db, "acme", "teams") == ["else"]
    assert await people.list_people(db, "other", "slack") == ["other"]


async def test_decisions_are_listed_newest_first(db):
    """A tool's name is cut off at 64 characters."""
    async with db.write() as connection:
        await people.record_decisions(connection, ADA, "r0", [])
        for n, run in enumerate(["r1", "r2"]):
            await people.record_decisions(connection, ADA, run, [("tool", "x" * 65, "auto")])
            own = APPROVALS.c.run == run
            at = NOON + timedelta(hours=n)
            await connection.execute(update(APPROVALS).where(own).values(at=at))
    row = {"kind": "tool", "tool": "x" * 64, "decision": "auto"}
    newest = {"at": "2026-11-16T13:00:00+00:00", "run": "r2", **row}

    assert await people.list_decisions(db, "acme", "slack", "ada") == [
        newest,
        {"at": "2026-11-16T12:00:00+00:00", "run": "r1", **row},
    ]
    for who in (("other", "slack", "ada"), ("acme", "teams", "ada"), ("acme", "slack", "bob")):
        assert await people.list_decisions(db, *who) == []


async def test_all_that_is_kept_about_a_person_is_exported(db):
    """And nothing of others."""
    await ask(db, "r1")
    for n, other in enumerate([BOB, OTHER_TENANT, OTHER_CHANNEL]):
        await ask(db, f"o{n}", other)
        await people.set_options(db, other, {"route": "no"})
    await people.set_options(db, ADA, {"route": "tavily"})
    async with db.write() as connection:
        await connection.execute(update(MESSAGES).values(created=NOON))
        await connection.execute(update(APPROVALS).values(at=NOON))
    at = "2026-11-16T12:00:00+00:00"

    assert await people.export_person(db, "acme", "slack", "ada") == {
        "channel": "slack",
        "person": "ada",
        "options": {"route": "tavily"},
        "messages": [
            {"id": "r1-u", "role": "user", "text": "otters?", "created": at, "answer": None,
             "thread": "t1"},
            {"id": "r1-a", "role": "assistant", "text": "yes", "created": at,
             "answer": {"answer": "otters? yes"}, "thread": "t1"},
        ],
        "approvals": [
            {"at": at, "run": "r1", "kind": "tool", "tool": "web_search", "decision": "auto"}
        ],
    }  # fmt: skip


async def test_a_person_is_deleted_and_others_stay(db):
    """A thread goes with the last who spoke there; steps of unfinished runs go, too."""
    await ask(db, "shared-1")
    await ask(db, "shared-2", BOB)
    alone = replace(ADA, thread="t2")
    await runs.begin(db, "alone", alone, "q", {}, owner="me")
    await save_step(db, "me", "alone", "s", 1)
    await runs.begin(db, "bobs", BOB, "q", {}, owner="me")
    await save_step(db, "me", "bobs", "s", 1)
    await ask(db, "elsewhere-1", OTHER_TENANT)
    await ask(db, "elsewhere-2", OTHER_CHANNEL)
    for person in (ADA, BOB, OTHER_TENANT, OTHER_CHANNEL):
        await people.set_options(db, person, {"route": "x"})

    deleted = await people.delete_person(db, "acme", "slack", "ada")

    assert deleted == 3
    assert await people.list_people(db, "acme", "slack") == ["bob"]
    assert await conversations.find_conversation(db, alone) is None
    assert await conversations.find_conversation(db, ADA) is not None
    assert await people.options_of(db, ADA) == {}
    assert [await people.options_of(db, p) for p in (BOB, OTHER_TENANT, OTHER_CHANNEL)] == [
        {"route": "x"}
    ] * 3
    assert await people.list_decisions(db, "acme", "slack", "ada") == []
    async with db.read() as connection:
        kept = sorted(await connection.scalars(select(RUNS.c.id)))
        steps = list(await connection.scalars(select(RUN_STEPS.c.run)))
    assert kept == ["bobs", "elsewhere-1", "elsewhere-2", "shared-2"]
    assert steps == ["bobs"]
    assert await count(db, APPROVALS) == 3
    assert await people.delete_person(db, "acme", "slack", "ada") == 0

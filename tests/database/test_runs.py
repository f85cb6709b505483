"""Runs, questions and deliveries: what is stored to the letter, and when it changes hands."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import select, update

from kensaku.database import Database, conversations, deliveries, people, questions, runs
from kensaku.database.conversations import Sender
from kensaku.database.leases import save_step
from kensaku.database.runs import StoredRun
from kensaku.database.tables import RUN_STEPS, RUNS, UPDATES

ADA = Sender("slack", "ada", "t1", "acme")
BOB = replace(ADA, person="bob")
ELSEWHERE = [
    replace(ADA, channel="teams"), replace(ADA, person="bob"),
    replace(ADA, thread="t2"), replace(ADA, tenant="other"),
]  # fmt: skip


@pytest.fixture
def db(file_db: Database) -> Database:
    """A file: both databases are met in `test_tables.py` and by the assistant's tests."""
    return file_db


async def begin(db: Database, id: str = "r1", sender: Sender = ADA, **more: Any) -> StoredRun:
    text = more.pop("question", "otters?")
    run = await runs.begin(db, id, sender, text, more.pop("options", {}), owner="me", **more)
    assert run is not None
    return run


async def row(db: Database, id: str = "r1") -> Any:
    async with db.read() as connection:
        return (await connection.execute(select(RUNS).where(RUNS.c.id == id))).one()


async def set_run(db: Database, id: str = "r1", **values: Any) -> None:
    async with db.write() as connection:
        await connection.execute(update(RUNS).where(RUNS.c.id == id).values(values))


def ago(seconds: float) -> datetime:
    return datetime.now(UTC) - timedelta(seconds=seconds)


async def test_a_run_is_stored_with_its_question_and_a_lease_of_15_seconds(db):
    """Whoever claims it later has all that the first owner had."""
    run = await begin(db, options={"model": "x"})

    stored = await row(db)
    assert run == StoredRun("r1", ADA, run.conversation, "otters?", {"model": "x"}, {}, ())
    assert stored.lease == stored.created + timedelta(seconds=15)
    await set_run(db, lease=ago(1))
    assert await runs.claim(db, "slack", "you") == [run]


async def test_what_was_asked_before_comes_with_a_run(db):
    """The last three questions of the person; what the client holds, if we hold none."""
    first = await begin(db, "r0", options={"earlier": ["from the client"]})
    for n in range(1, 5):
        await begin(db, f"r{n}", question=f"q{n}")
    await begin(db, "other", BOB, question="bob's")
    last = await begin(db, "r5", options={"earlier": ["from the client"]})

    assert (first.earlier, last.earlier) == (("from the client",), ("q2", "q3", "q4"))


async def test_a_claimed_run_has_its_steps_its_memory_and_a_new_lease(db):
    """Its owner is gone; the next process goes on."""
    run = await begin(db, options={"model": "x", "earlier": ["before"]})
    await save_step(db, "me", "r1", "search-1", {"hits": [1]})
    await runs.remember(db, "r1", {"message": 5})
    await set_run(db, lease=ago(1))
    before = datetime.now(UTC)

    (claimed,) = await runs.claim(db, "slack", "you")

    lease = timedelta(seconds=15)
    stored = await row(db)
    assert claimed == replace(
        run, options={"model": "x"}, memory={"message": 5}, steps={"search-1": {"hits": [1]}}
    )
    assert (stored.owner, stored.state) == ("you", "running")
    assert before + lease <= stored.lease <= datetime.now(UTC) + lease


@pytest.mark.parametrize(
    ("more", "claimed"),
    [
        ({}, 2),
        ({"tenant": "acme"}, 2),
        ({"tenant": "other"}, 0),
        ({"person": "ada"}, 1),
        ({"tenant": "acme", "person": "nobody"}, 0),
    ],
)
async def test_runs_of_a_tenant_or_a_person_are_claimed(db, more, claimed):
    """Oldest first; those of another channel are another service's."""
    for n, sender in enumerate([ADA, BOB, replace(ADA, channel="teams")]):
        await begin(db, f"r{n}", sender)
        await set_run(db, f"r{n}", lease=ago(1))

    found = await runs.claim(db, "slack", "you", **more)

    assert [run.id for run in found] == ["r0", "r1"][:claimed]


@pytest.mark.parametrize(
    ("values", "expired"),
    [({"lease": ago(1)}, True), ({}, False), ({"lease": ago(1), "state": "done"}, False)],
)
async def test_only_a_running_run_whose_lease_is_over_can_be_claimed(db, values, expired):
    """The others have an owner, or have ended."""
    await begin(db)
    if values:
        await set_run(db, **values)

    assert await runs.any_expired(db, "slack") is expired
    assert await runs.any_expired(db, "teams") is False
    assert bool(await runs.claim(db, "slack", "you")) is expired


@pytest.mark.parametrize(("age", "state"), [(3_600.5, "abandoned"), (3_500, "running")])
async def test_after_an_hour_nobody_waits_for_the_reply_any_more(db, age, state):
    """A run that was found too late is given up."""
    await begin(db)
    await set_run(db, lease=ago(1), created=ago(age))

    unfinished = await runs.list_unfinished(db, "acme", "slack", "ada")
    claimed = await runs.claim(db, "slack", "you")

    assert (await row(db)).state == state
    assert bool(claimed) is bool(unfinished) is (state == "running")


async def test_a_run_is_finished_once_and_by_its_owner(db):
    """Whoever lost it adds no second reply. Its steps and questions go; the decisions stay."""
    run = await begin(db)
    await save_step(db, "me", "r1", "s", 1)
    await questions.add_question(db, "r1", "q", {"text": "?"})
    decisions = [("tool", "web_search", "auto")]
    answer = {"answer": "They swim."}

    lost = await runs.finish(db, run, "you", "done", text="no", answer=answer)
    won = await runs.finish(db, run, "me", "done", text="yes", answer=answer, decisions=decisions)
    again = await runs.finish(db, run, "me", "failed", text="no", answer=answer)
    # It was not told that it had succeeded, and tries again.
    same = await runs.finish(db, run, "me", "done", text="yes", answer=answer)

    assert (lost, won, again, same) == (False, True, False, True)
    said = await conversations.messages_of(db, run.conversation)
    assert [(m.id, m.role, m.text, m.answer) for m in said] == [
        ("r1-u", "user", "otters?", None),
        ("r1-a", "assistant", "yes", answer),
    ]
    assert await runs.states_of(db, run.conversation) == {"r1": "done"}
    assert await runs.states_of(db, "another") == {}
    (decided,) = await people.list_decisions(db, "acme", "slack", "ada")
    decided.pop("at")
    assert decided == {"run": "r1", "kind": "tool", "tool": "web_search", "decision": "auto"}
    async with db.read() as connection:
        assert (await connection.execute(select(RUN_STEPS))).all() == []
    assert await questions.open_questions(db, ADA) == []


async def test_a_run_without_an_answer_adds_no_reply(db):
    """It was cancelled, or broke."""
    run = await begin(db)

    assert await runs.finish(db, run, "me", "failed")

    assert [m.role for m in await conversations.messages_of(db, run.conversation)] == ["user"]


@pytest.mark.parametrize("other", ELSEWHERE)
async def test_a_person_cancels_and_sees_the_runs_of_the_own_thread(db, other):
    """Not those of others there, nor of other threads, channels and tenants."""
    await begin(db)

    assert await runs.cancel(db, other) is False
    assert (await row(db)).state == "running"
    listed = await runs.list_unfinished(db, other.tenant, other.channel, other.person)
    assert listed == (["otters?"] if other.thread == "t2" else [])
    assert await runs.cancel(db, ADA) is True
    assert (await row(db)).state == "cancelled"
    assert await runs.cancel(db, ADA) is False
    assert await runs.list_unfinished(db, "acme", "slack", "ada") == []


async def test_unfinished_questions_are_listed_oldest_first(db):
    """As the person asked them."""
    await begin(db, "r1", question="second")
    await begin(db, "r2", question="first")
    await set_run(db, "r2", created=ago(60))

    assert await runs.list_unfinished(db, "acme", "slack", "ada") == ["first", "second"]


async def test_an_update_is_taken_once(db):
    """A channel may send one twice, also as the beginning of a run."""
    assert await runs.take_update(db, ADA, "u1")
    assert not await runs.take_update(db, ADA, "u1")
    assert await runs.take_update(db, replace(ADA, channel="teams"), "u1")
    assert await runs.take_update(db, ADA, "x" * 200)
    assert not await runs.take_update(db, ADA, "x" * 201)  # ids are cut off there
    assert await runs.begin(db, "r1", ADA, "q", {}, owner="me", update_id="u1") is None
    assert await conversations.find_conversation(db, ADA) is None


@pytest.mark.parametrize(("days", "known"), [(6.9, True), (7.1, False)])
async def test_updates_are_known_for_a_week(db, days, known):
    """Channels repeat one within hours."""
    await runs.take_update(db, ADA, "u1")
    async with db.write() as connection:
        await connection.execute(update(UPDATES).values(seen=ago(days * 86_400)))

    assert await runs.take_update(db, ADA, "u1") is not known


# --- questions that a run waits with


async def test_a_question_is_open_until_somebody_replies(db):
    """The reply reaches the process that waits; the second reply is told that it is late."""
    await begin(db)
    await questions.add_question(db, "r1", "q1", {"text": "May it?", "on": date(2026, 1, 1)})
    await questions.add_question(db, "r1", "q1", {"text": "again"})

    assert await questions.open_questions(db, ADA) == [
        ("r1", "q1", {"text": "May it?", "on": "2026-01-01"})
    ]
    assert await questions.replies_to(db, ["r1"]) == []
    assert await questions.add_reply(db, "r1", "q1", {"action": "proceed"}) is True
    assert await questions.add_reply(db, "r1", "q1", {"action": "cancel"}) is False
    assert await questions.add_reply(db, "r1", "q2", {"action": "cancel"}) is False
    assert await questions.add_reply(db, "r2", "q1", {"action": "cancel"}) is False
    assert await questions.open_questions(db, ADA) == []
    assert await questions.replies_to(db, ["r1"]) == [("r1", "q1", {"action": "proceed"})]
    assert await questions.replies_to(db, ["r2"]) == []


async def test_questions_are_in_the_order_of_their_runs(db):
    """The oldest run is answered first; a question that is removed is open no more."""
    for id, age in (("r1", 10), ("r2", 20)):
        await begin(db, id)
        await set_run(db, id, created=ago(age))
        await questions.add_question(db, id, "q2", {})
        await questions.add_question(db, id, "q1", {})
    await begin(db, "r3")
    await questions.add_question(db, "r3", "q1", {})
    await set_run(db, "r3", state="done")

    await questions.remove_question(db, "r1", "q2")

    found = [(q.run, q.id) for q in await questions.open_questions(db, ADA)]
    assert found == [("r2", "q1"), ("r2", "q2"), ("r1", "q1")]
    assert [await questions.open_questions(db, other) for other in ELSEWHERE] == [[], [], [], []]


# --- replies that nobody has shown yet


@pytest.mark.parametrize(
    ("values", "listed"),
    [
        ({"state": "done"}, True),
        ({"state": "failed"}, True),
        ({"state": "cancelled"}, True),
        ({"state": "running"}, False),
        ({"state": "abandoned"}, False),
        ({"state": "done", "memory": '{"delivered": true}'}, False),
        ({"state": "done", "memory": '{"message": 5}'}, True),
        ({"state": "done", "created": 3_600.5}, False),
        ({"state": "done", "created": 3_500}, True),
        ({"state": "done", "lease": -60}, False),
    ],
)
async def test_the_end_of_a_run_is_listed_until_it_was_shown(db, values, listed):
    """Of the last hour, and once the lease of the process that would show it is over."""
    await begin(db)
    times = {n: ago(values.get(n, 1)) for n in ("created", "lease")}
    await set_run(db, **values | times)

    assert bool(await deliveries.list_undelivered(db, "slack")) is listed
    assert await deliveries.list_undelivered(db, "teams") == []


async def test_what_was_not_shown_has_all_that_a_channel_needs(db):
    """Whose it was, what was asked, where it is shown, and the answer."""
    first, second = await begin(db, "r1"), await begin(db, "r2")
    await runs.finish(db, first, "me", "done", text="yes", answer={"answer": "yes"})
    await runs.finish(db, second, "me", "cancelled")
    await runs.remember(db, "r1", {"message": 5})
    for id, age in (("r1", 10), ("r2", 20)):
        await set_run(db, id, lease=ago(1), created=ago(age))

    assert await deliveries.list_undelivered(db, "slack") == [
        deliveries.Undelivered("r2", ADA, "otters?", {}, True, None),
        deliveries.Undelivered("r1", ADA, "otters?", {"message": 5}, False, {"answer": "yes"}),
    ]

"""Leases: a run has one owner, who alone may write; it changes hands when the owner is gone."""

from __future__ import annotations

import asyncio
from collections import Counter
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
from sqlalchemy import select, update

from kensaku.answers.journal import Journal
from kensaku.database import Database
from kensaku.database.leases import LEASE_SECONDS, Claimed, Leases, claim, save_step
from kensaku.database.tables import RUNS
from kensaku.errors import DatabaseFault
from tests.search.support import until

SECONDS = 0.15


async def add(db: Database, *ids: str, **values: Any) -> None:
    now = datetime.now(UTC)
    row = {"kind": "errand", "tenant": "", "arguments": "{}", "state": "queued"}
    async with db.write() as connection:
        for n, id in enumerate(ids):
            times = {"created": now + timedelta(seconds=n), "updated": now}
            await connection.execute(RUNS.insert().values({**row, **times, **values, "id": id}))


async def take(db: Database, owner: str, limit: int = 100, **options: Any) -> list[Claimed]:
    query = select(RUNS).order_by(RUNS.c.created).limit(limit)
    async with db.write() as connection:
        return await claim(connection, owner, query, **options)


async def row(db: Database, id: str) -> Any:
    async with db.read() as connection:
        return (await connection.execute(select(RUNS).where(RUNS.c.id == id))).one()


async def change(db: Database, id: str, **values: Any) -> None:
    async with db.write() as connection:
        await connection.execute(update(RUNS).where(RUNS.c.id == id).values(values))


async def forever() -> None:
    await asyncio.Event().wait()


async def held(db: Database, leases: Leases, id: str) -> asyncio.Task[None]:
    """Claim a run and do it until it is cancelled."""
    await take(db, leases.owner, seconds=leases.seconds, held=leases.held)
    task = asyncio.create_task(forever())
    leases.hold(id, task, since=asyncio.get_running_loop().time())
    await asyncio.sleep(0)  # it has begun
    return task


async def end_of(task: asyncio.Task[None]) -> str:
    """Why a task was cancelled."""
    with pytest.raises(asyncio.CancelledError) as cancelled:
        await task
    return str(cancelled.value)


async def test_of_many_that_claim_one_gets_a_run(db):
    """However many ask at the same time, for however many runs."""
    ids = [f"r{n}" for n in range(30)]
    await add(db, *ids)

    async def work(owner: str) -> list[str]:
        mine = list[str]()
        while found := await take(db, owner, limit=3):
            mine += [run.row.id for run in found]
        return mine

    shares = await asyncio.gather(*(work(f"p{n}") for n in range(5)))

    assert Counter(id for share in shares for id in share) == dict.fromkeys(ids, 1)
    for n, share in enumerate(shares):
        assert {(await row(db, id)).owner for id in share} <= {f"p{n}"}


async def test_a_claimed_run_has_the_steps_that_were_stored(db):
    """By their names, whatever is in them; a second owner begins after them."""
    await add(db, "r1")
    await take(db, "me", seconds=0)
    for name, result in {"a" * 5_000: [1, None], "": {"x": "é"}}.items():
        assert await save_step(db, "me", "r1", name, result)

    ((stored, steps),) = await take(db, "you")

    assert (stored.id, steps) == ("r1", {"a" * 5_000: [1, None], "": {"x": "é"}})
    assert (await row(db, "r1")).starts == 2
    assert not await save_step(db, "me", "r1", "late", 1)
    assert await take(db, "me") == []


async def test_leases_are_renewed_while_their_tasks_run(db):
    """And no longer: then anybody may have the run."""
    leases = Leases(db, seconds=SECONDS, look=SECONDS / 10)
    await add(db, "r1")
    task = await held(db, leases, "r1")
    first = (await row(db, "r1")).lease
    async with asyncio.timeout(60):
        while (await row(db, "r1")).lease == first:  # noqa: ASYNC110 - the database tells nobody
            await asyncio.sleep(0.01)
    task.cancel()
    await asyncio.wait([task])
    async with asyncio.timeout(60):
        while not await take(db, "you"):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    await leases.close()


async def test_its_own_run_is_not_claimed_by_a_process_that_stood_still(file_db):
    """Its lease is over, but its task goes on: two of them would do everything twice."""
    leases = Leases(file_db, seconds=-1, look=3_600)
    await add(file_db, "r1")
    await held(file_db, leases, "r1")

    assert await take(file_db, leases.owner, held=leases.held) == []
    assert len(await take(file_db, "you")) == 1
    await leases.close()


@pytest.mark.parametrize(
    "values", [{"state": "cancelled"}, {"state": "queued"}, {"owner": "you"}], ids=str
)
async def test_a_run_that_was_lost_is_stopped(file_db, values):
    """Cancelled, perhaps resumed since, or taken over: its task ends at the next look."""
    leases = Leases(file_db, look=0.01)
    await add(file_db, "r1")
    task = await held(file_db, leases, "r1")
    await change(file_db, "r1", **values)

    assert await end_of(task) == "another process goes on with it"
    await leases.close()
    assert {name: getattr(await row(file_db, "r1"), name) for name in values} == values


async def test_a_step_of_a_lost_run_ends_its_task(file_db):
    """Without a look: what it would store is another's by now."""
    leases = Leases(file_db, look=3_600)
    await add(file_db, "r1")
    await take(file_db, leases.owner)
    await change(file_db, "r1", owner="you")

    async def work() -> None:
        await asyncio.gather(leases.save_step("r1", "s", 1), forever())

    task = asyncio.create_task(work())
    leases.hold("r1", task, since=asyncio.get_running_loop().time())

    assert await end_of(task) == "another process goes on with it"
    await leases.close()


@pytest.fixture
async def two_steps(file_db, clock):
    """A run between two steps: its task, what lets it go on, and the steps that began."""
    clock.stop()
    leases, began, go_on = Leases(file_db, look=3_600), list[str](), asyncio.Event()
    between = asyncio.Event()
    since = asyncio.get_running_loop().time()
    await add(file_db, "r1")
    await take(file_db, leases.owner)
    journal = Journal({}, partial(leases.save_step, "r1"), partial(leases.confirm, "r1"))

    async def step(name: str) -> str:
        began.append(name)
        return name

    async def work() -> None:
        await journal.once("first", partial(step, "first"))
        between.set()
        await go_on.wait()
        await journal.once("second", partial(step, "second"))

    task = asyncio.create_task(work())
    leases.hold("r1", task, since=since)
    await between.wait()
    yield task, go_on, began
    await leases.close()


async def test_who_stood_still_begins_no_step_of_a_run_that_it_lost(file_db, two_steps, clock):
    """It has not looked at its leases since, and another process does the step by now."""
    task, go_on, began = two_steps
    clock.advance(LEASE_SECONDS)
    await change(file_db, "r1", lease=datetime(2020, 1, 1, tzinfo=UTC))
    ((_, steps),) = await take(file_db, "you")
    assert steps == {"first": "first"}

    go_on.set()

    assert await end_of(task) == "another process goes on with it"
    assert began == ["first"]


async def test_who_stood_still_renews_its_lease_before_the_next_step(file_db, two_steps, clock):
    """Nobody has claimed the run; nobody may, while the step is under way."""
    task, go_on, began = two_steps
    clock.advance(LEASE_SECONDS)
    await change(file_db, "r1", lease=datetime(2020, 1, 1, tzinfo=UTC))

    go_on.set()
    await task

    assert began == ["first", "second"]
    assert await take(file_db, "you") == []


async def test_a_step_may_be_stored_again(db):
    """A commit may succeed though its caller got an error: the last one counts."""
    await add(db, "r1")
    await take(db, "me", seconds=0)
    for result in (1, 2):
        assert await save_step(db, "me", "r1", "s", result)

    ((_, steps),) = await take(db, "you")
    assert steps == {"s": 2}


async def test_a_run_that_is_about_to_end_is_left_alone(file_db):
    """It is not running any more; its task has the last word to say."""
    leases = Leases(file_db, look=3_600)
    await add(file_db, "r1", "r2")
    task = await held(file_db, leases, "r1")
    leases.drop("r1")
    await change(file_db, "r1", state="done")
    await leases.check()
    await asyncio.sleep(0)

    assert not task.cancelling()
    await leases.close()
    assert await end_of(task) == "the process stops"
    assert (await row(file_db, "r1")).state == "done"


async def test_an_owner_that_stops_gives_its_runs_away(db):
    """The next process need not wait for the lease to end."""
    leases = Leases(db)
    await add(db, "r1")
    task = await held(db, leases, "r1")
    assert await take(db, "you") == []

    await leases.close()

    assert await end_of(task) == "the process stops"
    assert [run.row.id for run in await take(db, "you")] == ["r1"]


async def test_what_else_is_looked_at_may_fail(file_db, caplog):
    """The database was away; the next look is on time."""
    looks = 0

    async def also() -> None:
        nonlocal looks
        looks += 1
        raise DatabaseFault("it is away")

    leases = Leases(file_db, look=0.01, also=also)
    await add(file_db, "r1")
    task = await held(file_db, leases, "r1")
    await until(lambda: looks >= 2)

    assert "it is away" in caplog.text
    assert not task.done()
    await leases.close()

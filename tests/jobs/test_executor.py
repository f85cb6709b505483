"""Running jobs: processes that died, a database that goes away, jobs that wait and old ones."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select, text, update

from kensaku import Settings
from kensaku.database import Database
from kensaku.database.tables import RUN_STEPS, RUNS
from kensaku.jobs import Jobs
from kensaku.jobs.stored import StoredJobs
from tests.search.support import until

URL = "https://a.example/"


@pytest.fixture(params=["sqlite", "postgresql"])
def settings(request, settings) -> Settings:
    url = request.getfixturevalue("postgresql") if request.param == "postgresql" else ""
    return replace(settings, database_url=url)


@pytest.fixture
async def database(settings):
    opened = await Database.open(settings)
    yield opened
    await opened.close()


@pytest.fixture
def change(database):
    """Change a row as another process or time might have left it."""

    async def execute(id: str, **values) -> None:
        async with database.write() as connection:
            await connection.execute(update(RUNS).where(RUNS.c.id == id).values(values))

    return execute


@pytest.fixture
def errand(add_kind) -> None:
    async def run(job, arguments):
        return {"did": job.id}

    add_kind("errand", run)


async def rename(database: Database, name: str, other: str) -> None:
    """A database that is away refuses whoever needs this table."""
    async with database.write() as connection:
        await connection.execute(text(f"ALTER TABLE {name} RENAME TO {other}"))


def ago(**time: float) -> datetime:
    return datetime.now(UTC) - timedelta(**time)


async def test_the_jobs_of_a_dead_process_are_taken_over(jobs, change, errand):
    """Its lease has expired; those of a live process are left to it."""
    dead, live = [await jobs.submit("errand", {}) for _ in range(2)]
    await change(dead, state="running", owner="dead", lease=ago(seconds=1))
    await change(live, state="running", owner="live", lease=ago(hours=-1))
    await jobs.start()

    assert (await jobs.wait(dead)).result == {"did": dead}
    assert (await jobs.get(live)).status == "running"


async def test_a_job_that_ended_every_process_is_given_up(running, change, errand):
    """It says so, and may be resumed when the cause is gone."""
    id = await running.submit("crawl", {"url": URL})
    await running.cancel(id)
    await change(id, kind="errand", state="running", lease=ago(seconds=1), starts=50)

    job = await running.wait(id)
    assert job.status == "failed"
    assert "every process" in job.error
    await running.resume(id)
    job = await running.wait(id)
    assert (job.status, job.error) == ("done", None)


async def test_who_lost_a_job_stores_nothing_more(settings, change, add_kind, database):
    """A process that was slow neither adds a step nor ends what another one now does."""
    begun, free, ended = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def run(job, arguments):
        async def work():
            begun.set()
            await free.wait()
            return {}

        try:
            return await job.step("slow", work)
        finally:
            ended.set()

    add_kind("slow", run)
    async with Jobs(settings, beat=3_600) as jobs:  # it does not look by itself
        await jobs.start()
        id = await jobs.submit("slow", {})
        await begun.wait()
        await change(id, owner="another", lease=ago(hours=-1))
        free.set()
        await ended.wait()
        assert (await jobs.get(id)).status == "running"
    async with database.read() as connection:
        assert (await connection.execute(select(RUN_STEPS))).all() == []


@pytest.mark.parametrize("values", [{"state": "cancelled"}, {"owner": "another"}], ids=str)
async def test_who_lost_a_job_queues_no_parts_of_it(settings, change, add_kind, database, values):
    """Nobody would wait for them: the job was cancelled, or another process has ended it."""
    begun, free, ended = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def run(job, arguments):
        begun.set()
        await free.wait()
        try:
            return {"parts": [part async for part in job.run_parts([{"n": 1}])]}
        finally:
            ended.set()

    async def run_part(job, part):
        return {}

    add_kind("parted", run, run_part)
    async with Jobs(settings, beat=3_600) as jobs:  # it does not look by itself
        await jobs.start()
        id = await jobs.submit("parted", {})
        await begun.wait()
        await change(id, **values)
        free.set()
        await ended.wait()
    async with database.read() as connection:
        assert list(await connection.scalars(select(RUNS.c.id))) == [id]


@pytest.mark.parametrize("at_the_end", [False, True])
async def test_what_was_done_is_stored_when_the_database_comes_back(
    settings, database, add_kind, caplog, at_the_end
):
    """The lock was busy, or the server restarted: the work is not done again for that."""
    done = 0

    async def run(job, arguments):
        async def work():
            nonlocal done
            done += 1
            await rename(database, RUNS.name, "away")
            return {"done": done}

        return await (work() if at_the_end else job.step("work", work))

    add_kind("errand", run)
    async with Jobs(settings, beat=0.01) as jobs:
        await jobs.start()
        id = await jobs.submit("errand", {})
        await until(lambda: "a run waits" in caplog.text)
        await rename(database, "away", RUNS.name)
        job = await jobs.wait(id)

    assert (job.status, job.result, done) == ("done", {"done": 1}, 1)


async def test_one_of_two_processes_runs_a_job(settings, database, add_kind):
    """And each part of one; cancelling reaches the process that runs it."""
    ran: Counter[object] = Counter()
    hold, held = asyncio.Event(), asyncio.Event()

    async def run(job, arguments):
        ran["job"] += 1
        return {"n": [r["n"] async for r in job.run_parts([{"n": n} for n in range(40)])]}

    async def run_part(job, part):
        ran[part["n"]] += 1
        if part["n"] == 39 and not hold.is_set():
            held.set()
            try:
                await hold.wait()
            finally:
                hold.set()
        return dict(part)

    async def unfinished() -> int:
        async with database.read() as connection:
            running = select(RUNS.c.id).where(RUNS.c.state.in_(("queued", "running")))
            return len((await connection.execute(running)).all())

    add_kind("parted", run, run_part)
    async with Jobs(settings, beat=0.05) as first, Jobs(settings, beat=0.05) as second:
        await asyncio.gather(first.start(), second.start())
        async with Jobs(settings) as third:
            id = await third.submit("parted", {})
            await held.wait()
            while await unfinished() > 2:  # noqa: ASYNC110 - the job and its last part
                await asyncio.sleep(0.01)
            assert (await third.cancel(id)).status == "cancelled"
            await hold.wait()
            await third.resume(id)
            assert (await third.wait(id)).result == {"n": list(range(40))}

    assert ran.pop(39) == ran.pop("job") == 2
    assert set(ran.values()) == {1}


async def test_jobs_wait_for_a_free_slot(running, add_kind):
    """Four run at a time in a process, in the order in which they came."""
    begun, free = list[int](), asyncio.Event()

    async def run(job, arguments):
        begun.append(arguments["n"])
        await free.wait()
        return {}

    add_kind("slow", run)
    ids = [await running.submit("slow", {"n": n}) for n in range(6)]
    await until(lambda: len(begun) == 4)
    assert [(await running.get(id)).status for id in ids] == ["running"] * 4 + ["queued"] * 2
    free.set()
    for id in ids:
        await running.wait(id)
    assert begun == list(range(6))


async def test_jobs_go_on_when_the_database_comes_back(running, database, errand, caplog):
    """The log says that it was away, and not where it is."""

    await rename(database, RUNS.name, "away")
    await until(lambda: caplog.records)
    await rename(database, "away", RUNS.name)
    id = await running.submit("errand", {})

    assert (await running.wait(id)).result == {"did": id}
    assert str(running.settings.home) not in caplog.text


@pytest.mark.parametrize("days", [30, 0])
async def test_finished_jobs_are_deleted_after_their_days(settings, change, errand, days):
    """One that waits is kept, however old; 0 days are for ever."""
    async with Jobs(replace(settings, jobs_days=days)) as jobs:
        old, young, waiting = [await jobs.submit("crawl", {"url": URL}) for _ in range(3)]
        for id in (old, young):
            await jobs.cancel(id)
        for id, age in ((old, 31), (young, 29), (waiting, 99)):
            await change(id, updated=ago(days=age))
        await change(waiting, kind="unknown to this version")
        await jobs.start()
        await jobs.wait(await jobs.submit("errand", {}))
        first = await jobs.submit("errand", {})
        await jobs.wait(first)
        left = {job.id for job in await jobs.list()} & {old, young, waiting}

    assert left == ({young, waiting} if days else {old, young, waiting})


async def test_only_a_job_that_has_not_ended_is_unfinished(jobs, database, change):
    """A server asks by one query whether there are jobs to go on with."""
    stored = StoredJobs(database)
    assert not await stored.any_unfinished()
    id = await jobs.submit("crawl", {"url": URL})
    found = {}
    for state in ("queued", "running", "done", "failed", "cancelled"):
        await change(id, state=state)
        found[state] = await stored.any_unfinished()

    assert [state for state, unfinished in found.items() if unfinished] == ["queued", "running"]

"""Running jobs: starts that fail, processes that died, a database that goes away, old jobs."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from datetime import timedelta

import pytest

from kensaku.jobs import Jobs
from tests.jobs.conftest import DEAD

URL = "https://a.example/"
QUICK = {"beat": 0.05, "dead": DEAD}
DAY_MS = int(timedelta(days=1).total_seconds() * 1_000)


async def until(happened) -> None:
    """Look until something has happened in another thread; two minutes are enough."""
    async with asyncio.timeout(120):
        while not await asyncio.to_thread(happened):  # noqa: ASYNC110 - the database tells nobody
            await asyncio.sleep(0.02)


@pytest.fixture
def errand(add_kind) -> None:
    async def run(job, arguments):
        return {"did": job.id}

    add_kind("errand", run)


async def test_a_start_that_fails_can_be_tried_again(jobs, errand, monkeypatch):
    """What it had begun is taken back."""
    from dbos import DBOS

    def fail() -> None:
        raise OSError("no")

    with monkeypatch.context() as broken:
        broken.setattr(DBOS, "launch", fail)
        with pytest.raises(OSError, match="no"):
            await jobs.start()

    await jobs.start()
    id = await jobs.submit("errand", {})
    assert (await jobs.wait(id)).result == {"did": id}


async def test_the_jobs_of_a_dead_process_are_taken_over(settings, sql, errand):
    """By its heartbeat, which nobody tells; those of a live process are left to it."""
    async with Jobs(settings, **QUICK) as jobs:
        dead, live = [await jobs.submit("errand", {}) for _ in range(2)]
        for id, owner in ((dead, "dead"), (live, "live")):
            run = "UPDATE workflow_status SET status = 'PENDING', executor_id = ?"
            sql(f"{run} WHERE workflow_uuid = ?", owner, id)
        sql("INSERT INTO job_executors VALUES ('dead', ?)", time.time() - 60)
        sql("INSERT INTO job_executors VALUES ('live', ?)", time.time() + 3_600)
        await jobs.start()

        assert (await jobs.wait(dead)).result == {"did": dead}
        assert (await jobs.get(live)).status == "running"


async def test_a_heart_goes_on_when_the_database_comes_back(settings, sql, caplog):
    """The log says that it was away, and not where it is."""

    def beats() -> list:
        return sql("SELECT id FROM job_executors")

    async with Jobs(settings, **QUICK) as jobs:
        await jobs.start()
        sql("ALTER TABLE job_executors RENAME TO away")
        await until(lambda: caplog.records)
        sql("ALTER TABLE away RENAME TO job_executors")
        sql("DELETE FROM job_executors")
        await until(beats)

    assert str(settings.home) not in caplog.text
    assert beats() == []  # a process that ends in order leaves no row behind


@pytest.mark.parametrize("days", [30, 0])
async def test_finished_jobs_are_deleted_after_their_days(settings, sql, errand, days):
    """With their progress. One that waits is kept, however old; 0 days are for ever."""
    async with Jobs(replace(settings, jobs_days=days), **QUICK) as jobs:
        old, young, waiting = [await jobs.submit("crawl", {"url": URL}) for _ in range(3)]
        for id in (old, young):
            await jobs.cancel(id)
            sql("INSERT INTO job_progress VALUES (?, 0, 1, 2, 3, '')", id)
        for id, age in ((old, 31), (young, 29), (waiting, 99)):
            ago = "UPDATE workflow_status SET completed_at = completed_at - ? * ?"
            sql(f"{ago} WHERE workflow_uuid = ?", age, DAY_MS, id)
        sql("UPDATE workflow_status SET queue_name = 'later' WHERE workflow_uuid = ?", waiting)
        await jobs.start()
        first = await jobs.submit("errand", {})
        await jobs.wait(first)
        if days:
            await until(lambda: not sql("SELECT 1 FROM job_progress WHERE job = ?", old))
        kept = [first, waiting, young] if days else [first, waiting, young, old]

        assert [job.id for job in await jobs.list()] == kept
        assert (await jobs.get(young)).progress.documents == 3

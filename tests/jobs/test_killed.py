"""Killed with −9, a job goes on after its last finished step, here or in another process."""

from __future__ import annotations

import asyncio
import json
import random
from dataclasses import replace

import pytest
from sqlalchemy import select

from kensaku import Kensaku
from kensaku.database import Database
from kensaku.database.tables import RUN_STEPS, RUNS
from kensaku.jobs import Jobs
from tests.jobs.conftest import BEAT, DEAD, PAGES, expire_leases

CRAWL = {"collection": "site", "max_depth": 5, "limit": 100}


async def documents(settings, collection="site"):
    async with Kensaku(settings) as k:
        return (await k.index.stats())[collection]["documents"]


async def look(settings, query):
    """Rows of the database, as another process sees them."""
    database = await Database.open(settings)
    async with database.read() as connection:
        rows = (await connection.execute(query)).all()
    await database.close()
    return rows


async def stored_pages(settings, id):
    """The paths of the pages in steps that have finished."""
    rows = await look(settings, select(RUN_STEPS.c.result).where(RUN_STEPS.c.run == id))
    changes = [change for row in rows for change in json.loads(row.result)["changes"]]
    return {"/" + change[1].rpartition("/")[2] for change in changes if change[0] == "finish"}


async def owner_of(settings, id):
    """The name of the process that runs a job."""
    ((owner,),) = await look(settings, select(RUNS.c.owner).where(RUNS.c.id == id))
    return owner


def check_finished(job, site, stored, before):
    """Everything was read, and nothing that was stored was fetched again."""
    assert (job.status, job.error) == ("done", None)
    assert job.result["pages"] == PAGES, job.result["failures"]
    after = site.fetched()
    assert set(after) == set(site.pages) - {"/robots.txt"}
    assert {p: after[p] for p in stored} == {p: before[p] for p in stored}


async def test_a_crawl_survives_two_kills_on_sqlite(settings, site, run_process):
    """Pages of finished steps are never fetched again; those of the step under way may be."""
    chance = random.Random(11)
    stored: set[str] = set()
    async with Jobs(settings) as jobs:
        id = await jobs.submit("crawl", {"url": site.url, **CRAWL})
        for _ in range(2):
            site.hold_after(chance.randint(6, 16))
            process = await asyncio.to_thread(run_process)
            await site.is_holding()
            process.kill()
            await expire_leases(settings)
            site.release()
            before, now = site.fetched(), await stored_pages(settings, id)
            assert stored <= now
            stored = now
        await asyncio.to_thread(run_process)
        job = await jobs.wait(id)

    assert stored
    check_finished(job, site, stored, before)
    assert max(site.fetched().values()) <= 1 + 2
    assert await documents(settings) == PAGES


async def test_another_process_on_postgresql_finishes_what_a_killed_one_began(
    settings, site, run_process, postgresql
):
    """Nobody tells it: the lease of the first one expires."""
    settings = replace(settings, database_url=postgresql)
    site.hold_after(20)
    async with Jobs(settings) as jobs:
        first = await asyncio.to_thread(run_process, postgresql)
        id = await jobs.submit("crawl", {"url": site.url, **CRAWL})
        await site.is_holding()
        owner = await owner_of(settings, id)
        first.kill()  # at once: what is held for long is given up
        site.release()
        before, stored = site.fetched(), await stored_pages(settings, id)
        await asyncio.to_thread(run_process, postgresql)
        job = await jobs.wait(id)
        assert await owner_of(settings, id) != owner

    assert stored
    check_finished(job, site, stored, before)
    assert max(site.fetched().values()) <= 2
    assert await documents(settings) == PAGES


@pytest.mark.parametrize("how", ["stopped", "cancelled"])
async def test_a_job_that_was_ended_in_order_goes_on_as_well(settings, site, how):
    """Closing loses as little as a kill; a cancelled job waits until it is resumed."""
    site.hold_after(10)
    async with Jobs(settings) as jobs:
        await jobs.start()
        id = await jobs.submit("crawl", {"url": site.url, **CRAWL})
        await site.is_holding()
        if how == "cancelled":
            assert (await jobs.cancel(id)).status == "cancelled"
    site.release()
    before = site.fetched()
    async with Jobs(settings, beat=BEAT, dead=DEAD) as jobs:
        stored = await stored_pages(settings, id)
        assert (await jobs.get(id)).status == ("running" if how == "stopped" else "cancelled")
        await jobs.start()
        if how == "cancelled":
            assert (await jobs.resume(id)).status in ("queued", "running")
        job = await jobs.wait(id)

    assert stored
    check_finished(job, site, stored, before)

"""Killed with −9, a job goes on after its last finished step, here or in another process."""

from __future__ import annotations

import asyncio
import random
from contextlib import contextmanager
from dataclasses import replace

import pytest

from kensaku import Kensaku
from kensaku.database import url_of
from kensaku.jobs import Jobs
from tests.jobs.conftest import BEAT, DEAD, PAGES

CRAWL = {"collection": "site", "max_depth": 5, "limit": 100}


async def documents(settings, collection="site"):
    async with Kensaku(settings) as k:
        return (await k.index.stats())[collection]["documents"]


@contextmanager
def looking(settings):
    """A look at what DBOS has stored, from outside."""
    from dbos import DBOSClient, DBOSPortableJSONSerializer

    url, serializer = url_of(settings), DBOSPortableJSONSerializer()
    client = DBOSClient(system_database_url=url, serializer=serializer)
    try:
        yield client
    finally:
        client.destroy()


def stored_pages(settings, id):
    """The paths of the pages in steps that have finished."""
    with looking(settings) as client:
        steps = client.list_workflow_steps(id)
    changes = [c for s in steps if s["output"] for c in s["output"]["changes"]]
    return {"/" + change[1].rpartition("/")[2] for change in changes if change[0] == "finish"}


def executor_of(settings, id):
    """The name of the process that runs a job."""
    with looking(settings) as client:
        return client.list_workflows(workflow_ids=[id])[0].executor_id


def check_finished(job, site, stored, before):
    """Everything was read, and nothing that was stored was fetched again."""
    assert (job.status, job.error) == ("done", None)
    assert job.result["pages"] == PAGES, job.result["failures"]
    after = site.fetched()
    assert set(after) == set(site.pages) - {"/robots.txt"}
    assert {p: after[p] for p in stored} == {p: before[p] for p in stored}


async def test_a_crawl_survives_several_kills_on_sqlite(settings, site, run_process):
    """Pages of finished steps are never fetched again; those of the step under way may be."""
    chance = random.Random(11)
    stored: set[str] = set()
    async with Jobs(settings) as jobs:
        id = await jobs.submit("crawl", {"url": site.url, **CRAWL})
        for _ in range(3):
            site.hold_after(chance.randint(6, 16))
            process = await asyncio.to_thread(run_process)
            await site.is_holding()
            process.kill()
            site.release()
            before, now = site.fetched(), await asyncio.to_thread(stored_pages, settings, id)
            assert stored <= now
            stored = now
        await asyncio.to_thread(run_process)
        job = await jobs.wait(id)

    assert stored
    check_finished(job, site, stored, before)
    assert max(site.fetched().values()) <= 1 + 3
    assert await documents(settings) == PAGES


async def test_another_process_on_postgresql_finishes_what_a_killed_one_began(
    settings, site, run_process, postgresql
):
    """Nobody tells it: the heartbeat of the first one stops."""
    settings = replace(settings, database_url=postgresql)
    site.hold_after(20)
    async with Jobs(settings) as jobs:
        both = [await asyncio.to_thread(run_process, postgresql) for _ in range(2)]
        id = await jobs.submit("crawl", {"url": site.url, **CRAWL})
        await site.is_holding()
        owner = await asyncio.to_thread(executor_of, settings, id)
        next(one for one in both if one.executor == owner).kill()
        site.release()
        before, stored = site.fetched(), await asyncio.to_thread(stored_pages, settings, id)
        job = await jobs.wait(id)
        assert await asyncio.to_thread(executor_of, settings, id) != owner

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
        stored = await asyncio.to_thread(stored_pages, settings, id)
        assert (await jobs.get(id)).status == ("running" if how == "stopped" else "cancelled")
        await jobs.start()
        if how == "cancelled":
            assert (await jobs.resume(id)).status in ("queued", "running")
        job = await jobs.wait(id)

    assert stored
    check_finished(job, site, stored, before)

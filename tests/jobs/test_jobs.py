"""Jobs by themselves: what is taken, who sees what, what becomes of a failure."""

from __future__ import annotations

import asyncio
import logging
import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from kensaku.errors import ConfigError, InvalidQuery, UnknownJob, UnknownName
from kensaku.jobs import Jobs
from kensaku.jobs.job import JobProgress


@pytest.fixture
async def jobs(settings):
    async with Jobs(settings) as jobs:
        yield jobs


async def test_a_tenant_sees_its_own_jobs_alone(jobs, site):
    """Reading, cancelling and resuming say the same as for a job that does not exist."""
    ours = await jobs.submit("crawl", {"url": site.url}, tenant="a", key_id="k-1")
    nobodys = await jobs.submit("crawl", {"url": site.url})

    assert [job.id for job in await jobs.list(tenant="a")] == [ours]
    assert [job.id for job in await jobs.list(tenant="")] == [nobodys]
    assert {job.id for job in await jobs.list()} == {ours, nobodys}
    assert (await jobs.get(ours, tenant="a")).key_id == "k-1"
    for call in (jobs.get, jobs.cancel, jobs.resume):
        with pytest.raises(UnknownJob) as theirs:
            await call(ours, tenant="b")
        with pytest.raises(UnknownJob) as none:
            await call("nonsense", tenant="b")
        assert str(theirs.value).replace(ours, "") == str(none.value).replace("nonsense", "")
    with pytest.raises(UnknownJob):
        await anext(aiter(jobs.events(ours, tenant="b")))
    assert (await jobs.get(ours)).status == "queued"


async def test_a_list_is_filtered_by_kind_and_status(jobs, site):
    """On every database."""
    first = await jobs.submit("crawl", {"url": site.url})
    second = await jobs.submit("crawl", {"url": site.url})
    await jobs.cancel(first)

    assert [job.id for job in await jobs.list()] == [second, first]
    assert [job.id for job in await jobs.list(status="cancelled")] == [first]
    assert len(await jobs.list(kind="crawl")) == 2
    assert await jobs.list(kind="bulk") == []


@pytest.mark.parametrize(
    ("kind", "arguments", "error"),
    [
        ("dig", {}, UnknownName),
        ("crawl", {}, InvalidQuery),
        ("crawl", {"url": "https://e.org", "limit": 0}, InvalidQuery),
        ("crawl", {"url": "https://e.org", "limt": 3}, UnknownName),
        ("crawl", {"url": "https://e.org", "collection": "../x"}, InvalidQuery),
        ("crawl", {"url": "https://e.org", "instructions": "x" * 1_000_001}, InvalidQuery),
    ],
)
async def test_wrong_arguments_are_refused_before_they_are_stored(jobs, kind, arguments, error):
    """A job that cannot work is no job."""
    with pytest.raises(error):
        await jobs.submit(kind, arguments)
    assert await jobs.list() == []


async def test_a_failed_job_says_why_and_can_be_resumed(jobs, site):
    """The site was down, and comes back."""
    good = dict(site.pages)
    site.pages = {"/robots.txt": (404, {}, b""), "/": (500, {}, b"down")}
    await jobs.start()
    id = await jobs.submit("crawl", {"url": site.url, "collection": "site"})
    failed = await jobs.wait(id)
    assert failed.status == "failed"
    assert "500" in failed.error
    assert failed.result is None

    site.pages = good
    await jobs.resume(id)
    done = await jobs.wait(id)
    assert (done.status, done.error) == ("done", None)
    assert done.result["pages"] == 4


async def test_one_process_runs_the_jobs_of_one_database(jobs, settings):
    """DBOS is one per process: the second start is refused, and breaks nothing."""
    await jobs.start()
    async with Jobs(settings) as second:
        with pytest.raises(ConfigError):
            await second.start()
    assert await jobs.list() == []


async def test_the_database_is_the_owners_alone(jobs, settings):
    """Arguments and results are in it."""
    await jobs.list()
    assert os.stat(settings.home / "kensaku.db").st_mode & 0o077 == 0


async def test_running_jobs_writes_no_logs(jobs, capfd, caplog):
    """DBOS greets, and advertises its console."""
    with caplog.at_level(logging.INFO):
        await jobs.start()
        await jobs.close()
    out = capfd.readouterr()
    assert out.out + out.err + caplog.text == ""


def test_progress_is_a_share():
    """It never exceeds the whole, and an unknown total is no share."""
    assert JobProgress(5, 10).share == 0.5
    assert JobProgress(12, 10).share == 1
    assert JobProgress(5).share == 0


async def test_finished_jobs_are_deleted_after_their_days(settings, site):
    """With what is stored of their progress; one that waits is kept, however old it is."""
    async with Jobs(replace(settings, jobs_days=30)) as jobs:
        await jobs.start()
        done = await jobs.submit("crawl", {"url": site.url, "limit": 2})
        await jobs.wait(done)
        site.hold_after(0)
        running = await jobs.submit("crawl", {"url": site.url})
        cancelled = await jobs.submit("crawl", {"url": site.url})
        await site.is_holding()
        await jobs.cancel(cancelled)
        executor, now = jobs._executor, datetime.now(UTC)

        early = await asyncio.to_thread(executor.delete_old, now + timedelta(days=29))
        late = await asyncio.to_thread(executor.delete_old, now + timedelta(days=31))
        left = [job.id for job in await jobs.list()]
        progress = executor.tables.progress([done])
        site.release()

    assert (early, late) == (0, 2)
    assert left == [running]
    assert progress == {}

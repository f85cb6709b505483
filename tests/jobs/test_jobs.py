"""Jobs by themselves: what is taken, who sees what, what becomes of a failure."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
import threading
from itertools import pairwise

import pytest

from kensaku.errors import InvalidQuery, UnknownJob, UnknownName
from kensaku.jobs import Jobs

URL = "https://a.example/"


async def test_a_tenant_sees_its_own_jobs_alone(jobs):
    """Reading, cancelling and resuming say the same as for a job that does not exist."""
    ours = await jobs.submit("crawl", {"url": URL}, tenant="a", key_id="k-1")
    nobodys = await jobs.submit("crawl", {"url": URL})

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


async def test_a_list_is_filtered_by_kind_and_status(jobs):
    """The newest come first, as many as are wanted."""
    first = await jobs.submit("crawl", {"url": URL})
    second = await jobs.submit("crawl", {"url": URL})
    await jobs.cancel(first)

    assert [job.id for job in await jobs.list()] == [second, first]
    assert [job.id for job in await jobs.list(limit=1)] == [second]
    assert [job.id for job in await jobs.list(status="cancelled")] == [first]
    assert len(await jobs.list(kind="crawl")) == 2
    assert await jobs.list(kind="bulk") == []
    for limit in (0, 1_001):
        with pytest.raises(InvalidQuery):
            await jobs.list(limit=limit)


@pytest.mark.parametrize(
    ("kind", "arguments", "error"),
    [
        ("dig", {}, UnknownName),
        ("crawl", {}, InvalidQuery),
        ("crawl", {"url": URL, "limit": 0}, InvalidQuery),
        ("crawl", {"url": URL, "limt": 3}, UnknownName),
        ("crawl", {"url": URL, "collection": "../x"}, InvalidQuery),
        ("crawl", {"url": URL, "select_paths": ["("]}, InvalidQuery),
        ("crawl", {"url": URL, "instructions": "x" * 1_000_001}, InvalidQuery),
        ("bulk", {}, InvalidQuery),
        ("bulk", {"sources": []}, InvalidQuery),
        ("bulk", {"sources": "https://a.example/s.xml"}, InvalidQuery),
        ("bulk", {"sources": ["https://a.example/s.xml"] * 1_001}, InvalidQuery),
        ("bulk", {"sources": ["ftp://a.example/"]}, InvalidQuery),
        ("bulk", {"sources": [URL], "source": 1}, UnknownName),
        ("bulk", {"sources": [URL], "collection": "../x"}, InvalidQuery),
        ("research", {}, InvalidQuery),
        ("research", {"input": "otters", "modl": "mini"}, UnknownName),
    ],
)
async def test_wrong_arguments_are_refused_before_they_are_stored(settings, kind, arguments, error):
    """A job that cannot work is no job: not even a database is made for it."""
    with pytest.raises(error):
        await Jobs(settings).submit(kind, arguments, operator=True)
    assert not settings.home.exists()


async def test_what_a_job_was_given_is_stored_whole(jobs, tmp_path, monkeypatch):
    """A later version has other defaults, and the next process starts in another folder."""
    monkeypatch.chdir(tmp_path)
    given = [
        ("crawl", {"url": URL}, {"timeout": 3_600, "collection": "default"}),
        ("crawl", {"url": URL, "collection": "site", "timeout": 60, "limit": 5}, {}),
        ("bulk", {"sources": ["https://a.example/s.xml"]}, {"collection": "default"}),
        (
            "bulk",
            {"sources": ["a.jsonl", "~/b.jsonl", "s3://bucket/c"], "collection": "c"},
            {"sources": [str(tmp_path / "a.jsonl"), str(tmp_path / "b.jsonl"), "s3://bucket/c"]},
        ),
        ("research", {"input": "How do otters sleep?", "model": "mini"}, {}),
    ]
    for kind, arguments, more in given:
        first = await jobs.get(await jobs.submit(kind, arguments, operator=True))
        again = await jobs.get(await jobs.submit(kind, first.arguments, operator=True))

        assert again.arguments == first.arguments
        assert first.arguments.items() >= {**arguments, **more}.items()
    assert len(first.arguments) > 2  # of research, with its defaults


async def test_a_job_is_told_whenever_it_has_changed(running, add_kind):
    """From the queue to its end, and the same thing never twice."""
    seen = threading.Event()

    async def run(job, arguments):
        await job.report("halfway", 1, 2, 3)
        await asyncio.to_thread(seen.wait, 60)
        return {"found": 7}

    add_kind("errand", run)
    told = []
    async for job in running.events(await running.submit("errand", {}), poll=0.01):
        told.append(job)
        if job.progress.stage == "halfway":
            seen.set()

    assert all(one != other for one, other in pairwise(told))
    assert any((job.status, job.progress.done) == ("running", 1) for job in told)
    assert [job.finished for job in told] == [False] * (len(told) - 1) + [True]
    assert (told[-1].status, told[-1].result) == ("done", {"found": 7})
    assert told[-1].updated >= told[-1].created
    assert await running.resume(told[-1].id) == told[-1]  # what is done stays done


async def test_closing_twice_is_fine(running):
    """A server that fails while it stops may do so."""
    await running.close()
    await running.close()


async def test_running_jobs_writes_no_logs(jobs, capfd, caplog):
    """Nothing to say: nothing is said, and nobody learns where the database is."""
    with caplog.at_level(logging.INFO):
        await jobs.start()
        await jobs.close()
    out = capfd.readouterr()
    assert out.out + out.err + caplog.text == ""


@pytest.mark.usefixtures("processes")
def test_without_a_database_library_the_extra_is_named(settings):
    """What to install; the server is not among it."""
    code = """
import asyncio, sys
sys.modules["sqlalchemy"] = None
from kensaku import Settings
from kensaku.errors import MissingExtra
from kensaku.jobs import Jobs
try:
    asyncio.run(Jobs(Settings(home=sys.argv[1])).list())
except MissingExtra as missing:
    print(missing.extra)
"""
    command = [sys.executable, "-c", code, str(settings.home)]
    assert subprocess.run(command, capture_output=True, text=True).stdout == "database\n"

"""Jobs by themselves: what is taken, who sees what, what becomes of a failure."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from kensaku.errors import ConfigError, InvalidQuery, UnknownJob, UnknownName
from kensaku.jobs import Jobs, kinds, migrate
from kensaku.jobs import jobs as module
from kensaku.jobs.job import JobProgress

from .test_job import workflow


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


class FakeDbosClient:
    """Notes what DBOS is told; `workflows` are all that it holds, `steps` those of each."""

    def __init__(self) -> None:
        self.calls: list[Any] = []
        self.workflows: list[Any] = []
        self.steps: dict[str, list[dict[str, Any]]] = {}

    async def enqueue_async(self, options: dict[str, Any], *args: Any) -> Any:
        self.calls.append(("enqueue", options, args))
        return SimpleNamespace(get_workflow_id=lambda: options["workflow_id"])

    async def list_workflows_async(self, **filters: Any) -> list[Any]:
        self.calls.append(("list", filters))
        return self.workflows[:1] if "workflow_ids" in filters else self.workflows

    async def cancel_workflow_async(self, id: str, **options: Any) -> None:
        self.calls.append(("cancel", id, options))

    def list_workflows(self, **filters: Any) -> list[Any]:
        self.calls.append(("list", filters))
        return self.workflows[:1] if "workflow_ids" in filters else self.workflows[1:]

    def list_workflow_steps(self, id: str, **options: Any) -> list[dict[str, Any]]:
        self.calls.append(("steps", id, options))
        return self.steps[id]

    def rewind_workflow(self, id: str, **options: Any) -> None:
        self.calls.append(("rewind", id, options))

    def resume_workflow(self, id: str, **options: Any) -> None:
        self.calls.append(("resume", id, options))

    def destroy(self) -> None:
        self.calls.append("destroy")


@pytest.fixture
def dbos() -> FakeDbosClient:
    return FakeDbosClient()


@pytest.fixture
def told(settings, dbos):
    """Jobs that are connected to what only takes notes."""
    tables = SimpleNamespace(
        progress=lambda ids: {"crawl-1": JobProgress(1, 4)} if "crawl-1" in ids else {},
        close=lambda: dbos.calls.append("close"),
    )
    jobs = Jobs(settings)
    jobs._opened = (dbos, tables)
    return jobs


async def test_a_job_is_queued_with_its_kind_its_tenant_and_its_key(told, dbos):
    """Its id begins with its kind, by which a list is filtered."""
    arguments = {"url": "https://a.example/", "limit": 2}
    id = await told.submit("crawl", arguments, tenant="acme", key_id="k1")

    assert re.fullmatch(r"crawl-[0-9a-f]{20}", id)
    assert await told.submit("crawl", arguments) != id
    (first, second) = dbos.calls
    stored = {**arguments, "timeout": 3_600.0, "collection": "default"}
    options = {
        "workflow_name": "kensaku_job",
        "workflow_id": id,
        "queue_name": "kensaku-jobs",
        "app_version": "1",
        "authenticated_user": "tenant:acme",
    }
    assert first == ("enqueue", options, ("crawl", "acme", stored, "k1"))
    assert second[1]["authenticated_user"] == "tenant:"
    assert second[2] == ("crawl", "", stored, "")


async def test_files_are_named_by_the_operator_alone(told, tmp_path):
    """Whoever does not operate the machine may not."""
    arguments = {"sources": [str(tmp_path)]}
    with pytest.raises(InvalidQuery, match="over the network"):
        await told.submit("bulk", arguments)
    assert (await told.submit("bulk", arguments, operator=True)).startswith("bulk-")


async def test_arguments_of_a_million_characters_are_taken(told, dbos, monkeypatch):
    """And not one more."""
    taken: Any = SimpleNamespace(check=lambda arguments, operator: dict(arguments))
    monkeypatch.setitem(sys.modules, "taken", taken)
    monkeypatch.setitem(kinds.KINDS, "taken", "taken")
    most = 1_000_000 - len('{"a": ""}')

    await told.submit("taken", {"a": "x" * most})
    with pytest.raises(InvalidQuery, match="the arguments are 1,000,001 characters"):
        await told.submit("taken", {"a": "x" * (most + 1)})
    assert len(dbos.calls) == 1


async def test_a_list_asks_for_what_is_wanted(told, dbos):
    """The newest first, a hundred of them; progress is that of each job."""
    dbos.workflows = [workflow("PENDING"), workflow(workflow_id="crawl-2")]

    first, second = await told.list()
    await told.list(tenant="acme", kind="crawl", status="failed", limit=7)

    assert (first.id, first.progress, second.id) == ("crawl-1", JobProgress(1, 4), "crawl-2")
    assert second.progress == JobProgress()
    usual = {"name": "kensaku_job", "sort_desc": True}
    stored = ["ERROR", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"]
    every = {"user": None, "limit": 100, "workflow_id_prefix": None, "status": None}
    some = {"user": "tenant:acme", "limit": 7, "workflow_id_prefix": "crawl-", "status": stored}
    assert dbos.calls == [("list", usual | every), ("list", usual | some)]


@pytest.mark.parametrize("limit", [1, 1_000])
async def test_a_list_has_up_to_a_thousand_jobs(told, limit):
    """One at least."""
    assert await told.list(limit=limit) == []
    for wrong in (0, 1_001):
        with pytest.raises(InvalidQuery, match=rf"limit is {wrong}; it must be from 1 to 1,000"):
            await told.list(limit=wrong)


async def test_a_job_is_cancelled_with_its_parts(told, dbos):
    """By its id, once it is known to be the tenant's."""
    dbos.workflows = [workflow("CANCELLED")]
    job = await told.cancel("crawl-1", tenant="acme")

    assert (job.id, job.status) == ("crawl-1", "cancelled")
    asked = {"name": "kensaku_job", "user": "tenant:acme", "workflow_ids": ["crawl-1"]}
    cancelled = ("cancel", "crawl-1", {"cancel_children": True})
    assert dbos.calls == [("list", asked), cancelled, ("list", asked)]


@pytest.mark.parametrize("status", ["ENQUEUED", "PENDING", "SUCCESS"])
async def test_a_job_that_need_not_be_resumed_is_left_alone(told, dbos, status):
    """It runs, or it is done."""
    dbos.workflows = [workflow(status)]
    await told.resume("crawl-1")

    assert [name for name, *_ in dbos.calls] == ["list", "list"]


LEAN = {"load_input": False, "load_output": False}


async def test_a_cancelled_job_is_queued_again_after_its_parts(told, dbos):
    """The job asks for their results. Those that are done stay done."""
    part = workflow("MAX_RECOVERY_ATTEMPTS_EXCEEDED", workflow_id="part")
    dbos.workflows = [workflow("CANCELLED"), part]
    await told.resume("crawl-1")

    stopped = ["CANCELLED", "ERROR", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"]
    assert dbos.calls[1:-1] == [
        ("list", {"parent_workflow_id": "crawl-1", "status": stopped, **LEAN}),
        ("list", {"workflow_ids": ["crawl-1"], **LEAN}),
        ("resume", "part", {"queue_name": "kensaku-parts"}),
        ("resume", "crawl-1", {"queue_name": "kensaku-jobs"}),
    ]


async def test_a_failed_job_goes_on_at_the_first_step_that_failed(told, dbos):
    """Without a failed step, after the last one."""
    dbos.workflows = [workflow("ERROR"), workflow("ERROR", workflow_id="part")]
    good, bad = {"error": None}, {"error": "no"}
    dbos.steps = {
        "part": [{"function_id": 1, **good}, {"function_id": 3, **bad}, {"function_id": 2, **bad}],
        "crawl-1": [{"function_id": 1, **good}, {"function_id": 2, **good}],
    }
    await told.resume("crawl-1")

    version = {"application_version": "1"}
    assert dbos.calls[3:-1] == [
        ("steps", "part", {"load_output": True}),
        ("rewind", "part", {"start_step": 2, "queue_name": "kensaku-parts", **version}),
        ("steps", "crawl-1", {"load_output": True}),
        ("rewind", "crawl-1", {"start_step": 3, "queue_name": "kensaku-jobs", **version}),
    ]


async def test_a_job_is_told_whenever_it_has_changed(told, dbos, monkeypatch):
    """Until it has finished; it is looked at every half second."""
    states, slept = ["ENQUEUED", "ENQUEUED", "PENDING", "SUCCESS"], list[float]()

    async def look(**filters: Any) -> list[Any]:
        return [workflow(states.pop(0))]

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    dbos.list_workflows_async = look
    monkeypatch.setattr(asyncio, "sleep", sleep)

    assert [job.status async for job in told.events("crawl-1")] == ["queued", "running", "done"]
    assert (states, slept) == ([], [0.5] * 3)
    states += ["PENDING", "ERROR"]
    assert (await told.wait("crawl-1")).status == "failed"


async def test_jobs_are_closed_once(told, dbos):
    """First what runs, then the connections."""
    told._executor = SimpleNamespace(stop=lambda: dbos.calls.append("stop"))
    async with told as same:
        assert same is told
    await told.close()

    assert dbos.calls == ["stop", "destroy", "close"]
    assert told._executor is told._opened is None


async def test_what_runs_jobs_gets_all_that_was_asked_for(settings, dbos, monkeypatch):
    """And what is usual when nothing is said."""
    made: list[Any] = []

    class FakeExecutor:
        def __init__(self, *args: Any, **options: Any) -> None:
            made.append((args, options))

        def start(self) -> None:
            made.append("start")

        def stop(self) -> None:
            made.append("stop")

    monkeypatch.setattr(module, "Executor", FakeExecutor)
    url = f"sqlite:///{settings.home / 'kensaku.db'}"
    tables: Any = SimpleNamespace(close=lambda: None)
    for options in ({}, {"workers": 3, "observers": ["o"], "beat": 0.5, "dead": 4.0}):
        async with Jobs(settings, **options) as jobs:
            jobs._opened = (dbos, tables)
            await jobs.start()
    usual = {"workers": None, "observers": (), "beat": 2.0, "dead": 15.0}
    given = {"workers": 3, "observers": ["o"], "beat": 0.5, "dead": 4.0}
    assert made == [
        ((settings, url, tables), usual), "start", "stop",
        ((settings, url, tables), given), "start", "stop",
    ]  # fmt: skip


async def test_it_connects_once_and_by_json(settings, monkeypatch):
    """The tables of DBOS come first; the file is made for its owner alone."""
    made: list[Any] = []

    class Serializer:
        pass

    def connect(**options: Any) -> Any:
        assert isinstance(options.pop("serializer"), Serializer)
        made.append(options)
        return SimpleNamespace(destroy=lambda: None)

    fake = SimpleNamespace(DBOSClient=connect, DBOSPortableJSONSerializer=Serializer)
    monkeypatch.setattr(module, "import_dbos", lambda: fake)
    monkeypatch.setattr(migrate, "migrate", lambda url: made.append(("migrate", url)))
    before = os.umask(0)
    try:
        async with Jobs(settings) as jobs:
            (_, first), (_, second) = await asyncio.gather(jobs._open(), jobs._open())
            assert first is second
            assert first.progress([]) == {}
    finally:
        os.umask(before)

    url = f"sqlite:///{settings.home / 'kensaku.db'}"
    options = {"system_database_url": url, "application_name": "kensaku"}
    assert made == [("migrate", url), {**options, "retry_connection_errors": False}]
    modes = [path.stat().st_mode & 0o777 for path in (settings.home, settings.home / "kensaku.db")]
    assert modes == [0o700, 0o600]

"""The two workflows: what they hand on, and what is said of an error."""

from __future__ import annotations

import logging
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from inspect import unwrap
from types import SimpleNamespace
from typing import Any

import pytest
from dbos import error as dbos_errors

from kensaku.errors import InvalidQuery, JobFailed
from kensaku.jobs import kinds, workflows
from kensaku.jobs.run import JobRun


class FakeExecutor:
    """Notes what is opened and closed around a run."""

    def __init__(self) -> None:
        self.events: list[str] = []
        self.accounting = self

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        self.events.append("running")
        try:
            yield
        finally:
            self.events.append("ended")

    @asynccontextmanager
    async def booked(self, job: JobRun) -> AsyncIterator[None]:
        self.events.append(f"booked on {job.key_id}")
        yield


@pytest.fixture
def executor(monkeypatch: pytest.MonkeyPatch) -> FakeExecutor:
    fake = FakeExecutor()
    monkeypatch.setattr(workflows, "running_executor", lambda: fake)
    monkeypatch.setattr(workflows, "DBOS", SimpleNamespace(workflow_id="j-1"))
    return fake


@pytest.fixture
def kind(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A kind of job that returns what it was given."""

    async def run(job: JobRun, values: Any) -> Any:
        return vars(job) | {"values": values}

    fake: Any = SimpleNamespace(run=run, run_part=run)
    monkeypatch.setitem(sys.modules, "fake-kind", fake)
    monkeypatch.setitem(kinds.KINDS, "fake", "fake-kind")
    return fake


async def test_a_job_and_a_part_know_whose_they_are(executor: FakeExecutor, kind: Any) -> None:
    """Both are booked on the key that started the job. DBOS wraps what is called here."""
    job = await unwrap(workflows.run_job)("fake", "acme", {"a": 1}, "k1")
    part = await unwrap(workflows.run_part)("j-0", 3, "fake", "acme", {"b": 2}, "k1")
    bare = await unwrap(workflows.run_job)("fake", "", {})

    own = {"kind": "fake", "tenant": "acme", "key_id": "k1", "executor": executor}
    assert job == own | {"id": "j-1", "part": 0, "values": {"a": 1}}
    assert part == own | {"id": "j-0", "part": 3, "values": {"b": 2}}
    assert bare["key_id"] == ""
    assert executor.events[:3] == ["running", "booked on k1", "ended"]


async def test_an_error_of_ours_is_the_jobs(executor: FakeExecutor) -> None:
    """As it is."""
    job = JobRun(executor, "j-1", "fake", "")  # type: ignore[arg-type]

    async def fail() -> Any:
        raise InvalidQuery("lists no pages")

    with pytest.raises(InvalidQuery, match="lists no pages"):
        await workflows._run(job, fail)


@pytest.mark.parametrize(
    "error",
    [
        dbos_errors.DBOSWorkflowCancelledError("j-1"),
        dbos_errors.DBOSException("another process has it"),
    ],
)
async def test_an_error_of_dbos_is_its_own(executor: FakeExecutor, error: BaseException) -> None:
    """The job was cancelled, or is another process's now."""
    job = JobRun(executor, "j-1", "fake", "")  # type: ignore[arg-type]

    async def fail() -> Any:
        raise error

    with pytest.raises(type(error)) as raised:
        await workflows._run(job, fail)
    assert raised.value is error


async def test_another_error_is_named_and_its_words_are_kept_in_the_log(
    executor: FakeExecutor, caplog: pytest.LogCaptureFixture
) -> None:
    """They may hold an address with a password."""
    job = JobRun(executor, "j-1", "fake", "")  # type: ignore[arg-type]

    async def fail() -> Any:
        raise OSError("postgresql://me:hunter2@host")

    with caplog.at_level(logging.ERROR), pytest.raises(JobFailed) as failed:
        await workflows._run(job, fail)
    assert str(failed.value) == "it failed with OSError; the log has the details"
    assert failed.value.__suppress_context__
    assert "a job failed" in caplog.messages
    assert executor.events[-1] == "ended"

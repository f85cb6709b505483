"""What a kind of job gets to work with: how a step is stored, and how parts are run."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from dbos import error as dbos_errors

from kensaku.errors import BudgetExceeded, InvalidQuery, JobFailed, ProviderError, TooLarge
from kensaku.jobs import run, workflows
from kensaku.jobs.job import JobProgress
from kensaku.jobs.run import JobRun


class FakeDbos:
    """Does steps at once; parts are queued, and fail if they say so."""

    def __init__(self) -> None:
        self.options: list[dict[str, Any]] = []
        self.queued: list[Any] = []
        self.waiting = self.most = 0
        self.gives_up: Exception | None = None

    async def run_step_async(self, options: dict[str, Any], work: Any) -> Any:
        self.options.append(options)
        if self.gives_up is not None:
            raise self.gives_up
        return await work()

    async def enqueue_workflow_async(self, queue: str, workflow: Any, *call: Any) -> Any:
        self.queued.append((queue, workflow, call))
        self.waiting += 1
        self.most = max(self.most, self.waiting)

        async def get_result() -> dict[str, Any]:
            self.waiting -= 1
            if "error" in call[4]:
                raise OSError(call[4]["error"])
            return {"part": call[1]}

        return SimpleNamespace(get_result=get_result)


@pytest.fixture
def dbos(monkeypatch: pytest.MonkeyPatch) -> FakeDbos:
    fake = FakeDbos()
    monkeypatch.setattr(run, "DBOS", fake)
    return fake


@pytest.fixture
def written() -> list[Any]:
    """What the executor of the job was told."""
    return []


@pytest.fixture
def job(written: list[Any]) -> JobRun:
    async def flush() -> None:
        written.append("flush")

    executor: Any = SimpleNamespace(
        client=lambda tenant: f"client of {tenant}",
        accounting=SimpleNamespace(flush=flush),
        tables=SimpleNamespace(report=lambda *row: written.append(row)),
    )
    return JobRun(executor, "j-1", "bulk", "acme", "k1", 2)


async def test_a_step_is_tried_three_times_and_can_be_cancelled(
    job: JobRun, dbos: FakeDbos, written: list[Any]
) -> None:
    """What it used is written before it counts as done."""

    async def work() -> str:
        written.append("work")
        return "result"

    assert await job.step("read", work) == "result"
    assert written == ["work", "flush"]
    assert dbos.options == [
        {
            "name": "read",
            "retries_allowed": True,
            "max_attempts": 3,
            "interval_seconds": 0.5,
            "preemptible": True,
            "should_retry": run._is_worth_retrying,
        }
    ]


async def test_a_step_that_fails_has_used_something_too(
    job: JobRun, dbos: FakeDbos, written: list[Any]
) -> None:
    """Its error is the last one of those that were tried."""

    async def work() -> None:
        raise OSError("no")

    with pytest.raises(OSError, match="no"):
        await job.step("read", work)
    assert written == ["flush"]
    tried: list[Exception] = [OSError("first"), InvalidQuery("last")]
    dbos.gives_up = dbos_errors.DBOSMaxStepRetriesExceeded("read", 3, tried)
    with pytest.raises(InvalidQuery, match="last"):
        await job.step("read", work)


@pytest.mark.parametrize(
    ("error", "worth"),
    [
        (OSError(), True),
        (ProviderError("brave", "no"), True),
        (InvalidQuery("no"), False),
        (TooLarge("no"), False),
        (BudgetExceeded("no"), False),
    ],
)
def test_only_what_may_work_next_time_is_tried_again(error: Exception, worth: bool) -> None:
    """Fetching has retries of its own; a budget that is spent is spent for hours."""
    assert run._is_worth_retrying(error) is worth


async def test_steps_side_by_side_are_done_again_where_they_failed(
    job: JobRun, dbos: FakeDbos
) -> None:
    """The second time they say why."""
    left = {"a": 0, "b": 1, "c": 2}

    def errand(name: str) -> Any:
        async def work() -> str:
            if left[name]:
                left[name] -= 1
                raise OSError(name)
            return name.upper()

        return work

    assert await job.steps({name: errand(name) for name in "ab"}) == ["A", "B"]
    assert [options["name"] for options in dbos.options] == ["a", "b", "b"]
    with pytest.raises(OSError, match="c"):
        await job.steps({"c": errand("c")})
    dbos.gives_up = dbos_errors.DBOSWorkflowCancelledError("j-1")
    with pytest.raises(dbos_errors.DBOSWorkflowCancelledError):
        await job.steps({"a": errand("a")})


async def test_a_report_is_stored_under_the_part(job: JobRun, written: list[Any]) -> None:
    """The job itself is part 0."""
    await job.report("reading", 1, 2, 3)
    await job.report()

    assert written == [("j-1", 2, JobProgress(1, 2, "reading", 3)), ("j-1", 2, JobProgress())]
    assert JobRun(job.executor, "j-1", "bulk", "acme").part == 0
    assert JobRun(job.executor, "j-1", "bulk", "acme").key_id == ""
    assert job.client == "client of acme"


async def test_parts_are_queued_some_ahead_and_told_in_order(job: JobRun, dbos: FakeDbos) -> None:
    """64 at a time at most: the table stays short."""
    parts = [{"n": n} for n in range(130)]
    results = [result["part"] async for result in job.run_parts(parts)]

    assert results == list(range(1, 131))
    assert dbos.queued == [
        ("kensaku-parts", workflows.run_part, ("j-1", n + 1, "bulk", "acme", {"n": n}, "k1"))
        for n in range(130)
    ]
    assert dbos.most == 64
    assert [result async for result in job.run_parts([])] == []


async def test_a_part_that_fails_does_not_stop_the_others(job: JobRun, dbos: FakeDbos) -> None:
    """The job fails after the last one, with the reason of the first."""
    parts = [{"error": "x" * 600}, {}, {"error": "second"}, {}]
    results = job.run_parts(parts)
    assert [await anext(results), await anext(results)] == [{"part": 2}, {"part": 4}]
    with pytest.raises(JobFailed) as failed:
        await anext(results)

    assert failed.value.message == f"2 of 4 parts failed: {'x' * 500}"
    assert failed.value.remedy == "resume it with: kensaku jobs resume j-1"

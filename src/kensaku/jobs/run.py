"""What a kind of job gets to work with: steps that are stored, parts, progress, a client."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from dbos import DBOS
from dbos import error as dbos_errors

from kensaku.errors import BudgetExceeded, FetchError, JobFailed, UsageError
from kensaku.jobs.job import JobProgress
from kensaku.jobs.names import PARTS_QUEUE

if TYPE_CHECKING:
    from kensaku.client import Kensaku
    from kensaku.jobs.executor import Executor

T = TypeVar("T")
MAX_ATTEMPTS = 3
AHEAD = 64  # parts that are queued or running at a time: the table stays short


class JobRun:
    """One run of a job, or of a part of it, in this process."""

    def __init__(
        self, executor: Executor, id: str, kind: str, tenant: str, key_id: str = "", part: int = 0
    ) -> None:
        self.id, self.kind, self.tenant, self.key_id, self.part = id, kind, tenant, key_id, part
        self.executor = executor

    @property
    def client(self) -> Kensaku:
        """The client of the tenant."""
        return self.executor.client(self.tenant)

    async def step(self, name: str, work: Callable[[], Awaitable[T]]) -> T:
        """Do the work and store its result, which is JSON; return it without work next time.

        It is tried again when it fails, and cancelled together with its job.
        """
        try:
            return await DBOS.run_step_async(
                {
                    "name": name,
                    "retries_allowed": True,
                    "max_attempts": MAX_ATTEMPTS,
                    "interval_seconds": 0.5,
                    "preemptible": True,
                    "should_retry": _is_worth_retrying,
                },
                self._booked(work),
            )
        except dbos_errors.DBOSMaxStepRetriesExceeded as given_up:
            raise given_up.errors[-1] from None

    async def steps(self, works: Mapping[str, Callable[[], Awaitable[T]]]) -> list[T]:
        """Do the work side by side, then once more, one by one, what failed; return all results.

        A resumed job forgets everything from its first failed step on. In this order that is
        nothing that was done: no search is paid for twice.
        """

        async def attempt(work: Callable[[], Awaitable[T]]) -> list[T]:
            try:
                return [await work()]
            except Exception:
                return []  # the second time it says why

        steps = (self.step(name, partial(attempt, work)) for name, work in works.items())
        tried = await asyncio.gather(*steps, return_exceptions=True)  # lets all of them end
        results: list[T] = []
        for (name, work), result in zip(works.items(), tried, strict=True):
            if isinstance(result, BaseException):
                raise result  # the job was cancelled
            results += result or [await self.step(name, work)]
        return results

    def _booked(self, work: Callable[[], Awaitable[T]]) -> Callable[[], Any]:
        """Return the work with its usage written, before the step counts as done."""

        async def call() -> T:
            try:
                return await work()
            finally:
                await self.executor.accounting.flush()

        return call

    async def report(
        self, stage: str = "", done: int = 0, total: int = 0, documents: int = 0
    ) -> None:
        """Store how far this run is."""
        progress = JobProgress(done, total, stage, documents)
        await asyncio.to_thread(self.executor.tables.report, self.id, self.part, progress)

    async def run_parts(self, parts: Sequence[Mapping[str, Any]]) -> AsyncIterator[dict[str, Any]]:
        """Run the parts on all processes of this database; yield their results in order.

        A part that fails does not stop the others. Raises `JobFailed` after the last one.
        """
        from kensaku.jobs.workflows import run_part

        queued: deque[Any] = deque()
        errors: list[str] = []
        for n in range(len(parts) + AHEAD - 1):
            if n < len(parts):
                call = (self.id, n + 1, self.kind, self.tenant, dict(parts[n]), self.key_id)
                queued.append(await DBOS.enqueue_workflow_async(PARTS_QUEUE, run_part, *call))
            if n >= AHEAD - 1 and queued:
                try:
                    yield await queued.popleft().get_result()
                except Exception as error:
                    errors.append(str(error))
        if errors:
            raise JobFailed(
                f"{len(errors)} of {len(parts)} parts failed: {errors[0][:500]}",
                remedy=f"resume it with: kensaku jobs resume {self.id}",
            )


def _is_worth_retrying(error: BaseException) -> bool:
    # Fetching has retries of its own; a budget that is spent is spent for hours.
    return not isinstance(error, UsageError | FetchError | BudgetExceeded)

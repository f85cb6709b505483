"""What a kind of job gets to work with: steps that are stored, parts, progress, a client."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from kensaku.answers.journal import Journal
from kensaku.errors import BudgetExceeded, FetchError, JobFailed, UsageError
from kensaku.jobs.job import JobProgress
from kensaku.jobs.signal import POLL, wait_for
from kensaku.messages import msg

if TYPE_CHECKING:
    from kensaku.client import Kensaku
    from kensaku.database.leases import Claimed
    from kensaku.jobs.executor import Executor
    from kensaku.jobs.stored import PartEnd

T = TypeVar("T")
MAX_ATTEMPTS = 3
RETRY_SECONDS = 0.5  # before the second attempt; twice that before the third
AHEAD = 64  # parts that are queued or running at a time: the table stays short


class JobRun:
    """One run of a job, or of a part of it, in this process."""

    def __init__(self, executor: Executor, run: Claimed) -> None:
        row = run.row
        self.id, self.part = row.parent or row.id, row.part  # `id`: of the job, for its parts, too
        self.kind, self.tenant, self.key_id = row.kind, row.tenant, row.key
        self.executor = executor
        self._run, self._stored = row.id, executor.stored
        leases = executor.leases
        self._journal = Journal(
            run.steps, partial(leases.save_step, row.id), partial(leases.confirm, row.id)
        )
        self._named: Counter[str] = Counter()

    @property
    def client(self) -> Kensaku:
        """The client of the tenant."""
        return self.executor.client(self.tenant)

    async def step(self, name: str, work: Callable[[], Awaitable[T]]) -> T:
        """Do the work and store its result, which is JSON; return it without work next time.

        It is tried again when it fails, and cancelled together with its job. Of several steps with
        the same name, the second time is that of the second.
        """
        self._named[name] += 1
        step: T = await self._journal.once(f"{name}:{self._named[name]}", lambda: self._try(work))
        return step

    async def steps(self, works: Mapping[str, Callable[[], Awaitable[T]]]) -> list[T]:
        """Do the work side by side; return all results.

        If one fails, the others end first: what they did is stored, and not paid for again.
        """
        steps = (self.step(name, work) for name, work in works.items())
        results = await asyncio.gather(*steps, return_exceptions=True)
        for result in results:
            if isinstance(result, BaseException):
                raise result
        return results  # type: ignore[return-value]  # none is an exception

    async def report(
        self, stage: str = "", done: int = 0, total: int = 0, documents: int = 0
    ) -> None:
        """Store how far this run is."""
        progress = JobProgress(done, total, stage, documents)
        await self._stored.report(self.executor.leases.owner, self._run, progress)
        self.executor.changed.notify()

    async def run_parts(self, parts: Sequence[Mapping[str, Any]]) -> AsyncIterator[dict[str, Any]]:
        """Run the parts on all processes of this database; yield their results in order.

        A part that fails does not stop the others. Raises `JobFailed` after the last one.
        """
        same = {"kind": self.kind, "tenant": self.tenant, "key": self.key_id, "parent": self.id}
        queued, errors = 0, list[str]()
        for n in range(1, len(parts) + 1):
            if queued < len(parts) and queued < n + AHEAD // 2:
                more = enumerate(parts[queued : n + AHEAD], queued + 1)
                rows = [
                    {**same, "id": f"{self.id}-{i}", "part": i, "arguments": p} for i, p in more
                ]
                if not await self._stored.add(rows, owner=self.executor.leases.owner):
                    await self.executor.leases.lost(self.id)
                queued += len(rows)
                self.executor.changed.notify()
            part = await self._end_of(n)
            if part.result is None:
                errors.append(part.error)
            else:
                yield part.result
        if errors:
            raise JobFailed(
                msg(
                    "{count} of {count2} parts failed: {errors}",
                    count=len(errors),
                    count2=len(parts),
                    errors=errors[0][:500],
                ),
                remedy=msg("resume it with: kensaku jobs resume {id}", id=self.id),
            )

    async def _end_of(self, part: int) -> PartEnd:
        while True:
            changed = self.executor.changed.next
            if end := await self._stored.part_end(self.id, part):
                return end
            await wait_for(changed, POLL)

    async def _try(self, work: Callable[[], Awaitable[T]]) -> T:
        """Do the work, up to three times. Its usage is written before the step counts as done."""
        for attempt in range(1, MAX_ATTEMPTS + 1):
            try:
                return await work()
            except Exception as error:
                if attempt == MAX_ATTEMPTS or not _is_worth_retrying(error):
                    raise
            finally:
                await self.executor.accounting.flush()
            await asyncio.sleep(RETRY_SECONDS * attempt)
        raise AssertionError


def _is_worth_retrying(error: Exception) -> bool:
    # Fetching has retries of its own; a budget that is spent is spent for hours.
    return not isinstance(error, UsageError | FetchError | BudgetExceeded)

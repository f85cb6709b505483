"""Run jobs in this process, beside whatever else its event loop does.

claim → a task for each job and part → steps → finish; free slots are filled when one ends

Jobs of a process that died are claimed once their leases have expired, as queued ones are.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterable
from contextvars import Context
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from kensaku._logger import get_logger
from kensaku.database.leases import LEASE_SECONDS, LOOK_SECONDS, Leases
from kensaku.errors import DatabaseFault, KensakuError
from kensaku.jobs.accounting import Accounting
from kensaku.jobs.kinds import KINDS, KindWithParts, kind_of
from kensaku.jobs.run import JobRun
from kensaku.jobs.signal import POLL, Signal, wait_for

if TYPE_CHECKING:
    from kensaku.client import Kensaku
    from kensaku.config.settings import Settings
    from kensaku.database.leases import Claimed
    from kensaku.extract import ParsePool
    from kensaku.jobs.stored import StoredJobs
    from kensaku.observe import Observer

DELETE_EVERY = 3_600.0  # seconds between two deletions of old jobs
JOBS_AT_ONCE = 4
_log = get_logger(__name__)


class Executor:
    """Runs jobs until it is closed."""

    def __init__(
        self,
        settings: Settings,
        stored: StoredJobs,
        changed: Signal,
        *,
        workers: int | None = None,
        observers: Iterable[Observer] = (),
        beat: float = LOOK_SECONDS,
        dead: float = LEASE_SECONDS,
    ) -> None:
        self.settings, self.stored, self.changed = settings, stored, changed
        self.workers = workers or available_cores()
        self.leases = Leases(stored.database, seconds=dead, look=beat)
        self.accounting = Accounting(stored.database)
        self._observers = tuple(observers)
        self._jobs: set[asyncio.Task[None]] = set()
        self._parts: set[asyncio.Task[None]] = set()
        self._client: Kensaku | None = None
        self._parser: ParsePool | None = None
        self._claiming: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin to run jobs."""
        from kensaku.client import Kensaku

        usage = await self.accounting.open()
        self._client = Kensaku(self.settings, observers=(*self._observers, usage))
        # Without the context of the request that started it: that has a caller and a budget.
        self._claiming = asyncio.create_task(self._claim_on(), context=Context())

    async def close(self) -> None:
        """Stop in the middle of what runs; another process, or the next start, goes on with it."""
        if self._claiming is not None:
            self._claiming.cancel()
            await asyncio.gather(self._claiming, return_exceptions=True)
        await self.leases.close()
        if self._client is not None:
            await self._client.close()
        await self.accounting.close()
        if self._parser is not None:
            await self._parser.aclose()

    def client(self, tenant: str) -> Kensaku:
        """The client of a tenant; it lives as long as this object runs."""
        assert self._client is not None  # `start` made it
        return self._client.for_tenant(tenant)

    @property
    def parser(self) -> ParsePool:
        """The processes that extract documents in bulk."""
        if self._parser is None:
            from kensaku.extract import ParsePool

            self._parser = ParsePool(self.workers)
        return self._parser

    async def _claim_on(self) -> None:
        clock = asyncio.get_running_loop().time
        delete_at = clock()
        while True:
            changed = self.changed.next
            try:
                await self._claim()
                if self.settings.jobs_days and clock() >= delete_at:
                    delete_at = clock() + DELETE_EVERY
                    await self.stored.delete_old(self.settings.jobs_days)
            except DatabaseFault as error:  # it may come back
                _log.warning("jobs were not looked for: %s", error)
            await wait_for(changed, POLL)

    async def _claim(self) -> None:
        jobs, parts = JOBS_AT_ONCE - len(self._jobs), self.workers - len(self._parts)
        if max(jobs, parts) <= 0:
            return
        since = asyncio.get_running_loop().time()
        claimed = await self.stored.claim(self.leases, KINDS, jobs=jobs, parts=parts)
        for run in claimed:
            running = self._parts if run.row.parent else self._jobs
            task = asyncio.create_task(self._run(run))
            running.add(task)
            task.add_done_callback(running.discard)
            task.add_done_callback(self._ended)
            self.leases.hold(run.row.id, task, since=since)
        if claimed:
            self.changed.notify()

    def _ended(self, task: asyncio.Task[None]) -> None:
        self.changed.notify()
        if not task.cancelled() and (error := task.exception()) is not None:
            # Its lease expires, and whoever claims it has all of its steps.
            _log.warning("the end of a job was not stored: %s", error)

    async def _run(self, run: Claimed) -> None:
        """Run a job or a part from its beginning; finished steps return what they returned."""
        end: dict[str, Any]
        try:
            end = {"result": await self._result(run)}
        except KensakuError as error:
            end = {"error": str(error)}
        except Exception as error:
            # What an unknown error says may hold an address with a password.
            _log.exception("a job failed")
            end = {"error": f"it failed with {type(error).__name__}; the log has the details"}
        self.leases.drop(run.row.id)
        finish = partial(self.stored.finish, self.leases.owner, run.row.id, **end)
        await self.leases.store(finish)

    async def _result(self, run: Claimed) -> dict[str, Any]:
        job, arguments = JobRun(self, run), json.loads(run.row.arguments)
        kind = kind_of(job.kind)
        async with self.accounting.booked(job):
            if job.part:
                return await cast("KindWithParts", kind).run_part(job, arguments)
            return await kind.run(job, arguments)


def available_cores() -> int:
    """Return how many cores this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1

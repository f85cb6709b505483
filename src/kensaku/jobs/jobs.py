"""`Jobs`: submit, watch, cancel and resume jobs, from any process; run them after `start`.

    submit → check → queue in the database → an executor, here or elsewhere → steps → result

Reading and writing needs no executor: `kensaku jobs list` starts none. A call that names a tenant
sees that tenant's jobs alone; to others a job does not exist.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self
from uuid import uuid4

from kensaku.errors import InvalidQuery, UnknownJob
from kensaku.jobs.kinds import kind_of
from kensaku.jobs.signal import POLL, Signal, wait_for
from kensaku.messages import msg

if TYPE_CHECKING:
    from kensaku.config.settings import Settings
    from kensaku.database.engine import Database
    from kensaku.jobs.executor import Executor
    from kensaku.jobs.job import Job, JobStatus
    from kensaku.jobs.stored import StoredJobs
    from kensaku.observe import Observer

MAX_ARGUMENTS = 1_000_000  # characters of JSON
MAX_LISTED = 1_000


class Jobs:
    """The jobs of one database. Nothing is opened before the first call."""

    def __init__(
        self,
        settings: Settings,
        *,
        database: Database | None = None,
        workers: int | None = None,
        observers: Iterable[Observer] = (),
        beat: float = 1.0,
        dead: float = 15.0,
    ) -> None:
        """`workers`: shards, and processes that parse, at a time; by default one for each core.

        `database`: one that is open, and stays so. `observers` learn of what jobs do. Every `beat`
        seconds a process looks whether its jobs were cancelled elsewhere. One that has not renewed
        its leases for `dead` seconds is taken for dead; its jobs go on elsewhere.
        """
        self.settings = settings
        self._workers, self._observers = workers, observers
        self._beat, self._dead = beat, dead
        self._database, self._owns_database = database, database is None
        self._opening = asyncio.Lock()
        self._executor: Executor | None = None
        self._changed = Signal()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def start(self) -> None:
        """Run jobs in this process, too, until `close`."""
        from kensaku.jobs.executor import Executor

        executor = Executor(
            self.settings, await self._open(), self._changed,
            workers=self._workers, observers=self._observers, beat=self._beat, dead=self._dead,
        )  # fmt: skip
        await executor.start()
        self._executor = executor

    async def close(self) -> None:
        """Stop running jobs and disconnect. Unfinished jobs go on in the next process."""
        if self._executor is not None:
            await self._executor.close()
            self._executor = None
        if self._owns_database and self._database is not None:
            await self._database.close()
            self._database = None

    async def submit(
        self,
        kind: str,
        arguments: Mapping[str, Any],
        *,
        tenant: str = "",
        key_id: str = "",
        operator: bool = False,
    ) -> str:
        """Queue a job and return its id. Raises `UsageError` for arguments that cannot work.

        `key_id`: the API key that pays for the job's searches. `operator`: the caller operates this
        machine, and may name its files.
        """
        check = kind_of(kind).check
        checked = await asyncio.to_thread(lambda: check(arguments, operator=operator))
        if (size := len(json.dumps(checked))) > MAX_ARGUMENTS:
            raise InvalidQuery(
                msg("the arguments are {size:,} characters; at most 1,000,000 are taken", size=size)
            )
        id = f"{kind}-{uuid4().hex[:20]}"
        run = {"id": id, "kind": kind, "tenant": tenant, "key": key_id, "arguments": checked}
        await (await self._open()).add([run])
        self._changed.notify()
        return id

    async def get(self, id: str, *, tenant: str | None = None) -> Job:
        """Return one job. Raises `UnknownJob`."""
        found = await (await self._open()).find(id=id, tenant=tenant)
        if not found:
            raise UnknownJob(id)
        return found[0]

    async def list(
        self,
        *,
        tenant: str | None = None,
        kind: str | None = None,
        status: JobStatus | None = None,
        limit: int = 100,
    ) -> Sequence[Job]:
        """Return jobs, the newest first: a tenant's, or everybody's."""
        if not 1 <= limit <= MAX_LISTED:
            raise InvalidQuery(
                msg(
                    "limit is {limit}; it must be from 1 to {max_listed:,}",
                    limit=limit,
                    max_listed=MAX_LISTED,
                )
            )
        jobs = await self._open()
        return await jobs.find(tenant=tenant, kind=kind, status=status, limit=limit)

    async def steps(self, id: str, *, tenant: str | None = None) -> Sequence[Any]:
        """Return the results of a job's finished steps, in order. One that is done has none."""
        await self.get(id, tenant=tenant)
        return await (await self._open()).steps(id)

    async def cancel(self, id: str, *, tenant: str | None = None) -> Job:
        """Stop a job at once, wherever it runs. One that has ended stays as it is."""
        await self.get(id, tenant=tenant)
        await (await self._open()).cancel(id)
        if self._executor is not None:
            await self._executor.leases.check()
        self._changed.notify()
        return await self.get(id, tenant=tenant)

    async def resume(self, id: str, *, tenant: str | None = None) -> Job:
        """Queue a cancelled or failed job again; it goes on after its last finished step."""
        job = await self.get(id, tenant=tenant)
        if job.status in ("cancelled", "failed"):
            await (await self._open()).resume(id)
            self._changed.notify()
        return await self.get(id, tenant=tenant)

    async def events(
        self, id: str, *, tenant: str | None = None, poll: float = POLL
    ) -> AsyncIterator[Job]:
        """Yield the job now and whenever it has changed, until it has finished."""
        last: Job | None = None
        while True:
            changed = self._changed.next
            job = await self.get(id, tenant=tenant)
            if job != last:
                yield job
            if job.finished:
                return
            last = job
            await wait_for(changed, poll)

    async def wait(self, id: str, *, tenant: str | None = None) -> Job:
        """Return the job when it has finished."""
        return [job async for job in self.events(id, tenant=tenant)][-1]

    async def _open(self) -> StoredJobs:
        from kensaku.database import Database
        from kensaku.jobs.stored import StoredJobs

        async with self._opening:
            if self._database is None:
                self._database = await Database.open(self.settings)
        return StoredJobs(self._database)

"""`Jobs`: submit, watch, cancel and resume jobs, from any process; run them after `start`.

    submit → check → queue in the database → an executor, here or elsewhere → steps → result

Reading and writing needs no executor: `kensaku jobs list` starts none. A call that names a tenant
sees that tenant's jobs alone; to others a job does not exist.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Self
from uuid import uuid4

from kensaku.database import url_of
from kensaku.errors import InvalidQuery, UnknownJob
from kensaku.jobs.executor import APPLICATION, BEAT, DEAD, VERSION, Executor, import_dbos
from kensaku.jobs.job import Job, JobProgress, JobStatus, job_from, stored_statuses
from kensaku.jobs.kinds import kind_of
from kensaku.jobs.names import JOB, JOBS_QUEUE, PARTS_QUEUE

if TYPE_CHECKING:
    from dbos import DBOSClient

    from kensaku.config.settings import Settings
    from kensaku.jobs.tables import JobTables
    from kensaku.observe import Observer

MAX_ARGUMENTS = 1_000_000  # characters of JSON
MAX_LISTED = 1_000
POLL = 0.5  # seconds between two looks at a job that is watched


class Jobs:
    """The jobs of one database. Nothing is opened before the first call."""

    def __init__(
        self,
        settings: Settings,
        *,
        workers: int | None = None,
        observers: Iterable[Observer] = (),
        beat: float = BEAT,
        dead: float = DEAD,
    ) -> None:
        """`workers`: shards, and processes that parse, at a time; by default one for each core.

        `observers` learn of what jobs do; they are called in another thread. A process that has
        not written its heartbeat for `dead` seconds is taken for dead; its jobs go on elsewhere.
        """
        self.settings = settings
        self._options = {
            "workers": workers,
            "observers": observers,
            "beat": beat,
            "dead": dead,
        }
        self._opened: tuple[DBOSClient, JobTables] | None = None
        self._opening = asyncio.Lock()
        self._executor: Executor | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def start(self) -> None:
        """Run jobs in this process, too, until `close`."""
        _, tables = await self._open()
        executor = Executor(self.settings, url_of(self.settings), tables, **self._options)  # type: ignore[arg-type]
        await asyncio.to_thread(executor.start)
        self._executor = executor

    async def close(self) -> None:
        """Stop running jobs and disconnect. Unfinished jobs go on in the next process."""
        if self._executor is not None:
            await asyncio.to_thread(self._executor.stop)
            self._executor = None
        if self._opened is not None:
            client, tables = self._opened
            self._opened = None
            await asyncio.to_thread(client.destroy)
            await asyncio.to_thread(tables.close)

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
                f"the arguments are {size:,} characters; at most 1,000,000 are taken"
            )
        client, _ = await self._open()
        handle: Any = await client.enqueue_async(
            {
                "workflow_name": JOB,
                "workflow_id": f"{kind}-{uuid4().hex[:20]}",
                "queue_name": JOBS_QUEUE,
                "app_version": VERSION,
                "authenticated_user": _user(tenant),
            },
            kind,
            tenant,
            checked,
            key_id,
        )
        return str(handle.get_workflow_id())

    async def get(self, id: str, *, tenant: str | None = None) -> Job:
        """Return one job. Raises `UnknownJob`."""
        found = await self._find(tenant=tenant, workflow_ids=[id])
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
            raise InvalidQuery(f"limit is {limit}; it must be from 1 to {MAX_LISTED:,}")
        prefix = f"{kind}-" if kind else None
        statuses = stored_statuses(status) if status else None
        return await self._find(
            tenant=tenant, limit=limit, sort_desc=True, workflow_id_prefix=prefix, status=statuses
        )

    async def cancel(self, id: str, *, tenant: str | None = None) -> Job:
        """Stop a job at once, wherever it runs. One that has ended stays as it is."""
        await self.get(id, tenant=tenant)
        client, _ = await self._open()
        await client.cancel_workflow_async(id, cancel_children=True)
        return await self.get(id, tenant=tenant)

    async def resume(self, id: str, *, tenant: str | None = None) -> Job:
        """Queue a cancelled or failed job again; it goes on after its last finished step."""
        job = await self.get(id, tenant=tenant)
        if job.status in ("cancelled", "failed"):
            client, _ = await self._open()
            await asyncio.to_thread(_resume, client, id)
        return await self.get(id, tenant=tenant)

    async def events(
        self, id: str, *, tenant: str | None = None, poll: float = POLL
    ) -> AsyncIterator[Job]:
        """Yield the job now and whenever it has changed, until it has finished."""
        last: Job | None = None
        while True:
            job = await self.get(id, tenant=tenant)
            if job != last:
                yield job
            if job.finished:
                return
            last = job
            await asyncio.sleep(poll)

    async def wait(self, id: str, *, tenant: str | None = None) -> Job:
        """Return the job when it has finished."""
        return [job async for job in self.events(id, tenant=tenant)][-1]

    async def _find(self, *, tenant: str | None, **filters: Any) -> Sequence[Job]:
        client, tables = await self._open()
        user = None if tenant is None else _user(tenant)
        workflows = await client.list_workflows_async(name=JOB, user=user, **filters)
        ids = [w.workflow_id for w in workflows]
        progress = await asyncio.to_thread(tables.progress, ids)
        return [job_from(w, progress.get(w.workflow_id, JobProgress())) for w in workflows]

    async def _open(self) -> tuple[DBOSClient, JobTables]:
        async with self._opening:
            if self._opened is None:
                self._opened = await asyncio.to_thread(_connect, self.settings)
            return self._opened


def _connect(settings: Settings) -> tuple[DBOSClient, JobTables]:
    dbos = import_dbos()
    from kensaku.jobs.migrate import migrate
    from kensaku.jobs.tables import JobTables

    url = url_of(settings)
    if not settings.database_url:
        _create_file(settings)
    migrate(url)
    tables = JobTables(url)
    tables.create()
    client = dbos.DBOSClient(
        system_database_url=url,
        serializer=dbos.DBOSPortableJSONSerializer(),
        application_name=APPLICATION,
        retry_connection_errors=False,
    )
    return client, tables


def _create_file(settings: Settings) -> None:
    settings.home.mkdir(parents=True, exist_ok=True, mode=0o700)
    (settings.home / "kensaku.db").touch(mode=0o600)


def _resume(client: DBOSClient, id: str) -> None:
    """Queue a job and its parts again: cancelled ones as they are, failed ones at the failed step.

    The parts come first: the job asks for their results.
    """
    again = partial(client.list_workflows, load_input=False, load_output=False)
    stopped = ["CANCELLED", "ERROR", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"]
    parts = again(parent_workflow_id=id, status=stopped)
    queues = [(part, PARTS_QUEUE) for part in parts]
    for workflow, queue in [*queues, (again(workflow_ids=[id])[0], JOBS_QUEUE)]:
        if workflow.status == "ERROR":
            steps = client.list_workflow_steps(workflow.workflow_id, load_output=True)
            failed = [s["function_id"] for s in steps if s["error"] is not None]
            client.rewind_workflow(
                workflow.workflow_id,
                start_step=min(failed, default=len(steps) + 1),
                queue_name=queue,
                application_version=VERSION,
            )
        else:
            client.resume_workflow(workflow.workflow_id, queue_name=queue)


def _user(tenant: str) -> str:
    return f"tenant:{tenant}"  # DBOS takes an empty name for none

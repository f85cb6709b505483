"""Jobs and their parts in the database: rows of the table of all runs.

    add → claim → report … → finish | cancel | resume

A job that is done keeps its result alone: its steps and parts are deleted with its end. One that
failed or was cancelled keeps them, and goes on after the last of them when it is resumed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import BigInteger, and_, cast, delete, false, func, insert, or_, select, update

from kensaku.database import leases
from kensaku.database.leases import current_time, is_claimable, owns
from kensaku.database.tables import RUN_STEPS, RUNS
from kensaku.jobs.job import FINISHED, Job, JobProgress

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

    from kensaku.database.engine import Database
    from kensaku.database.leases import Claimed, Leases
    from kensaku.jobs.job import JobStatus

MAX_STARTS = 50  # a job that kills every process that runs it stops here
KILLED_TOO_OFTEN = "every process that ran it ended before it did"
IS_JOB = (RUNS.c.conversation.is_(None), RUNS.c.parent.is_(None))
_UNFINISHED = ("queued", "running")
# PostgreSQL's sum of integers is a decimal number.
_SUMS = [cast(func.sum(RUNS.c[n]), BigInteger).label(n) for n in ("done", "total", "documents")]


class PartEnd(NamedTuple):
    """What came of a part. `result` is None if it failed or was cancelled."""

    result: dict[str, Any] | None
    error: str


class StoredJobs:
    """The jobs of one database."""

    def __init__(self, database: Database) -> None:
        self.database = database

    async def add(self, runs: Sequence[Mapping[str, Any]], *, owner: str = "") -> bool:
        """Queue jobs, or parts of one, given as columns. Those that are there stay as they are.

        `owner`: who runs the job of the parts. False: it is no longer the owner's.
        """
        async with self.database.write() as connection:
            if owner and not await owns(connection, owner, runs[0]["parent"]):
                return False
            now = await current_time(connection)
            there = select(RUNS.c.id).where(RUNS.c.id.in_([run["id"] for run in runs]))
            known = set(await connection.scalars(there))
            for run in runs:
                if run["id"] not in known:
                    values = {**run, "arguments": json.dumps(run["arguments"])}
                    times = {"state": "queued", "created": now, "updated": now}
                    await connection.execute(insert(RUNS).values(**values, **times))
        return True

    async def find(
        self,
        *,
        id: str | None = None,
        tenant: str | None = None,
        kind: str | None = None,
        status: JobStatus | None = None,
        limit: int = 1,
    ) -> list[Job]:
        """Return the jobs that have these values, the newest first."""
        wanted = {RUNS.c.id: id, RUNS.c.tenant: tenant, RUNS.c.kind: kind, RUNS.c.state: status}
        same = [column == value for column, value in wanted.items() if value is not None]
        query = select(RUNS).where(*IS_JOB, *same).order_by(RUNS.c.created.desc(), RUNS.c.id)
        async with self.database.read() as connection:
            rows = (await connection.execute(query.limit(limit))).all()
            progress = await _progress(connection, [row.id for row in rows])
        return [_job(row, progress[row.id]) for row in rows]

    async def steps(self, job: str) -> list[Any]:
        """Return the results of the finished steps of a job, in order of their numbers."""
        query = select(RUN_STEPS.c.name, RUN_STEPS.c.result).where(RUN_STEPS.c.run == job)
        async with self.database.read() as connection:
            rows = (await connection.execute(query)).all()
        rows = sorted(rows, key=lambda row: int(row.name.rpartition(":")[2]))
        return [json.loads(row.result) for row in rows]

    async def part_end(self, job: str, part: int) -> PartEnd | None:
        """Return what came of a part; None while it is unfinished."""
        query = select(RUNS.c.state, RUNS.c.result, RUNS.c.error)
        query = query.where(RUNS.c.parent == job, RUNS.c.part == part)
        async with self.database.read() as connection:
            row = (await connection.execute(query)).one()
        if row.state not in FINISHED:
            return None
        return PartEnd(json.loads(row.result) if row.result else None, row.error or row.state)

    async def claim(
        self, owner: Leases, kinds: Iterable[str], *, jobs: int, parts: int
    ) -> list[Claimed]:
        """Take at most so many jobs and parts that nobody runs, the oldest first."""
        rooms = ((RUNS.c.parent.is_(None), jobs), (RUNS.c.parent.is_not(None), parts))
        wanted = [(which, room) for which, room in rooms if room > 0]
        ours = and_(RUNS.c.kind.in_(list(kinds)), or_(false(), *(which for which, _ in wanted)))
        async with self.database.read() as connection:  # most of the time there is nothing to write
            free = (ours, is_claimable(await current_time(connection)))
            if await connection.scalar(select(RUNS.c.id).where(*free).limit(1)) is None:
                return []
        claimed: list[Claimed] = []
        query = select(RUNS).where(ours).order_by(RUNS.c.created, RUNS.c.part)
        async with self.database.write() as connection:
            now = await current_time(connection)
            given_up = update(RUNS).where(ours, is_claimable(now), RUNS.c.starts >= MAX_STARTS)
            failed = {"state": "failed", "error": KILLED_TOO_OFTEN, "updated": now}
            await connection.execute(given_up.values(failed))
            for which, room in wanted:
                claimed += await leases.claim(
                    connection, owner.owner, query.where(which).limit(room),
                    seconds=owner.seconds, held=owner.held,
                )  # fmt: skip
        return claimed

    async def report(self, owner: str, run: str, progress: JobProgress) -> None:
        """Store how far a job or a part is, unless it is no longer the owner's."""
        values = {"done": progress.done, "total": progress.total, "documents": progress.documents}
        own = (RUNS.c.id == run, RUNS.c.owner == owner, RUNS.c.state == "running")
        async with self.database.write() as connection:
            stored = update(RUNS).where(*own).values(stage=progress.stage[:200], **values)
            await connection.execute(stored.values(updated=await current_time(connection)))

    async def finish(
        self,
        owner: str,
        run: str,
        *,
        result: Mapping[str, Any] | None = None,
        error: str | None = None,
    ) -> None:
        """End a job or a part, unless it is no longer the owner's."""
        async with self.database.write() as connection:
            if not await owns(connection, owner, run):
                return
            values: dict[str, Any] = {"updated": await current_time(connection), "error": error}
            if error is not None:
                stop = update(RUNS).where(RUNS.c.parent == run, RUNS.c.state.in_(_UNFINISHED))
                await connection.execute(stop.values(state="cancelled"))
                values["state"] = "failed"
            else:
                both = or_(RUNS.c.id == run, RUNS.c.parent == run)
                sums = (await connection.execute(select(*_SUMS).where(both))).one()
                values |= {**sums._mapping, "state": "done", "result": json.dumps(result)}
                await connection.execute(delete(RUNS).where(RUNS.c.parent == run))
                await connection.execute(delete(RUN_STEPS).where(RUN_STEPS.c.run == run))
            await connection.execute(update(RUNS).where(RUNS.c.id == run).values(values))

    async def cancel(self, job: str) -> None:
        """Cancel what is unfinished of a job and its parts. Their owners find out and stop."""
        await self._change(job, _UNFINISHED, state="cancelled")

    async def resume(self, job: str) -> None:
        """Queue a job that failed or was cancelled again, with those of its parts that did."""
        await self._change(job, ("failed", "cancelled"), state="queued", error=None, starts=0)

    async def delete_old(self, days: float) -> int:
        """Delete the jobs that finished more than so many days ago; return how many."""
        async with self.database.write() as connection:
            before = await current_time(connection) - timedelta(days=days)
            old = (*IS_JOB, RUNS.c.state.in_(FINISHED), RUNS.c.updated < before)
            return (await connection.execute(delete(RUNS).where(*old))).rowcount

    async def any_unfinished(self) -> bool:
        """Whether jobs wait for a process that runs them, or did when theirs ended."""
        async with self.database.read() as connection:
            query = select(RUNS.c.id).where(*IS_JOB, RUNS.c.state.in_(_UNFINISHED)).limit(1)
            return await connection.scalar(query) is not None

    async def _change(self, job: str, states: Sequence[str], **values: Any) -> None:
        async with self.database.write() as connection:
            values["updated"] = await current_time(connection)
            for which in (RUNS.c.id == job, RUNS.c.parent == job):  # `finish` locks in this order
                change = update(RUNS).where(which, RUNS.c.state.in_(states))
                await connection.execute(change.values(values))


async def _progress(connection: AsyncConnection, jobs: Sequence[str]) -> dict[str, Any]:
    """Return how far jobs are: the sums of their own rows and their parts'."""
    job = func.coalesce(RUNS.c.parent, RUNS.c.id).label("job")
    both = or_(RUNS.c.id.in_(jobs), RUNS.c.parent.in_(jobs))
    rows = await connection.execute(select(job, *_SUMS).where(both).group_by(job))
    return {row.job: row for row in rows}


def _job(row: Any, sums: Any) -> Job:
    return Job(
        id=row.id,
        kind=row.kind,
        status=row.state,
        tenant=row.tenant,
        key_id=row.key,
        arguments=json.loads(row.arguments),
        progress=JobProgress(sums.done, sums.total, row.stage, sums.documents),
        result=None if row.result is None else json.loads(row.result),
        error=row.error,
        created=row.created,
        updated=row.updated,
    )

"""Runs that survive a kill: which process owns one, until when, and which steps are finished.

    claim → hold(run, task) → [confirm → a step → save_step] … → drop → store(the end of the run)

A run belongs to its owner as long as the lease is renewed. Once the lease has expired, any process
may claim the run, with the steps that were stored. Steps and results are written only by the owner:
a process that was slow and lost the run changes nothing, and begins no further step. Only the steps
that were under way when a lease expired are done again.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable, Collection, Iterable, Set
from contextlib import suppress
from contextvars import Context
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from uuid import uuid4

from sqlalchemy import and_, delete, func, insert, or_, select, update

from kensaku._logger import get_logger
from kensaku.database.tables import RUN_STEPS, RUNS
from kensaku.errors import DatabaseFault

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Select
    from sqlalchemy.ext.asyncio import AsyncConnection

    from kensaku.database.engine import Database

LEASE_SECONDS = 15.0
LOOK_SECONDS = 1.0  # between two looks at the runs of this process
STORE_SECONDS = 300.0  # for which a run waits for the database to store what was done
STOPS, LOST = "the process stops", "another process goes on with it"
T = TypeVar("T")
log = get_logger("kensaku.runs")


class Claimed(NamedTuple):
    """A run that is now the caller's: its row, and the results of its finished steps by name."""

    row: Any
    steps: dict[str, Any]


async def current_time(connection: AsyncConnection) -> datetime:
    """Return the time by which leases end: the server's, which all machines share."""
    if connection.dialect.name == "sqlite":
        return datetime.now(UTC)
    now: datetime = (await connection.execute(select(func.clock_timestamp()))).scalar_one()
    return now


def is_claimable(now: datetime) -> ColumnElement[bool]:
    """The condition of a run that waits, or whose owner is gone."""
    return or_(RUNS.c.state == "queued", and_(RUNS.c.state == "running", RUNS.c.lease < now))


async def claim(
    connection: AsyncConnection,
    owner: str,
    query: Select[Any],
    *,
    seconds: float = LEASE_SECONDS,
    held: Iterable[str] = (),
) -> list[Claimed]:
    """Take the runs of a query that nobody does. `held`: those whose tasks have not ended yet."""
    now = await current_time(connection)
    free = query.where(is_claimable(now), RUNS.c.id.not_in(list(held)))
    rows = (await connection.execute(free.with_for_update(of=RUNS, skip_locked=True))).all()
    ids = [row.id for row in rows]
    taken = {"owner": owner, "lease": now + timedelta(seconds=seconds), "updated": now}
    await connection.execute(
        update(RUNS)
        .where(RUNS.c.id.in_(ids))
        .values(state="running", starts=RUNS.c.starts + 1, **taken)
    )
    return [Claimed(row, await _steps_of(connection, row.id)) for row in rows]


async def owns(connection: AsyncConnection, owner: str, run: str) -> bool:
    """Whether a run is still the owner's; it stays so until the end of the transaction."""
    query = select(RUNS.c.id).where(_own(owner, [run])).with_for_update()
    return await connection.scalar(query) is not None


async def save_step(db: Database, owner: str, run: str, name: str, result: Any) -> bool:
    """Store the result of a finished step. False: the run is no longer the owner's.

    It may be called again when it is not known whether it was stored.
    """
    digest = hashlib.sha256(name.encode()).hexdigest()
    values = {"run": run, "digest": digest, "name": name, "result": json.dumps(result)}
    async with db.write() as connection:
        if not await owns(connection, owner, run):
            return False
        same = (RUN_STEPS.c.run == run, RUN_STEPS.c.digest == digest)
        await connection.execute(delete(RUN_STEPS).where(*same))
        await connection.execute(insert(RUN_STEPS).values(values))
    return True


class Leases:
    """The runs that this process does: renews their leases, and stops those that it lost."""

    def __init__(
        self,
        database: Database,
        *,
        seconds: float = LEASE_SECONDS,
        look: float = LOOK_SECONDS,
        also: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """`also` is awaited at each look, while there are runs."""
        self.owner, self.seconds = uuid4().hex, seconds
        self._database, self._look, self._also = database, look, also
        self._tasks: dict[str, asyncio.Task[Any]] = {}
        self._watched: set[str] = set()
        self._until: dict[str, float] = {}  # when a lease ends at the earliest, by the loop's clock
        self._keeping: asyncio.Task[None] | None = None

    @property
    def held(self) -> Set[str]:
        """The runs whose tasks have not ended."""
        return self._tasks.keys()

    def hold(self, run: str, task: asyncio.Task[Any], *, since: float) -> None:
        """Renew the lease of a run until its task has ended, and cancel the task if it is lost.

        `since`: the time of the event loop before the run was claimed.
        """
        self._tasks[run], self._until[run] = task, since + self.seconds
        self._watched.add(run)
        task.add_done_callback(lambda _: self._ended(run))
        if self._keeping is None or self._keeping.done():
            self._keeping = asyncio.create_task(self._keep(), context=Context())

    def drop(self, run: str) -> None:
        """Leave a run alone: its task is about to end it."""
        self._watched.discard(run)

    async def save_step(self, run: str, name: str, result: Any) -> None:
        """Store the result of a finished step. The task of a run that was lost is cancelled."""
        if not await self.store(partial(save_step, self._database, self.owner, run, name, result)):
            await self.lost(run)

    async def store(self, write: Callable[[], Awaitable[T]]) -> T:
        """Write what was done, also when the database is away or busy for some minutes.

        Otherwise it would be done again, by whichever process claims the run next.
        """
        clock = asyncio.get_running_loop().time
        give_up = clock() + STORE_SECONDS
        while True:
            try:
                return await write()
            except DatabaseFault as error:
                if clock() >= give_up:
                    raise
                log.warning("a run waits for the database: %s", error)
            await asyncio.sleep(self._look)

    async def confirm(self, run: str) -> None:
        """Make sure, before a step begins, that a run is this process's for some time to come.

        A process that stood still may have lost it. Then its task is cancelled.
        """
        clock = asyncio.get_running_loop().time
        while clock() >= self._until[run] - self.seconds / 3:
            if run not in await self.store(partial(self._renew, [run])):
                await self.lost(run)

    async def lost(self, run: str) -> None:
        """Cancel the task of a run that is no longer this process's, and wait for that."""
        self._cancel(run)
        await asyncio.Event().wait()

    async def check(self) -> None:
        """Cancel the tasks of runs that were cancelled, or that another process has taken over."""
        watched = list(self._watched)
        async with self._database.read() as connection:
            own = set(await connection.scalars(select(RUNS.c.id).where(_own(self.owner, watched))))
        for run in set(watched) - own:
            self._cancel(run)

    async def close(self) -> None:
        """Stop the tasks, and give their runs to whichever process is next."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel(STOPS)
        if self._keeping is not None:
            self._keeping.cancel()
            tasks.append(self._keeping)
        await asyncio.gather(*tasks, return_exceptions=True)
        if tasks:
            with suppress(DatabaseFault):  # the leases expire by themselves
                own = (RUNS.c.owner == self.owner, RUNS.c.state == "running")
                async with self._database.write() as connection:
                    over = {"lease": await current_time(connection)}
                    await connection.execute(update(RUNS).where(*own).values(over))

    async def _keep(self) -> None:
        clock = asyncio.get_running_loop().time
        renewed = clock()
        while True:
            await asyncio.sleep(self._look)
            if not self._tasks:
                return
            try:
                if clock() >= renewed + self.seconds / 3:
                    await self._renew(self._tasks)
                    renewed = clock()
                await self.check()
                if self._also is not None:
                    await self._also()
            except DatabaseFault as error:
                log.warning("the leases of %d runs were not renewed: %s", len(self._tasks), error)

    async def _renew(self, runs: Collection[str]) -> Set[str]:
        """Renew the leases of those runs that are still this process's, and return them."""
        began = asyncio.get_running_loop().time()
        own = _own(self.owner, runs)
        async with self._database.write() as connection:
            lease = await current_time(connection) + timedelta(seconds=self.seconds)
            await connection.execute(update(RUNS).where(own).values(lease=lease))
            renewed = set(await connection.scalars(select(RUNS.c.id).where(own)))
        self._until |= dict.fromkeys(renewed & self.held, began + self.seconds)
        return renewed

    def _cancel(self, run: str) -> None:
        if run in self._watched:
            self._watched.discard(run)  # a second time would break off how it cleans up
            self._tasks[run].cancel(LOST)

    def _ended(self, run: str) -> None:
        self._watched.discard(run)
        del self._tasks[run], self._until[run]


def _own(owner: str, runs: Collection[str]) -> ColumnElement[bool]:
    return and_(RUNS.c.id.in_(list(runs)), RUNS.c.owner == owner, RUNS.c.state == "running")


async def _steps_of(connection: AsyncConnection, run: str) -> dict[str, Any]:
    query = select(RUN_STEPS.c.name, RUN_STEPS.c.result).where(RUN_STEPS.c.run == run)
    return {row.name: json.loads(row.result) for row in await connection.execute(query)}

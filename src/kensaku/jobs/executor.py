"""Run jobs in this process: DBOS, a heartbeat, and the recovery of jobs whose process died.

    every BEAT s: write our beat → jobs whose executor has not beaten for DEAD s → queued again

DBOS gives a job to one process and marks it with that process's id. It brings back the jobs of a
dead process only when it is told which one died; here every process looks for itself. A process
that was only slow loses nothing: the first to store a step wins, and the other one stops.

DBOS is one per process, and so is this. It runs in threads and an event loop of its own.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from importlib import import_module
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from kensaku.errors import ConfigError, MissingExtra
from kensaku.jobs.accounting import Accounting
from kensaku.jobs.job import FINISHED, stored_statuses
from kensaku.jobs.names import JOB, JOBS_QUEUE, PARTS_QUEUE
from kensaku.jobs.old_sqlite import define_subsec

if TYPE_CHECKING:
    from kensaku.client import Kensaku
    from kensaku.config.settings import Settings
    from kensaku.extract import ParsePool
    from kensaku.jobs.tables import JobTables
    from kensaku.observe import Observer

BEAT, DEAD = 2.0, 15.0  # seconds
FORGET = 86_400.0  # seconds after which the row of a dead process is deleted
POLL = 0.5  # seconds between two looks at a queue
DELETE_EVERY, DELETE_AT_ONCE = 3_600.0, 200  # seconds between deletions; jobs in one of them
JOBS_AT_ONCE = 4
APPLICATION = "kensaku"
# Jobs of one version are run by all processes of that version. Count it up when the steps of a
# kind change their order or meaning.
VERSION = "1"
_log = logging.getLogger(__name__)
_lock = threading.Lock()
_running: Executor | None = None


class Executor:
    """Runs jobs in this process until it is stopped."""

    def __init__(
        self,
        settings: Settings,
        url: str,
        tables: JobTables,
        *,
        workers: int | None = None,
        observers: Iterable[Observer] = (),
        beat: float = BEAT,
        dead: float = DEAD,
    ) -> None:
        self.settings, self.url, self.tables = settings, url, tables
        self.id = uuid4().hex
        self.workers = workers or available_cores()
        self._observers = tuple(observers)
        self._beat, self._dead = beat, dead
        self.accounting = Accounting(settings)
        self._client: Kensaku | None = None
        self._parser: ParsePool | None = None
        self._tasks: set[asyncio.Task[Any]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping = threading.Event()
        self._heart = threading.Thread(target=self._keep_beating, name="kensaku-heart", daemon=True)

    def start(self) -> None:
        """Start running jobs. Blocks for a second; call it in a thread without an event loop."""
        global _running
        dbos = import_dbos()
        with _lock:
            if _running is not None:
                raise ConfigError("this process runs jobs already", remedy="use one Jobs object")
            _running = self
        try:
            self.tables.beat(self.id)  # before DBOS marks a job with it
            import_module("kensaku.jobs.workflows")  # registers them
            dbos.DBOS(config=self._config(dbos))
            dbos.DBOS.launch()
            for name, most in ((JOBS_QUEUE, JOBS_AT_ONCE), (PARTS_QUEUE, self.workers)):
                dbos.DBOS.register_queue(name, worker_concurrency=most, polling_interval_sec=POLL)
        except BaseException:
            self._release(dbos)
            raise
        self._heart.start()

    def stop(self) -> None:
        """Stop in the middle of what runs; another process, or the next start, goes on with it."""
        self._stopping.set()
        if self._loop is not None:
            asyncio.run_coroutine_threadsafe(self._end_tasks(), self._loop).result()
        if self._heart.is_alive():
            self._heart.join()
        self._release(import_dbos())

    def _release(self, dbos: Any) -> None:
        global _running
        dbos.DBOS.destroy()
        self.tables.forget([self.id])
        with _lock:
            _running = None

    def client(self, tenant: str) -> Kensaku:
        """The client of a tenant; it lives as long as this object runs.

        It belongs to the event loop of the jobs. A client of another loop would be used by two.
        """
        assert self._client is not None  # `running` made it
        return self._client.for_tenant(tenant)

    @property
    def parser(self) -> ParsePool:
        """The processes that extract documents in bulk."""
        if self._parser is None:
            from kensaku.extract import ParsePool

            self._parser = ParsePool(self.workers)
        return self._parser

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Run a workflow inside of this, so that `stop` can cancel it."""
        self._loop = asyncio.get_running_loop()
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            if self._stopping.is_set():
                await asyncio.Event().wait()  # until it is cancelled: nothing more is begun
            await self._open_client()
            yield
        finally:
            self._tasks.discard(task)

    async def _open_client(self) -> None:
        from kensaku.client import Kensaku

        usage = await self.accounting.open()
        if self._client is None:
            self._client = Kensaku(self.settings, observers=(*self._observers, usage))

    async def _end_tasks(self) -> None:
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._client is not None:
            await self._client.close()
            self._client = None
        await self.accounting.close()
        if self._parser is not None:
            await self._parser.aclose()
            self._parser = None

    def _config(self, dbos: Any) -> Any:
        logger = logging.getLogger("dbos")
        if not logger.handlers:  # else it would write to stderr by itself
            logger.addHandler(logging.NullHandler())
        return dbos.DBOSConfig(
            name=APPLICATION,
            system_database_url=self.url,
            executor_id=self.id,
            application_version=VERSION,
            log_level="ERROR",
            # The default is pickle, which runs what it reads from the database.
            serializer=dbos.DBOSPortableJSONSerializer(),
            sys_db_pool_size=10,
        )

    def _keep_beating(self) -> None:
        delete_at = time.monotonic()
        while not self._stopping.wait(self._beat):
            try:
                self.tables.beat(self.id)
                self.recover()
                if time.monotonic() >= delete_at:
                    delete_at = time.monotonic() + DELETE_EVERY
                    self.delete_old()
            except Exception as error:  # the database is away; it may come back
                _log.warning("no heartbeat: %s", type(error).__name__)

    def recover(self) -> list[str]:
        """Queue the jobs of dead processes again; return the ids of those processes."""
        from dbos import DBOS

        pending = DBOS.list_workflows(status="PENDING", load_input=False, load_output=False)
        owners = {w.executor_id for w in pending if w.executor_id}
        dead = sorted(owners - self.tables.live_executors(self._dead) - {self.id})
        if dead:
            _log.warning("going on with the jobs of %d dead processes", len(dead))
            DBOS._recover_pending_workflows(dead)
        self.tables.forget_dead(FORGET)
        return dead

    def delete_old(self, now: datetime | None = None) -> int:
        """Delete the jobs that finished more than `jobs_days` ago; return how many."""
        from dbos import DBOS

        days, deleted = self.settings.jobs_days, 0
        finished = [stored for status in FINISHED for stored in stored_statuses(status)]
        before = (now or datetime.now(UTC)) - timedelta(days=days)
        while days:
            old = DBOS.list_workflows(
                name=JOB, status=finished, completed_before=before.isoformat(),
                limit=DELETE_AT_ONCE, load_input=False, load_output=False,
            )  # fmt: skip
            if not old:
                break
            ids = [workflow.workflow_id for workflow in old]
            DBOS.delete_workflows(ids, delete_children=True)
            self.tables.forget_progress(ids)
            deleted += len(ids)
        return deleted


def running_executor() -> Executor:
    """Return the executor of this process."""
    if _running is None:
        raise RuntimeError("no executor runs in this process")
    return _running


def import_dbos() -> Any:
    """Import DBOS, which takes a second."""
    try:
        import dbos
    except ImportError as error:
        raise MissingExtra("dbos", "server") from error
    # From the first call on: it logs the database's URL at INFO when it migrates.
    logging.getLogger("dbos").setLevel(logging.ERROR)
    define_subsec()
    return dbos


def available_cores() -> int:
    """Return how many cores this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1

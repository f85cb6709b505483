"""The executor by itself: how it starts and ends, whose jobs it takes over, what it deletes."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from dataclasses import replace
from datetime import UTC, datetime
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from kensaku import Settings, client
from kensaku.errors import ConfigError, MissingExtra
from kensaku.extract import ParsePool
from kensaku.jobs import executor as module
from kensaku.jobs.executor import Executor, available_cores, import_dbos, running_executor

URL = "sqlite:///jobs.db"
LONG = 3_600.0  # seconds between two beats: no test waits for one


class FakeDbos(ModuleType):
    """Notes what DBOS is told. `listed` are its answers, one after the other."""

    def __init__(self, events: list[Any]) -> None:
        super().__init__("dbos")
        self.events = events
        self.listed: list[list[Any]] = []
        self.fails = ""  # the call that does
        self.DBOS = self
        self.DBOSConfig = dict

    def __call__(self, *, config: dict[str, Any]) -> None:
        self._told("configure", config)

    class DBOSPortableJSONSerializer:
        """JSON."""

    def launch(self) -> None:
        self._told("launch")

    def destroy(self) -> None:
        self._told("destroy")

    def register_queue(self, name: str, **options: Any) -> None:
        self._told("queue", name, options)

    def list_workflows(self, **filters: Any) -> list[Any]:
        self._told("list", filters)
        return self.listed.pop(0)

    def _recover_pending_workflows(self, executors: list[str]) -> None:
        self._told("recover", executors)

    def delete_workflows(self, ids: list[str], **options: Any) -> None:
        self._told("delete", ids, options)

    def _told(self, name: str, *more: Any) -> None:
        self.events.append((name, *more))
        if name == self.fails:
            raise OSError(name)


class FakeTables:
    """Notes what is written. `live` are the processes whose heart beats."""

    def __init__(self, events: list[Any]) -> None:
        self.events = events
        self.live: set[str] = set()
        self.broken = 0  # beats that fail

    def beat(self, executor: str) -> None:
        self.events.append(("beat", executor))
        if self.broken:
            self.broken -= 1
            raise OSError("away")

    def live_executors(self, within: float) -> set[str]:
        self.events.append(("live", within))
        return self.live

    def forget(self, executors: list[str]) -> None:
        self.events.append(("forget", executors))

    def forget_dead(self, within: float) -> None:
        self.events.append(("forget dead", within))

    def forget_progress(self, jobs: list[str]) -> None:
        self.events.append(("forget progress", jobs))


class FakeAccounting:
    """Notes when it is opened and closed."""

    def __init__(self, events: list[Any]) -> None:
        self.events = events

    async def open(self) -> str:
        self.events.append("open accounting")
        return "usage"

    async def close(self) -> None:
        self.events.append("close accounting")


@pytest.fixture
def events() -> list[Any]:
    """What DBOS and the tables were told, in order."""
    return []


@pytest.fixture
def dbos(events: list[Any], monkeypatch: pytest.MonkeyPatch) -> FakeDbos:
    """DBOS, which takes a second and is one per process, is not started."""
    fake = FakeDbos(events)
    monkeypatch.setitem(sys.modules, "dbos", fake)
    monkeypatch.setattr(module, "define_subsec", lambda: events.append("define subsec"))
    monkeypatch.setattr(module, "import_module", lambda name: events.append(("import", name)))
    return fake


@pytest.fixture
def tables(events: list[Any]) -> FakeTables:
    return FakeTables(events)


@pytest.fixture
def make(dbos: FakeDbos, tables: FakeTables, machine: Any) -> Any:
    def make(**options: Any) -> Executor:
        settings = options.pop("settings", Settings(home=machine))
        return Executor(settings, URL, tables, **options)  # type: ignore[arg-type]

    return make


@pytest.fixture
def opened(events: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Clients that only note what they are made with, and that they are closed."""

    class FakeClient:
        def __init__(self, settings: Settings, *, observers: Any) -> None:
            events.append(("client", settings, observers))

        def for_tenant(self, tenant: str) -> tuple[Any, str]:
            return self, tenant

        async def close(self) -> None:
            events.append("close client")

    monkeypatch.setattr(client, "Kensaku", FakeClient)


def test_it_beats_before_it_takes_jobs(make: Any, dbos: FakeDbos, events: list[Any]) -> None:
    """A job that is marked with a process without a beat would be taken from it at once."""
    executor = make(workers=3, beat=LONG)
    executor.start()
    try:
        assert running_executor() is executor
        assert executor._heart.is_alive()
        assert (executor._heart.name, executor._heart.daemon) == ("kensaku-heart", True)
        (config,) = [event[1] for event in events if event[0] == "configure"]
        assert events == [
            "define subsec",
            ("beat", executor.id),
            ("import", "kensaku.jobs.workflows"),
            ("configure", config),
            ("launch",),
            ("queue", "kensaku-jobs", {"worker_concurrency": 4, "polling_interval_sec": 0.5}),
            ("queue", "kensaku-parts", {"worker_concurrency": 3, "polling_interval_sec": 0.5}),
        ]
        serializer = config.pop("serializer")
        assert isinstance(serializer, dbos.DBOSPortableJSONSerializer)
        assert config == {
            "name": "kensaku",
            "system_database_url": URL,
            "executor_id": executor.id,
            "application_version": "1",
            "log_level": "ERROR",
            "sys_db_pool_size": 10,
        }
    finally:
        events.clear()
        executor.stop()
    assert events == ["define subsec", ("destroy",), ("forget", [executor.id])]
    assert not executor._heart.is_alive()
    with pytest.raises(RuntimeError, match="no executor runs in this process"):
        running_executor()


@pytest.mark.parametrize("call", ["launch", "queue", "configure"])
def test_a_start_that_fails_leaves_nothing(
    make: Any, dbos: FakeDbos, events: list[Any], call: str
) -> None:
    """Another may start afterwards."""
    dbos.fails = call
    failed = make(beat=LONG)
    with pytest.raises(OSError, match=call):
        failed.start()
    assert events[-2:] == [("destroy",), ("forget", [failed.id])]
    assert not failed._heart.is_alive()
    dbos.fails = ""
    second = make(beat=LONG)
    second.start()
    assert running_executor() is second
    second.stop()


def test_a_second_one_is_refused_and_the_first_runs_on(make: Any, events: list[Any]) -> None:
    """DBOS is one per process."""
    first, second = make(beat=LONG), make(beat=LONG)
    first.start()
    try:
        events.clear()
        with pytest.raises(ConfigError, match="this process runs jobs already"):
            second.start()
        assert running_executor() is first
        assert events == ["define subsec"]
        assert first.id != second.id
    finally:
        first.stop()


def test_the_workers_are_those_asked_for_or_the_cores(
    make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process may be bound to some of the cores."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda who: {0, 2, 5} if who == 0 else set())
    assert (make().workers, make(workers=7).workers, available_cores()) == (3, 7, 3)
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 5)
    assert available_cores() == 5
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert available_cores() == 1


def test_the_log_of_dbos_is_errors_alone(dbos: FakeDbos, make: Any) -> None:
    """It writes the database's URL at INFO; without a handler it would write to stderr."""
    log = logging.getLogger("dbos")
    handlers, level = list(log.handlers), log.level
    try:
        log.handlers.clear()
        log.setLevel(logging.INFO)
        assert import_dbos() is dbos
        assert log.level == logging.ERROR
        make()._config(dbos)
        make()._config(dbos)
        (handler,) = log.handlers
        assert type(handler) is logging.NullHandler
    finally:
        log.handlers[:] = handlers
        log.setLevel(level)


def test_without_dbos_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """What to install."""
    monkeypatch.setitem(sys.modules, "dbos", None)
    with pytest.raises(MissingExtra, match=r"kensaku\[server\]"):
        import_dbos()


async def test_a_client_and_a_parser_serve_all_jobs(
    make: Any, events: list[Any], opened: None
) -> None:
    """They are opened with the first job, and closed with the last."""
    executor = make(workers=3, observers=iter(["watcher"]))
    executor.accounting = FakeAccounting(events)
    async with executor.running():
        client, tenant = executor.client("acme")
        assert tenant == "acme"
        parser = executor.parser
        assert isinstance(parser, ParsePool)
        assert parser._free._value == 3
        async with executor.running():
            assert executor.client("")[0] is client
            assert executor.parser is parser
    made = ("client", executor.settings, ("watcher", "usage"))
    assert events == ["open accounting", made, "open accounting"]
    assert executor._tasks == set()

    events.clear()
    await asyncio.to_thread(executor.stop)
    assert events[:2] == ["close client", "close accounting"]
    assert parser._closed
    assert executor._client is executor._parser is None


async def test_a_stop_cancels_what_runs(make: Any, events: list[Any], opened: None) -> None:
    """What it has opened is closed after the work that uses it has ended."""
    executor = make()
    executor.accounting = FakeAccounting(events)
    began = asyncio.Event()

    async def work() -> None:
        async with executor.running():
            began.set()
            try:
                await asyncio.Event().wait()
            finally:
                events.append("end of the work")

    task = asyncio.create_task(work())
    await began.wait()
    assert executor._tasks == {task}
    events.clear()
    await asyncio.to_thread(executor.stop)

    assert task.cancelled()
    assert events == [
        "end of the work", "close client", "close accounting", "define subsec", ("destroy",),
        ("forget", [executor.id]),
    ]  # fmt: skip


async def test_nothing_is_begun_while_it_stops(make: Any, events: list[Any], opened: None) -> None:
    """A job that DBOS still hands out waits until it is cancelled, and goes on elsewhere."""
    executor = make()
    executor.accounting = FakeAccounting(events)
    executor._stopping.set()

    async def work() -> None:
        async with executor.running():
            events.append("began")

    task = asyncio.create_task(work())
    await asyncio.sleep(0)
    assert executor._tasks == {task}
    await asyncio.to_thread(executor.stop)

    assert task.cancelled()
    assert events == ["close accounting", "define subsec", ("destroy",), ("forget", [executor.id])]


def beating(executor: Executor, beats: int, monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Let a heart beat so many times, as time is advanced by it; return the intervals."""
    waited: list[float] = []

    def wait(seconds: float) -> bool:
        waited.append(seconds)
        return len(waited) > beats

    executor._stopping = SimpleNamespace(wait=wait)  # type: ignore[assignment]
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: 1e6 + sum(waited)))
    executor._keep_beating()
    return waited


def test_every_beat_is_written_and_looks_for_dead_processes(
    make: Any, dbos: FakeDbos, events: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every two seconds; who has not beaten for fifteen is dead; a day later it is forgotten."""
    executor, done = make(), list[str]()
    dbos.listed = [[], []]
    monkeypatch.setattr(executor, "delete_old", lambda: done.append("delete"))

    assert beating(executor, 2, monkeypatch) == [2.0, 2.0, 2.0]
    pending = {"status": "PENDING", "load_input": False, "load_output": False}
    beat = [("beat", executor.id), ("list", pending), ("live", 15.0), ("forget dead", 86_400.0)]
    assert events == beat * 2
    assert done == ["delete"]


def test_old_jobs_are_deleted_every_hour(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """And at the first beat: a process may not live for an hour."""
    executor, done = make(beat=1_800.0), list[str]()
    monkeypatch.setattr(executor, "recover", lambda: done.append("recover"))
    monkeypatch.setattr(executor, "delete_old", lambda: done.append("delete"))

    beating(executor, 5, monkeypatch)
    assert done == ["recover", "delete", "recover", "recover", "delete", "recover", "recover",
                    "delete"]  # fmt: skip


def test_a_beat_that_fails_is_not_the_last(
    make: Any, tables: FakeTables, monkeypatch: pytest.MonkeyPatch, caplog: Any
) -> None:
    """The database is away, and comes back. What it said may hold its address."""
    executor, done = make(), list[str]()
    monkeypatch.setattr(executor, "recover", lambda: done.append("recover"))
    monkeypatch.setattr(executor, "delete_old", lambda: done.append("delete"))
    tables.broken = 2

    beating(executor, 4, monkeypatch)
    assert done == ["recover", "delete", "recover"]
    assert caplog.messages == ["no heartbeat: OSError"] * 2


def test_the_jobs_of_dead_processes_are_taken_over(
    make: Any, dbos: FakeDbos, tables: FakeTables, events: list[Any]
) -> None:
    """Neither one's own, nor those of a live process, nor those that nobody has begun."""
    executor = make(dead=7.0)
    owners = ["dead-b", "live", "", None, executor.id, "dead-a", "dead-b"]
    dbos.listed = [[SimpleNamespace(executor_id=owner) for owner in owners]]
    tables.live = {"live", "idle"}

    assert executor.recover() == ["dead-a", "dead-b"]
    assert events[1:] == [
        ("live", 7.0),
        ("recover", ["dead-a", "dead-b"]),
        ("forget dead", 86_400.0),
    ]
    events.clear()
    dbos.listed = [[SimpleNamespace(executor_id="live")]]
    assert executor.recover() == []
    assert events[1:] == [("live", 7.0), ("forget dead", 86_400.0)]


def test_finished_jobs_are_deleted_some_at_a_time(
    make: Any, dbos: FakeDbos, events: list[Any], machine: Any
) -> None:
    """With their parts and their progress, until there are none that old."""
    executor = make(settings=Settings(home=machine, jobs_days=30))
    dbos.listed = [[SimpleNamespace(workflow_id=n) for n in "abc"],
                   [SimpleNamespace(workflow_id="d")], []]  # fmt: skip

    assert executor.delete_old(datetime(2026, 11, 16, 12, tzinfo=UTC)) == 4
    asked = {
        "name": "kensaku_job",
        "status": ["SUCCESS", "ERROR", "MAX_RECOVERY_ATTEMPTS_EXCEEDED", "CANCELLED"],
        "completed_before": "2026-10-17T12:00:00+00:00",
        "limit": 200,
        "load_input": False,
        "load_output": False,
    }
    assert events == [
        ("list", asked),
        ("delete", ["a", "b", "c"], {"delete_children": True}),
        ("forget progress", ["a", "b", "c"]),
        ("list", asked),
        ("delete", ["d"], {"delete_children": True}),
        ("forget progress", ["d"]),
        ("list", asked),
    ]


def test_jobs_are_kept_for_ever_when_no_days_are_set(
    make: Any, events: list[Any], machine: Any
) -> None:
    """Nothing is even asked."""
    executor = make(settings=replace(Settings(home=machine), jobs_days=0))

    assert executor.delete_old() == 0
    assert events == []

"""Opening the database: a private file, PostgreSQL, and typed failures without the URL."""

from __future__ import annotations

import asyncio
import gc
import os
import random
import sqlite3
import stat
import subprocess
import sys
import threading
import traceback
from contextlib import AsyncExitStack, suppress
from datetime import UTC, datetime
from uuid import uuid4

import pytest
from sqlalchemy import insert, select, text
from sqlalchemy.exc import DBAPIError, OperationalError, SQLAlchemyError

from kensaku import Settings
from kensaku.database import Database, sqlite_threads, url_of
from kensaku.database.engine import faults
from kensaku.database.tables import UPDATES
from kensaku.errors import ConfigError, DatabaseFault, MissingExtra

PASSWORD = "hunter2-CANARY"


def test_the_default_is_a_file_in_home(machine):
    """PostgreSQL is a URL in the settings."""
    assert url_of(Settings(home=machine)) == f"sqlite:///{machine / 'kensaku.db'}"
    assert url_of(Settings(home=machine, database_url="postgresql://h/n")) == "postgresql://h/n"


@pytest.mark.usefixtures("processes")
def test_the_file_is_private_whatever_the_umask(tmp_path):
    """Hashes of keys, and who searched how much, are nobody else's business."""
    home = tmp_path / "a" / "b" / "home"
    code = (
        "import asyncio, os; os.umask(0)\n"
        "from kensaku import Settings; from kensaku.database import Database\n"
        f"asyncio.run(Database.open(Settings(home={str(home)!r})))\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)

    files = {path: stat.S_IMODE(path.stat().st_mode) for path in home.iterdir()}
    assert files
    assert set(files.values()) == {0o600}
    for folder in (home, home.parent, home.parent.parent):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


async def test_who_writes_to_the_file_waits_for_a_turn(machine):
    """SQLite lets them in no order: of many that came together, some waited until they failed."""
    database = await Database.open(Settings(home=machine))
    turns = list[int]()

    async def write(n: int) -> None:
        async with database.write():
            turns.append(n)

    await asyncio.gather(*map(write, range(50)))
    await database.close()

    assert turns == list(range(50))


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("link.db", "link.db is a symbolic link, and is not followed"),
        ("folder.db", "the database folder.db cannot be opened: Is a directory"),
        ("file/a.db", "the database a.db cannot be opened: Not a directory"),
    ],
)
async def test_what_is_no_file_of_ones_own_is_refused(machine, tmp_path, name, why):
    """A link could point at a file of somebody else; the name alone is said."""
    (tmp_path / "link.db").symlink_to(tmp_path / "target")
    (tmp_path / "folder.db").mkdir()
    (tmp_path / "file").touch()

    with pytest.raises(DatabaseFault) as fault:
        await Database.open(Settings(home=machine, database_url=f"sqlite:///{tmp_path / name}"))
    assert fault.value.message == why
    assert not (tmp_path / "target").exists()


async def test_a_file_that_others_can_read_is_warned_of(machine, caplog):
    """Its mode is left as it is, and that of a folder that was there."""
    machine.mkdir(mode=0o755)
    path = machine / "kensaku.db"
    for mode, said in (
        (0o600, []),
        (0o640, ["other users may read kensaku.db; run: chmod 600 on it"]),
    ):
        path.touch()
        path.chmod(mode)
        await (await Database.open(Settings(home=machine))).close()
        assert caplog.messages == said
        assert stat.S_IMODE(path.stat().st_mode) == mode
    assert stat.S_IMODE(machine.stat().st_mode) == 0o755


async def test_a_connection_to_the_file_waits_syncs_and_follows_keys(file_db):
    """A revoked key stays revoked after a power failure; WAL only where it can be trusted."""
    names = ("busy_timeout", "synchronous", "foreign_keys", "journal_mode")
    async with file_db.read() as connection:
        found = [
            (await connection.exec_driver_sql(f"PRAGMA {name}")).scalar_one() for name in names
        ]

    journal = "wal" if sqlite3.sqlite_version_info >= (3, 51, 3) else "truncate"
    assert found == [10_000, 2, 1, journal]


async def test_what_was_written_is_read_by_another_connection(db):
    """And a transaction that fails leaves nothing."""
    async with db.write() as connection:
        await connection.execute(text("CREATE TABLE t (n INTEGER)"))
        await connection.execute(text("INSERT INTO t VALUES (1)"))
    with suppress(ZeroDivisionError):
        async with db.write() as connection:
            await connection.execute(text("INSERT INTO t VALUES (2)"))
            raise ZeroDivisionError

    async with db.read() as connection:
        assert (await connection.execute(text("SELECT n FROM t"))).scalars().all() == [1]
    await db.ping()


async def test_writers_wait_for_each_other(settings):
    """Four processes' worth of connections, 200 writes, none of them lost or refused."""
    databases = [await Database.open(settings) for _ in range(4)]
    async with databases[0].write() as connection:
        await connection.execute(text("CREATE TABLE t (n INTEGER)"))
        await connection.execute(text("INSERT INTO t VALUES (0)"))

    async def add(database: Database) -> None:
        async with database.write() as connection:
            await connection.execute(text("UPDATE t SET n = n + 1"))

    await asyncio.gather(*(add(databases[n % 4]) for n in range(200)))

    async with databases[0].read() as connection:
        assert await connection.scalar(text("SELECT n FROM t")) == 200
    for database in databases:
        await database.close()


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        (f"postgresql://user:{PASSWORD}@127.0.0.1:1/name", DatabaseFault),
        (f"postgresql://user:{PASSWORD}@127.0.0.1:port/name", ConfigError),
        (f"mysql://user:{PASSWORD}@127.0.0.1/name", ConfigError),
        (f"{PASSWORD}", ConfigError),
        ("sqlite://", ConfigError),
        ("sqlite:///:memory:", ConfigError),
        ("sqlite:///file:x?uri=true", ConfigError),
        ("sqlite:////proc/nowhere/x.db", DatabaseFault),
    ],
)
async def test_a_database_that_cannot_be_opened_is_said_without_its_password(url, kind, machine):
    """Neither in the sentence nor in what a traceback prints."""
    with pytest.raises(kind) as caught:
        await Database.open(Settings(home=machine, database_url=url))

    shown = "".join(traceback.format_exception(caught.value)) + repr(vars(caught.value))
    assert PASSWORD not in shown


async def test_a_wrong_password_is_said_without_it(postgres, machine):
    """PostgreSQL itself refuses it here, over TCP or by there being no such role."""
    uri = postgres.get_uri().replace("postgres:", f"nobody:{PASSWORD}", 1)

    with pytest.raises(DatabaseFault) as caught:
        await Database.open(Settings(home=machine, database_url=uri))

    assert PASSWORD not in "".join(traceback.format_exception(caught.value))


async def test_a_file_that_is_no_database_is_refused_and_left_as_it_was(machine):
    """It may be somebody's diary."""
    machine.mkdir(mode=0o700)
    path = machine / "kensaku.db"
    path.write_bytes(b"Dear diary, " * 1000)
    path.chmod(0o600)

    with pytest.raises(DatabaseFault, match="not a database"):
        await Database.open(Settings(home=machine))
    assert path.read_bytes() == b"Dear diary, " * 1000


async def test_a_database_that_goes_away_is_a_fault_and_comes_back(postgres, settings):
    """The server was restarted: the next transaction works again."""
    if not settings.database_url:
        pytest.skip("SQLite has no server")
    import psycopg

    database = await Database.open(settings)
    await database.ping()
    with psycopg.connect(postgres.get_uri(), autocommit=True) as admin:
        admin.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = "
            f"'{settings.database_url.rsplit('/', 1)[-1].partition('?')[0]}'"
        )

    await database.ping()
    await database.close()


async def test_a_database_that_hangs_is_given_up(db, clock):
    """No request waits for ever."""
    started = asyncio.Event()

    async def hold() -> None:
        async with db.read():
            started.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(hold())
    await started.wait()
    clock.advance(3600)

    with pytest.raises(DatabaseFault, match="did not answer"):
        await task


async def test_ten_connections_are_opened_at_most(db):
    """Who comes eleventh waits: a server has a bound of its own."""
    async with AsyncExitStack() as others:
        for _ in range(10):
            await others.enter_async_context(db.read())
        eleventh = asyncio.create_task(db.ping())
        done, _ = await asyncio.wait([eleventh], timeout=0.2)

        assert not done
    await eleventh


def test_other_errors_pass():
    """A mistake of ours is not a failure of the database."""
    with pytest.raises(KeyError), faults():
        raise KeyError("x")


@pytest.mark.usefixtures("processes")
def test_nothing_is_imported_by_asking_for_the_url():
    """Every command knows the setting; SQLAlchemy takes a second."""
    code = "import sys, kensaku.database as d; d.url_of; assert 'sqlalchemy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ})


def refused(kind, message="no", **more):
    """An error of SQLAlchemy around one of a driver."""
    cause = sqlite3.OperationalError(message) if "sqlstate" not in more else Exception(message)
    for name, value in more.items():
        setattr(cause, name, value)
    return kind("SELECT 1", {}, cause)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            refused(OperationalError, sqlite_errorname="SQLITE_BUSY"),
            "another process holds the lock of the database",
        ),
        (refused(OperationalError, sqlstate=None), "the database cannot be connected to"),
        (refused(OperationalError, sqlstate="57P01"), "the database refused: OperationalError"),
        (refused(DBAPIError, sqlstate=None), "the database refused: DBAPIError"),
        (refused(OperationalError, "x" * 200), f"the database failed: {'x' * 100}"),
        (SQLAlchemyError("no"), "the database refused: SQLAlchemyError"),
    ],
)
def test_what_failed_is_said(error, said):
    """Without what the driver said, which may repeat the URL."""
    with pytest.raises(DatabaseFault) as fault, faults():
        raise error
    assert fault.value.message == said
    assert fault.value.__suppress_context__


async def test_who_reads_does_not_wait_for_who_writes(file_db, machine):
    """A transaction that writes has the lock from its beginning; one that reads takes none."""
    other = sqlite3.connect(machine / "kensaku.db", timeout=0, isolation_level=None)
    async with file_db.read():
        other.execute("BEGIN IMMEDIATE")
        other.execute("ROLLBACK")
    async with file_db.write():
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            other.execute("BEGIN IMMEDIATE")
    other.close()


async def test_a_driver_that_is_missing_is_named(machine, monkeypatch):
    """With the extra that has it."""
    monkeypatch.setitem(sys.modules, "aiosqlite", None)
    with pytest.raises(MissingExtra, match="aiosqlite"):
        await Database.open(Settings(home=machine))


@pytest.fixture
def slow_disk(monkeypatch):
    """`opening` is set when a connection begins to open, which it does when `go_on` is set."""
    opening, go_on = threading.Event(), threading.Event()

    class SlowConnection(sqlite_threads.Connection):
        def __init__(self, *args, **kwargs):
            opening.set()
            go_on.wait()
            super().__init__(*args, **kwargs)

    def begin():
        monkeypatch.setattr(sqlite_threads, "Connection", SlowConnection)

    return begin, opening, go_on


def test_no_thread_outlives_the_database(machine, slow_disk):
    """A caller that is cancelled while its connection opens leaves none behind."""
    begin, opening, go_on = slow_disk

    async def read(database):
        async with database.read():
            pass

    async def main():
        database = await Database.open(Settings(home=machine))
        begin()
        async with database.read():  # the pool's connection is taken: a second one is opened
            reading = asyncio.create_task(read(database))
            await asyncio.to_thread(opening.wait)
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)
        asyncio.get_running_loop().call_later(0.05, go_on.set)
        await database.close()

    before = set(threading.enumerate())
    asyncio.run(main())

    assert set(threading.enumerate()) == before


def test_who_is_cancelled_while_a_database_opens_leaves_no_thread(machine, slow_disk):
    """A chat that ends before its first question, say."""
    begin, opening, go_on = slow_disk

    async def main():
        begin()
        task = asyncio.create_task(Database.open(Settings(home=machine)))
        await asyncio.to_thread(opening.wait)
        task.cancel()
        asyncio.get_running_loop().call_later(0.05, go_on.set)
        (ended,) = await asyncio.gather(task, return_exceptions=True)
        assert isinstance(ended, asyncio.CancelledError)

    before = set(threading.enumerate())
    asyncio.run(main())

    assert set(threading.enumerate()) == before


async def test_cancelled_callers_leave_no_lock_behind(file_db):
    """SQLite keeps a closed connection whose statement is alive; the collector may come late."""
    chance = random.Random(2)
    gc.disable()
    try:
        for _ in range(100):
            tasks = [asyncio.create_task(use(file_db, write=n > 0)) for n in range(4)]
            await asyncio.sleep(chance.uniform(0, 0.012))
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await use(file_db, write=True)  # fails if another connection holds the lock
    finally:
        gc.enable()


async def use(db: Database, *, write: bool) -> None:
    row = {"channel": "test", "id": uuid4().hex, "seen": datetime.now(UTC)}
    async with db.write() if write else db.read() as connection:
        await connection.execute(insert(UPDATES).values(row) if write else select(UPDATES))
        await connection.execute(select(UPDATES))

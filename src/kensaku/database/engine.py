"""The server's database: one engine by URL, with the tables of this version.

    Database.open(settings) → private file | PostgreSQL → migrate → connections for reads and writes

Every failure of the database is a `DatabaseFault`, without the URL.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, Any

from kensaku.database import url_of
from kensaku.errors import DatabaseFault, MissingExtra
from kensaku.messages import msg

try:
    from sqlalchemy import URL, Connection, event, text
    from sqlalchemy.exc import DBAPIError, OperationalError, SQLAlchemyError
    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
except ImportError:
    raise MissingExtra("SQLAlchemy", "database") from None

from kensaku.database.connection import CONNECT_SECONDS, parse_url, refusal
from kensaku.database.key_mark import KeyMark
from kensaku.database.migrate import VERSION_TABLE, migrate
from kensaku.database.sqlite_file import PRAGMAS, is_locked, make_private, path_of
from kensaku.database.sqlite_threads import SqliteThreads

if TYPE_CHECKING:
    from kensaku.config.settings import Settings

OPERATION_SECONDS = 15.0  # after which a caller gets an error; SQLite waits less for its lock
POOL = 5  # connections that stay open; as many again under load


class Database:
    """Connections to the database. One per process; safe to use from many tasks."""

    def __init__(self, engine: AsyncEngine, threads: SqliteThreads, key_mark: KeyMark) -> None:
        self._engine, self._threads, self.key_mark = engine, threads, key_mark
        self.dialect = engine.dialect.name
        # SQLite has one lock, and lets those who wait for it in no order: some would time out.
        self._writing = asyncio.Lock() if self.dialect == "sqlite" else nullcontext()

    @classmethod
    async def open(cls, settings: Settings) -> Database:
        """Connect and bring the tables up to date. Raises `DatabaseFault` or `ConfigError`.

        Of several processes that open a database at once, one migrates and the others wait.
        """
        url = parse_url(url_of(settings))
        if url.get_backend_name() == "sqlite":
            await asyncio.to_thread(make_private, path_of(url))
        with faults():
            await asyncio.to_thread(migrate, url)
        try:
            threads = SqliteThreads()
            database = cls(_engine(url, threads), threads, KeyMark(settings.home))
            try:
                await database.ping()
            except BaseException:  # also when the caller is cancelled: no thread stays behind
                await database.close()
                raise
        except ImportError:
            raise MissingExtra(
                msg("{first} or {second}", first="aiosqlite", second="greenlet"), "database"
            ) from None
        return database

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncConnection]:
        """A transaction that reads."""
        async with self._begin(write=False) as connection:
            yield connection

    @asynccontextmanager
    async def write(self) -> AsyncIterator[AsyncConnection]:
        """A transaction that writes: commits at the end, rolls back after an exception."""
        async with self._begin(write=True) as connection:
            yield connection

    async def ping(self) -> None:
        """Raise `DatabaseFault` if the database does not answer."""
        async with self.read() as connection:
            await connection.execute(text("SELECT 1"))

    async def check(self) -> None:
        """Raise `DatabaseFault` if nothing can be written: its disk is full, it is a standby …"""
        async with self.write() as connection:
            same = f"UPDATE {VERSION_TABLE} SET version_num = version_num"
            await connection.execute(text(same))

    async def close(self) -> None:
        """Close all connections, those of cancelled callers too."""
        await self._engine.dispose()
        await self._threads.join()

    @asynccontextmanager
    async def _begin(self, *, write: bool) -> AsyncIterator[AsyncConnection]:
        turn = self._writing if write else nullcontext()
        with faults():
            async with (
                asyncio.timeout(OPERATION_SECONDS),
                turn,
                self._engine.connect() as connection,
            ):
                await connection.execution_options(kensaku_write=write)
                async with connection.begin():
                    yield connection


@contextmanager
def faults() -> Iterator[None]:
    """Turn the errors of SQLAlchemy and of drivers into `DatabaseFault`."""
    try:
        yield
    except TimeoutError:
        raise DatabaseFault(
            msg(
                "the database did not answer within {operation_seconds:g} s",
                operation_seconds=OPERATION_SECONDS,
            ),
            remedy=msg("look at the load of its server"),
        ) from None
    except SQLAlchemyError as error:
        # `from None`: the driver's text may repeat parts of the URL.
        raise _fault(error) from None


def _fault(error: SQLAlchemyError) -> DatabaseFault:
    if is_locked(error):
        return DatabaseFault(
            msg("another process holds the lock of the database"),
            remedy=msg("try again, or use PostgreSQL for several servers (KENSAKU_DATABASE_URL)"),
        )
    cause = error.orig if isinstance(error, DBAPIError) else None
    if isinstance(error, OperationalError) and getattr(cause, "sqlstate", "") is None:
        return DatabaseFault(
            msg("the database cannot be connected to"),
            remedy=msg("check KENSAKU_DATABASE_URL, and that its server runs"),
        )
    if type(cause).__module__ == "sqlite3":
        is_full = getattr(cause, "sqlite_errorname", "").startswith(("SQLITE_FULL", "SQLITE_IOERR"))
        remedy = msg("check the disk of KENSAKU_HOME, and free some space on it") if is_full else ""
        return DatabaseFault(
            msg("the database failed: {cause}", cause=str(cause)[:100]), remedy=remedy
        )
    return DatabaseFault(msg("the database refused: {refusal}", refusal=refusal(error)))


def _engine(url: URL, threads: SqliteThreads) -> AsyncEngine:
    if url.get_backend_name() == "sqlite":
        url = url.set(drivername="sqlite+aiosqlite")
        options = {"factory": threads.connect}
        engine = create_async_engine(url, pool_size=POOL, max_overflow=POOL, connect_args=options)
        threads.watch(engine)
        event.listen(engine.sync_engine, "connect", _configure_sqlite)
        event.listen(engine.sync_engine, "begin", _begin_sqlite)
        return engine
    return create_async_engine(
        url,
        pool_size=POOL,
        max_overflow=POOL,
        pool_pre_ping=True,  # the server may have been restarted
        # A pooler may hand the next transaction to a server without our prepared statements.
        connect_args={"connect_timeout": CONNECT_SECONDS, "prepare_threshold": None},
    )


def _configure_sqlite(connection: Any, _: object) -> None:
    connection.isolation_level = None  # `_begin_sqlite` begins the transactions
    cursor = connection.cursor()
    for pragma in PRAGMAS:
        with suppress(sqlite3.OperationalError):  # others use the file: its journal stays
            cursor.execute(pragma)
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    # A transaction that begins by reading and then writes could not wait for the lock.
    write = connection.get_execution_options().get("kensaku_write", True)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")

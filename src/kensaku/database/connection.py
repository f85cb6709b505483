"""Connections to SQLite and PostgreSQL, and transactions that take turns."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError

from kensaku.errors import ConfigError, MissingExtra
from kensaku.messages import msg

__all__ = ["LOCK", "connect", "parse_url", "refusal", "transaction"]

LOCK = 0x6B656E73616B75  # "kensaku": the key of the advisory lock
LOCK_SECONDS = 5.0  # that SQLite waits for another writer
CONNECT_SECONDS = 10  # that PostgreSQL may take to accept a connection
_THREADS = Lock()


@contextmanager
def connect(
    url: str | URL, *, write: bool = True, lock_seconds: float = LOCK_SECONDS
) -> Iterator[Connection]:
    """Connect to a database by its URL."""
    parsed = parse_url(url)
    is_sqlite = parsed.get_backend_name() == "sqlite"
    waits = {"timeout": lock_seconds} if is_sqlite else {"connect_timeout": CONNECT_SECONDS}
    engine = create_engine(parsed, connect_args=waits)
    if is_sqlite:
        _prepare_sqlite(engine, "BEGIN IMMEDIATE" if write else "BEGIN")
    try:
        with engine.connect() as connection:
            yield connection
    finally:
        engine.dispose()


@contextmanager
def transaction(connection: Connection) -> Iterator[None]:
    """Commit everything or nothing. Another thread or process that registers waits its turn."""
    with _THREADS, connection.begin():  # Alembic keeps its state in globals
        if connection.dialect.name == "postgresql":
            # Of the transaction, not of the session: a pooler may give the next to another.
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": LOCK})
        yield


def refusal(error: Exception) -> str:
    """Say why the database refused, without its address, which may hold a password."""
    diagnostics = getattr(error.orig, "diag", None) if isinstance(error, DBAPIError) else None
    return getattr(diagnostics, "message_primary", None) or type(error).__name__


def parse_url(url: str | URL) -> URL:
    """Read a URL and choose the driver. Raises `ConfigError`, which does not repeat the URL."""
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        raise ConfigError(
            msg("the URL of the database cannot be read"),
            remedy=msg("write postgresql://user:password@host/name or sqlite:///path"),
        ) from None
    if parsed.get_backend_name() not in ("sqlite", "postgresql", "postgres"):
        raise ConfigError(
            msg(
                "{drivername} is not supported; use SQLite or PostgreSQL",
                drivername=parsed.drivername,
            )
        )
    if parsed.drivername not in ("postgresql", "postgres"):
        return parsed
    try:
        import psycopg  # noqa: F401 - SQLAlchemy's own default is its predecessor
    except ImportError:
        raise MissingExtra("psycopg", "postgres") from None
    return parsed.set(drivername="postgresql+psycopg")


def _prepare_sqlite(engine: Engine, begin: str) -> None:
    def opened(connection: Any, _: object) -> None:
        connection.isolation_level = None  # the driver begins no transaction before a CREATE
        connection.execute("PRAGMA foreign_keys = ON")

    def begun(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    event.listen(engine, "connect", opened)
    event.listen(engine, "begin", begun)

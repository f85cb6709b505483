"""Connections by URL: which drivers, how long they wait, and what a transaction locks."""

from __future__ import annotations

import sqlite3
import sys
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import Engine, make_url, text
from sqlalchemy.exc import DBAPIError, OperationalError

from kensaku.database import connection as module
from kensaku.database.connection import LOCK, connect, parse_url, refusal, transaction
from kensaku.errors import ConfigError, MissingExtra


@pytest.mark.parametrize(
    ("url", "driver"),
    [
        ("sqlite:///a.db", "sqlite"),
        ("sqlite+aiosqlite:///a.db", "sqlite+aiosqlite"),
        ("postgresql://host/name", "postgresql+psycopg"),
        ("postgres://host/name", "postgresql+psycopg"),
        ("postgresql+psycopg://host/name", "postgresql+psycopg"),
        ("postgresql+asyncpg://host/name", "postgresql+asyncpg"),
    ],
)
def test_a_driver_is_chosen_unless_one_is_named(url: str, driver: str) -> None:
    """SQLAlchemy's own choice is the predecessor of ours."""
    assert parse_url(url).drivername == driver
    assert parse_url(make_url(url)).drivername == driver


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("nonsense-hunter2", "the URL of the database cannot be read"),
        ("postgresql://me:hunter2@host:port/name", "the URL of the database cannot be read"),
        ("mysql://me:hunter2@host/name", "mysql is not supported; use SQLite or PostgreSQL"),
    ],
)
def test_another_url_is_refused_without_being_repeated(url: str, why: str) -> None:
    """It may hold a password."""
    with pytest.raises(ConfigError) as refused:
        parse_url(url)
    assert refused.value.message == why
    assert "hunter2" not in str(refused.value)
    assert refused.value.__suppress_context__ or "mysql" in url


def test_without_psycopg_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite needs none."""
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtra, match=r"kensaku\[postgres\]"):
        parse_url("postgresql://host/name")
    assert parse_url("sqlite:///a.db").database == "a.db"


class Refused(Exception):
    """What a driver raises; PostgreSQL adds its own words."""

    def __init__(self, said: str | None = None) -> None:
        super().__init__("postgresql://me:hunter2@host")
        if said is not None:
            self.diag = SimpleNamespace(message_primary=said)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (DBAPIError("SELECT 1", {}, Refused('role "me" does not exist')), 'role "me" does not exist'),
        (DBAPIError("SELECT 1", {}, Refused("")), "DBAPIError"),
        (OperationalError("SELECT 1", {}, Refused()), "OperationalError"),
        (ValueError("hunter2"), "ValueError"),
    ],
)  # fmt: skip
def test_a_refusal_is_said_without_the_address(error: Exception, said: str) -> None:
    """In the database's own words if there are any."""
    assert refusal(error) == said


@pytest.fixture
def engines(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict[str, Any]]]:
    """The driver of each engine that is made, and what its connections are made with."""
    made: list[tuple[str, dict[str, Any]]] = []
    create = module.create_engine

    def noted(url: Any, *, connect_args: dict[str, Any]) -> Engine:
        made.append((url.drivername, connect_args))
        return create("sqlite://")

    monkeypatch.setattr(module, "create_engine", noted)
    return made


@pytest.mark.parametrize(
    ("url", "options", "given"),
    [
        ("sqlite:///a.db", {}, ("sqlite", {"timeout": 5.0})),
        ("sqlite:///a.db", {"lock_seconds": 60.0}, ("sqlite", {"timeout": 60.0})),
        ("postgresql://host/name", {}, ("postgresql+psycopg", {"connect_timeout": 10})),
    ],
)
def test_a_connection_waits_for_a_while(
    url: str, options: dict[str, float], given: Any, engines: list[Any]
) -> None:
    """For another writer, or for the server."""
    with connect(url, **options):
        assert engines == [given]


@pytest.mark.parametrize(("options", "locks"), [({}, True), ({"write": False}, False)])
def test_only_who_writes_takes_the_lock(tmp_path: Any, options: Any, locks: bool) -> None:
    """From the beginning of a transaction: what reads first could not wait for it."""
    path = tmp_path / "a.db"
    other = sqlite3.connect(path, timeout=0, isolation_level=None)
    with connect(f"sqlite:///{path}", **options) as connection:
        assert connection.scalar(text("PRAGMA foreign_keys")) == 1
        if locks:
            with pytest.raises(sqlite3.OperationalError, match="locked"):
                other.execute("BEGIN IMMEDIATE")
        else:
            other.execute("BEGIN IMMEDIATE")
    other.close()


def test_a_transaction_is_all_or_nothing(tmp_path: Any) -> None:
    """Tables, too: the driver of SQLite would commit before a CREATE."""
    url = f"sqlite:///{tmp_path / 'a.db'}"
    with connect(url) as connection, suppress(ZeroDivisionError), transaction(connection):
        connection.execute(text("CREATE TABLE t (n INTEGER)"))
        raise ZeroDivisionError
    with connect(url) as connection, transaction(connection):
        connection.execute(text("CREATE TABLE t (n INTEGER)"))
    with connect(url, write=False) as connection:
        assert connection.scalar(text("SELECT count(*) FROM t")) == 0


def test_a_transaction_of_postgresql_takes_turns(postgresql: str) -> None:
    """By a lock that ends with it."""
    held = text(
        "SELECT (classid::bigint << 32) + objid::bigint FROM pg_locks WHERE locktype = 'advisory'"
    )
    with connect(postgresql) as connection:
        with transaction(connection):
            assert list(connection.scalars(held)) == [LOCK]
        assert list(connection.scalars(held)) == []
    assert LOCK.to_bytes(7, "big") == b"kensaku"

"""Connections by URL: which drivers, how long they wait, and what a transaction locks."""

from __future__ import annotations

import sqlite3
import sys
from contextlib import suppress
from traceback import format_exception
from typing import Any

import pytest
from sqlalchemy import make_url, text
from sqlalchemy.exc import DBAPIError, OperationalError

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
    "url",
    [
        "nonsense-hunter2",
        "postgresql://me:hunter2@host:port/name",
        "mysql://me:hunter2@host/name",
    ],
)
def test_another_url_is_refused_without_being_repeated(url: str) -> None:
    """It may hold a password; neither the error nor its traceback says it."""
    with pytest.raises(ConfigError) as refused:
        parse_url(url)
    shown = [line for line in format_exception(refused.value) if "tests" not in line]
    assert "hunter2" not in "".join(shown)


def test_without_psycopg_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite needs none."""
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtra) as missing:
        parse_url("postgresql://host/name")
    assert missing.value.extra == "postgres"
    assert parse_url("sqlite:///a.db").database == "a.db"


def test_a_refusal_is_said_without_the_address(postgresql: str) -> None:
    """In the database's own words if there are any; a driver's may hold the password."""
    driver = Exception("postgresql://me:hunter2@host")
    with connect(postgresql) as connection, pytest.raises(DBAPIError) as refused:
        connection.execute(text("SELECT nonsense"))

    assert refusal(refused.value) == 'column "nonsense" does not exist'
    assert refusal(OperationalError("SELECT 1", {}, driver)) == "OperationalError"
    assert refusal(ValueError("hunter2")) == "ValueError"


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

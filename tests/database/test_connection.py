"""Connections by URL: which drivers, how long they wait, and what a transaction locks."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from typing import Any

import pytest
from sqlalchemy import make_url, text
from sqlalchemy.exc import DBAPIError, OperationalError

from kensaku.database.connection import connect, parse_url, refusal, transaction


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

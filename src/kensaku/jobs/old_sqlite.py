"""DBOS on SQLite older than 3.42, which Debian 12 and several builds of Python link.

From Python 3.12 on, DBOS reads the time by `unixepoch('subsec')`. Older SQLite does not know that
modifier and returns NULL, which the NOT NULL columns of DBOS refuse. We define the function on the
connections of DBOS. Its schema stays as it is, so a newer SQLite goes on with the same file.
"""

from __future__ import annotations

import sqlite3
import time
from functools import cache
from typing import Any

FIRST_WITH_SUBSEC = (3, 42)


@cache
def define_subsec() -> None:
    """Have DBOS's connections know `unixepoch('subsec')`. Imports DBOS."""
    if sqlite3.sqlite_version_info >= FIRST_WITH_SUBSEC:
        return
    from dbos._sys_db_sqlite import SQLiteSystemDatabase
    from sqlalchemy import Engine, event

    original = SQLiteSystemDatabase._create_engine

    def create_engine(self: SQLiteSystemDatabase, *args: Any, **options: Any) -> Engine:
        engine = original(self, *args, **options)
        event.listen(engine, "connect", _define)
        return engine

    SQLiteSystemDatabase._create_engine = create_engine  # type: ignore[method-assign]


def _define(connection: sqlite3.Connection, _: object) -> None:
    connection.create_function("unixepoch", 1, _unixepoch)


def _unixepoch(modifier: str) -> float:
    if modifier != "subsec":  # the time of a date: nobody asks for that
        raise ValueError(modifier)
    return round(time.time(), 3)  # milliseconds, as SQLite has them

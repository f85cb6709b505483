"""The tables of DBOS: all of them or none, however many processes begin at the same time."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import dbos._sys_db_sqlite
import pytest
import sqlalchemy as sa

from kensaku.jobs.migrate import migrate

AT_ONCE = 4


@pytest.fixture
def file(tmp_path):
    return tmp_path / "kensaku.db"


def tables(file) -> set[str]:
    with sqlite3.connect(file) as db:
        found = {name for (name,) in db.execute("SELECT name FROM sqlite_master")}
    db.close()
    return found


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_all_that_begin_at_the_same_time_go_on(file, request, database):
    """Each finds the tables made, by itself or by another."""
    url = f"sqlite:///{file}" if database == "sqlite" else request.getfixturevalue("postgresql")
    barrier = Barrier(AT_ONCE)

    def begin(_: int) -> None:
        barrier.wait(60)
        migrate(url)

    with ThreadPoolExecutor(AT_ONCE) as threads:
        assert list(threads.map(begin, range(AT_ONCE))) == [None] * AT_ONCE


def test_a_migration_that_breaks_off_leaves_nothing_behind(file, monkeypatch):
    """The next process begins anew, and not with half of the tables."""
    url = f"sqlite:///{file}"
    with monkeypatch.context() as broken:
        first = dbos._sys_db_sqlite.sqlite_migrations[0]
        broken.setattr(
            dbos._sys_db_sqlite, "sqlite_migrations", [f"{first}; SELECT * FROM nowhere"]
        )
        with pytest.raises(sa.exc.OperationalError):
            migrate(url)
    assert tables(file) == set()

    migrate(url)

    assert {"dbos_migrations", "workflow_status"} <= tables(file)

"""The times of jobs are right on SQLite that does not know `unixepoch('subsec')`."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
import sqlalchemy as sa
from dbos._sys_db_sqlite import SQLiteSystemDatabase

from kensaku.database import url_of
from kensaku.jobs import Jobs, old_sqlite
from kensaku.jobs.executor import import_dbos


async def test_a_job_knows_when_it_was_submitted(settings):
    """With DBOS's own clock: a column that is NOT NULL, and the database's default."""
    async with Jobs(settings) as jobs:
        id = await jobs.submit("crawl", {"url": "https://example.org/"})
        job = await jobs.get(id)

    assert job.created is not None
    assert job.updated is not None
    assert abs(datetime.now(UTC) - job.created).total_seconds() < 3_600


async def test_the_connections_of_dbos_know_milliseconds(settings):
    """A file that another Python or SQLite made has this call in its schema."""
    async with Jobs(settings) as jobs:
        await jobs.list()
    dbos = import_dbos()
    client = dbos.DBOSClient(system_database_url=url_of(settings))
    try:
        with client._sys_db.engine.begin() as db:
            now = db.execute(sa.text("SELECT unixepoch('subsec')")).scalar_one()
    finally:
        client.destroy()

    assert abs(now - datetime.now(UTC).timestamp()) < 3_600


@pytest.mark.parametrize(
    ("version", "defined"), [((3, 41, 2), True), ((3, 42, 0), False), ((3, 51, 3), False)]
)
def test_the_function_is_defined_where_sqlite_has_none(version, defined, monkeypatch):
    """On every connection of DBOS, in milliseconds; anything else that is asked of it is wrong."""
    made = []

    def create(self, *args, **options):
        made.append((args, options))
        return sa.create_engine("sqlite://")

    monkeypatch.setattr(SQLiteSystemDatabase, "_create_engine", create)
    monkeypatch.setattr(old_sqlite, "sqlite3", SimpleNamespace(sqlite_version_info=version))
    monkeypatch.setattr(old_sqlite, "time", SimpleNamespace(time=lambda: 1_700_000_000.123456))
    old_sqlite.define_subsec.__wrapped__()
    engine = SQLiteSystemDatabase._create_engine(None, "url", pool=1)

    assert made == [(("url",), {"pool": 1})]
    assert (SQLiteSystemDatabase._create_engine is not create) is defined
    with engine.begin() as db:
        if defined:
            assert (
                db.execute(sa.text("SELECT unixepoch('subsec')")).scalar_one() == 1_700_000_000.123
            )
            with pytest.raises(sa.exc.OperationalError):
                db.execute(sa.text("SELECT unixepoch('now')"))
    engine.dispose()

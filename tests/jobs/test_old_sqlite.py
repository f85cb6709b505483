"""The times of jobs are right on SQLite that does not know `unixepoch('subsec')`."""

from __future__ import annotations

from datetime import UTC, datetime

import sqlalchemy as sa

from kensaku.database import url_of
from kensaku.jobs import Jobs
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

"""The times of jobs are right on SQLite that does not know `unixepoch('subsec')`."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta

from kensaku.jobs import Jobs


async def test_a_job_in_a_file_of_a_newer_python_knows_when_it_was_submitted(settings):
    """From 3.12 on, DBOS creates tables that ask SQLite for milliseconds.

    SQLite has them from 3.42 on. Before, it says NULL, and the columns must not be NULL.
    """
    async with Jobs(settings) as jobs:
        await jobs.list()
    newer = "UPDATE sqlite_master SET sql = replace(sql, ?, ?)"
    with closing(sqlite3.connect(settings.home / "kensaku.db")) as db, db:
        db.execute("PRAGMA writable_schema = ON")
        db.execute(newer, ("strftime('%s','now')", "unixepoch('subsec')"))

    async with Jobs(settings) as jobs:
        job = await jobs.get(await jobs.submit("crawl", {"url": "https://example.org/"}))

    assert abs(datetime.now(UTC) - job.created) < timedelta(hours=1)
    assert abs(datetime.now(UTC) - job.updated) < timedelta(hours=1)

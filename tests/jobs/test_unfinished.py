"""A server asks by one query whether there are jobs to go on with."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kensaku.database import url_of
from kensaku.database.connection import connect
from kensaku.jobs import Jobs
from kensaku.jobs.tables import any_unfinished


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
async def test_only_a_job_that_has_not_ended_is_unfinished(settings, kind, request):
    """Before the first job there is no table to ask; a cancelled job waits for nobody."""
    if kind == "postgresql":
        settings = replace(settings, database_url=request.getfixturevalue("postgresql"))

    def unfinished() -> bool:
        with connect(url_of(settings), write=False) as connection:
            return any_unfinished(connection)

    settings.home.mkdir(exist_ok=True)
    assert not unfinished()
    async with Jobs(settings) as jobs:
        id = await jobs.submit("crawl", {"url": "http://127.0.0.1:9/", "collection": "site"})
        assert unfinished()
        await jobs.cancel(id)
        assert not unfinished()


async def test_a_job_that_a_process_left_is_unfinished(settings, jobs, sql):
    """Other workflows of the same database are not ours."""
    settings.home.mkdir(exist_ok=True)
    await jobs.submit("crawl", {"url": "http://127.0.0.1:9/"})
    found = {}
    for status in ("PENDING", "DELAYED", "SUCCESS", "ERROR"):
        sql("UPDATE workflow_status SET status = ?", status)
        with connect(url_of(settings), write=False) as connection:
            found[status] = any_unfinished(connection)
    sql("UPDATE workflow_status SET status = 'PENDING', name = 'another'")

    assert found == {"PENDING": True, "DELAYED": True, "SUCCESS": False, "ERROR": False}
    with connect(url_of(settings), write=False) as connection:
        assert not any_unfinished(connection)

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

"""The tables of DBOS: all of them or none, however many processes begin at the same time."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from kensaku.jobs import Jobs

AT_ONCE = 4


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
async def test_all_that_begin_at_the_same_time_go_on(settings, request, database):
    """Each finds the tables made, by itself or by another."""
    if database == "postgresql":
        settings = replace(settings, database_url=request.getfixturevalue("postgresql"))
    begun = [Jobs(settings) for _ in range(AT_ONCE)]

    assert await asyncio.gather(*(jobs.list() for jobs in begun)) == [[]] * AT_ONCE
    for jobs in begun:
        await jobs.close()


async def test_a_migration_that_breaks_off_leaves_nothing_behind(settings, sql):
    """The next process begins anew, and not with half of the tables."""
    settings.home.mkdir()
    sql("CREATE TABLE workflow_events (in_the_way)")  # among the last that DBOS creates
    with pytest.raises(Exception, match="workflow_events"):
        await Jobs(settings).list()
    tables = sql("SELECT name FROM sqlite_master WHERE type = 'table'")
    assert tables == [("workflow_events",)]

    sql("DROP TABLE workflow_events")
    async with Jobs(settings) as jobs:
        assert await jobs.list() == []

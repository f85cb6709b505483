"""Research as a job: the same report as without one; a spent budget is in `test_accounting.py`."""

from __future__ import annotations

from kensaku import Kensaku
from kensaku.jobs import Jobs
from kensaku.testing import faults
from tests.answers.conftest import web as web

from .test_accounting import ASKED
from .test_accounting import environ as environ
from .test_accounting import settings as settings


async def test_a_job_writes_the_report_of_a_call(settings, web, upstream):
    """When nobody can search it says so, too: that is no failure of the job."""
    async with Jobs(settings) as jobs, Kensaku(settings) as k:
        await jobs.start()
        job = await jobs.wait(await jobs.submit("research", ASKED))
        report = (await k.research(ASKED["input"], model=ASKED["model"])).to_dict()
        upstream.heals("tavily")
        upstream.fails("tavily", faults.status(503))
        down = await jobs.wait(await jobs.submit("research", ASKED))

    same = ("input", "text", "sources", "outcome", "answered", "missing", "written_by", "notes")
    assert {name: job.result[name] for name in same} == {name: report[name] for name in same}
    assert (job.status, job.result["outcome"]) == ("done", "found")
    assert job.progress.done > 1
    assert (down.status, down.result["outcome"]) == ("done", "unavailable")

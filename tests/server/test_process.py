"""The server as a process: it drains before it ends, and goes on with jobs after it was killed."""

from __future__ import annotations

import asyncio
import signal

import aiohttp

from kensaku.jobs import Jobs
from kensaku.testing import faults
from tests.jobs.conftest import PAGES, expire_leases, settings, site  # noqa: F401 - fixtures
from tests.search.support import until

from .conftest import kill

CRAWL = {"collection": "site", "max_depth": 5, "limit": 100}


async def test_requests_in_flight_are_answered_before_the_server_ends(start_server, upstream):
    """SIGTERM comes while every request waits for its provider: none of them is dropped."""
    upstream.fails("tavily", faults.delay(2.0))
    process, url = await asyncio.to_thread(
        start_server,
        TAVILY_API_KEY="tvly-test",
        TAVILY_BASE_URL=upstream.base_url("tavily"),
        WEB_SEARCH_PROVIDER="tavily",
    )

    async def search(n: int) -> int:
        async with session.post(f"{url}/search", json={"query": f"otter {n}"}) as answer:
            await answer.json()
            return answer.status

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        searches = [asyncio.create_task(search(n)) for n in range(20)]
        await until(lambda: len(upstream.requests) == 20)
        process.send_signal(signal.SIGTERM)
        assert await asyncio.gather(*searches) == [200] * 20
    await asyncio.to_thread(process.wait)


async def test_a_job_of_a_killed_server_goes_on_although_nobody_asks_for_jobs(
    start_server,
    settings,  # noqa: F811
    site,  # noqa: F811
):
    """At its start a server looks for unfinished jobs."""
    env = {"KENSAKU_FETCH_ALLOW": "127.0.0.1", "KENSAKU_FETCH_PORTS": "any"}
    env |= {"KENSAKU_CACHE": "false", "KENSAKU_STATE_URL": "memory:"}
    site.hold_after(10)
    async with Jobs(settings) as jobs:
        id = await jobs.submit("crawl", {"url": site.url, **CRAWL})
        first, _ = await asyncio.to_thread(start_server, **env)
        await site.is_holding()
        kill(first)
        site.release()
        await expire_leases(settings)
        await asyncio.to_thread(start_server, **env)
        job = await jobs.wait(id)

    assert (job.status, job.error) == ("done", None)
    assert job.result is not None
    assert job.result["pages"] == PAGES

"""The view Jobs: a site is crawled into a collection, watched, and searched."""

from __future__ import annotations

import asyncio
import json
import re

from tests.server.page_client import browsing


async def test_a_site_becomes_a_job_that_is_watched(make_server):
    """Its address is refused, being on this machine: the job says so, and can be resumed."""
    server = await make_server("local")
    async with browsing(server.url) as page:
        begun = await page.call(
            "POST", "/api/collections/docs/sites", {"url": "http://127.0.0.1:9/"}
        )
        assert page.status == 200, begun
        headers = await page.headers()
        async with page.http.post(
            f"{server.url}/api/jobs/watch", json={}, headers=headers
        ) as events:
            async with asyncio.timeout(60):
                async for line in events.content:
                    if line.startswith(b"data: ") and b"html" in line:
                        shown = json.loads(line[6:])["html"]
                        if re.search("done|failed", shown):
                            break
        listed = await page.call("GET", "/api/jobs")
        resumed = await page.call("POST", f"/api/jobs/{begun['id']}/resume")
        cancelled = await page.call("POST", f"/api/jobs/{begun['id']}/cancel")
        unknown = await page.call("POST", "/api/jobs/crawl-nothing/cancel")

    assert "127.0.0.1:9" in shown
    assert [job["id"] for job in listed["jobs"]] == [begun["id"]]
    assert resumed["id"] == cancelled["id"] == begun["id"]
    assert page.status == 404, unknown


async def test_a_job_needs_an_address_and_a_name(make_server):
    """Bad input gets one sentence."""
    server = await make_server("local")
    async with browsing(server.url) as page:
        for name, url in (("docs", "ftp://x"), ("..", "https://a.example/"), ("docs", "")):
            said = await page.call("POST", f"/api/collections/{name}/sites", {"url": url})
            assert page.status in (400, 404, 502), said

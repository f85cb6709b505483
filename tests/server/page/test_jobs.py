"""The view Jobs: a site is crawled into a collection, watched, and searched."""

from __future__ import annotations

import asyncio
import json

from tests.server.page_client import PageClient, browsing


async def test_a_site_becomes_a_job_that_is_watched(server, make_key):
    """Its address is refused, being on this machine: the job says so, and can be resumed.

    It is its tenant's alone, and bounded: three links deep, 500 pages, no other site.
    """
    ann, eve = [
        {"Authorization": f"Bearer {await make_key(server, name, tenant=tenant)}"}
        for name, tenant in (("ann", "t1"), ("eve", "t2"))
    ]
    async with browsing(server.url) as page:
        begun = await page.call(
            "POST", "/api/collections/docs/sites", {"url": "http://127.0.0.1:9/"}, **ann
        )
        assert page.status == 200, begun
        shown = await watched(page, **ann)
        (job,) = (await page.call("GET", "/api/jobs", **ann))["jobs"]
        html = await page.get("/page/jobs", **ann)
        path = f"/api/jobs/{begun['id']}"
        for change in ("cancel", "resume"):
            await page.call("POST", f"{path}/{change}", **eve)
            assert page.status == 404
        assert (await page.call("GET", "/api/jobs", **eve)) == {"jobs": []}
        assert "127.0.0.1:9" not in await page.get("/page/jobs", **eve)
        resumed = await page.call("POST", f"{path}/resume", **ann)
        cancelled = await page.call("POST", f"{path}/cancel", **ann)

    for text in (shown, html):
        assert "http://127.0.0.1:9/" in text
        assert f'data-call="POST {path}/resume"' in text
    assert resumed["id"] == cancelled["id"] == job["id"] == begun["id"]
    bounds = {"max_depth": 3, "limit": 500, "allow_external": False, "collection": "docs"}
    assert bounds.items() <= job["arguments"].items()


async def watched(page: PageClient, **headers: str) -> str:
    """The list of jobs as it is at the end: the stream ends when all of them have."""
    async with (
        asyncio.timeout(120),
        page.http.post(f"{page.url}/api/jobs/watch", json={}, headers=headers) as events,
    ):
        lines = [line async for line in events.content if b"html" in line]
    return str(json.loads(lines[-1].removeprefix(b"data: "))["html"])


async def test_a_job_needs_an_address_and_a_name(make_server):
    """Bad input gets one sentence."""
    server = await make_server("local")
    async with browsing(server.url) as page:
        for name, url in (("docs", "ftp://x"), ("..", "https://a.example/"), ("docs", "")):
            said = await page.call("POST", f"/api/collections/{name}/sites", {"url": url})
            assert page.status in (400, 404, 502), said

"""A crawl as a job: a site in a collection, whatever is down on the way."""

from __future__ import annotations

import asyncio

from kensaku import Kensaku
from tests.fetch.web import whole
from tests.jobs.conftest import PAGES


async def documents(settings) -> int:
    async with Kensaku(settings) as k:
        return (await k.index.stats())["site"]["documents"]


def crawl(site, **more) -> dict:
    return {"url": site.url, "collection": "site", "max_depth": 5, **more}


async def test_a_crawl_reads_a_site_up_to_its_limit(running, site, settings):
    """What cannot be read is counted and listed, with the reason."""
    site.pages["/p2"] = (500, {}, b"down")
    job = await running.wait(await running.submit("crawl", crawl(site, limit=20)))

    found = job.result
    assert (job.status, found["url"], found["collection"]) == ("done", site.url, "site")
    assert (found["pages"], found["added"], found["failed"]) == (19, 19, 1)
    (failure,) = found["failures"]
    assert failure["url"] == f"{site.url}p2"
    assert "500" in failure["error"]
    assert (job.progress.done, job.progress.total, job.progress.documents) == (20, 20, 19)
    assert await documents(settings) == 19


async def test_a_crawl_ends_when_its_time_is_up(running, site):
    """With what it has, and a note."""

    async def slow(writer, request) -> None:
        await asyncio.sleep(1.1)
        writer.write(whole(200, {}, b'<title>slow</title><p>Otters.</p><a href="/p1">x</a>'))

    site.pages["/"] = slow
    job = await running.wait(await running.submit("crawl", crawl(site, timeout=1)))

    assert (job.status, job.result["pages"]) == ("done", 1)
    assert any("before its end" in note for note in job.result["notes"])


async def test_a_crawl_that_failed_goes_on_without_losing_a_page(running, site, settings):
    """The site was down, then the index; both come back."""
    good = dict(site.pages)
    site.pages = {"/robots.txt": (404, {}, b""), "/": (500, {}, b"down")}
    id = await running.submit("crawl", crawl(site, limit=100))
    failed = await running.wait(id)
    assert (failed.status, failed.result) == ("failed", None)
    assert "500" in failed.error

    site.pages = good
    blocked = settings.home / "index"
    blocked.write_text("no folder")
    await running.resume(id)
    failed = await running.wait(id)
    assert (failed.status, failed.result) == ("failed", None)

    blocked.unlink()
    await running.resume(id)
    done = await running.wait(id)
    assert (done.status, done.error) == ("done", None)
    assert done.result["pages"] == done.result["added"] == PAGES
    assert await documents(settings) == PAGES

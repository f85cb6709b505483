"""The whole way, with nothing in place of anything: real names, sockets, workers and a cache."""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress

import pytest

from kensaku.errors import PageUnavailable
from kensaku.extract import ParsePool
from kensaku.fetch import Crawl, Fetcher, PageReader, Plan
from kensaku.fetch.transport import PageTransport
from kensaku.store import MemoryStore
from kensaku.transport.guard import AddressGuard
from tests.search.support import until

ARTICLE = "<html><title>{t}</title><body><article><h1>{t}</h1>{p}{a}</article></body></html>"


def article(title, *links):
    text = "".join(
        f"<p>{title} is told in sentence number {n}, at some length.</p>" for n in range(9)
    )
    return ARTICLE.format(t=title, p=text, a="".join(f'<a href="{u}">{u}</a>' for u in links))


@pytest.fixture
async def pool():
    async with ParsePool(2) as found:
        yield found


@pytest.fixture
async def real():
    """A fetcher on the machine's own resolver and sockets, allowed to see loopback."""
    made = Fetcher(
        PageTransport(AddressGuard.allowing(["127.0.0.0/8", "::1"], None)), store=MemoryStore()
    )
    yield made
    await made.close()


async def test_a_page_is_fetched_read_and_named(web, real, pool):
    """By address and by name, through the parse workers."""
    web.pages["/otters"] = article("Otters")
    urls = [f"http://{host}:{web.port}/otters" for host in ("127.0.0.1", "localhost")]
    result = await PageReader(real, pool).extract([*urls, f"http://127.0.0.1:{web.port}/none"])
    assert [page.title for page in result.results] == ["Otters", "Otters"]
    assert "sentence number 8" in result.results[0].text
    assert [url for url, _ in result.failed] == [f"http://127.0.0.1:{web.port}/none"]


async def test_a_site_is_crawled_and_mapped(web, real, pool):
    """With the links that the extractor finds."""
    web.pages |= {"/": article("Home", "/a", "/b"), "/a": article("A"), "/b": article("B")}
    plan = Plan(f"http://127.0.0.1:{web.port}/")
    result = await Crawl(PageReader(real, pool), plan)
    assert sorted(page.title for page in result.results) == ["A", "B", "Home"]
    assert len((await Crawl(PageReader(real, pool), plan).map()).urls) == 3


@pytest.mark.usefixtures("volume")
async def test_many_fetches_leave_nothing_behind(web, real):
    """2,000 pages, good and bad: tasks and open files are what they were."""
    web.pages["/"] = "hello"
    real.cache = None

    async def one(n):
        path = "" if n % 3 else "missing"
        with suppress(PageUnavailable):
            await real.fetch(f"http://127.0.0.1:{web.port}/{path}?{n}")

    await asyncio.gather(*(one(n) for n in range(200)))
    tasks, files = len(asyncio.all_tasks()), _open_files()
    for start in range(200, 2_000, 200):
        await asyncio.gather(*(one(n) for n in range(start, start + 200)))
    spare = real.transport.limits.per_host  # connections that are kept, or just being closed
    await until(lambda: len(asyncio.all_tasks()) <= tasks + 2 * spare)
    await until(lambda: _open_files() <= files + 2 * spare)
    await until(lambda: web.open <= spare)


def _open_files():
    return len(os.listdir("/dev/fd"))

"""Crawl a site page by page: breadth first, politely, within limits, resumable.

    Plan → frontier ← sitemaps
           frontier → [PageReader.read] × WORKERS → Page → its best links → frontier
                                                  → yielded, and stored until the crawl is over

A page is written to the frontier before it is yielded: after a kill, `resume` yields it again.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import aclosing
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from kensaku.errors import FetchError
from kensaku.fetch.crawl.frontier import Frontier
from kensaku.fetch.crawl.links import Relevance, best_links
from kensaku.fetch.crawl.plan import Plan
from kensaku.fetch.crawl.sitemap import read_sitemap
from kensaku.fetch.optouts import NOFOLLOW
from kensaku.fetch.politeness import origin_of
from kensaku.fetch.results import CrawlResult, Failure, SiteMap
from kensaku.messages import msg
from kensaku.models import Page, Progress, ProgressEvent

if TYPE_CHECKING:
    from kensaku.fetch.page_reader import PageReader

T = TypeVar("T")
Reading = dict[asyncio.Task[Page | None], str]  # the pages that are being read, by task
WORKERS = 8
MAX_SITEMAPS = 10  # files of one site that are read
MAX_FAILURES = 1_000  # that are listed


class Crawl:
    """A crawl that starts when it is awaited or iterated over. It runs once.

    `await crawl` reads all pages and returns a `CrawlResult`. `async for page in crawl` yields
    each page as it comes and holds none in memory; `failed` and `notes` grow on the way. To leave
    the loop early, iterate over `contextlib.aclosing(aiter(crawl))`: that cancels the pages that
    are being read at once.
    """

    def __init__(
        self,
        reader: PageReader,
        plan: Plan,
        *,
        state: Path | None = None,
        resume: bool = False,
        progress: Progress | None = None,
        on_page: Callable[[Page], Awaitable[object]] | None = None,
        frontier: Frontier | None = None,
    ) -> None:
        """`state` is the file of the frontier, unless there is a `frontier` already."""
        self.plan, self.base_url = plan, plan.url
        self.failed: list[Failure] = []
        self.notes: list[str] = []
        self._reader, self._progress, self._on_page = reader, progress, on_page
        self._scope, self._relevance = plan.scope, Relevance(plan.instructions)
        self._resume = resume and state is not None
        self._frontier = frontier or Frontier(state, fresh=not resume)
        self._max_depth = plan.max_depth
        self._pages: list[Page] = []  # only when the crawl is awaited
        self._elapsed = 0.0
        self._started = self._finished = False
        self._complete = False  # nothing is left to resume

    def __await__(self) -> Generator[Any, None, CrawlResult]:
        return self._run().__await__()

    def __aiter__(self) -> AsyncGenerator[Page]:
        return self._iterate()

    @property
    def result(self) -> CrawlResult:
        """The result so far. It holds the pages of an awaited crawl; a loop has had its own."""
        return CrawlResult(
            self.base_url,
            tuple(self._pages),
            tuple(self.failed),
            tuple(self.notes),
            self._elapsed * 1000,
        )

    async def map(self) -> SiteMap:
        """List URLs only: fetch just the pages whose links are needed."""
        self._max_depth = -1 if self.plan.sitemap == "only" else self.plan.max_depth - 1
        titles: dict[str, str] = {}
        async with aclosing(self._iterate(keep_state=True)) as pages:
            async for page in pages:
                titles[page.url] = page.title
                if sum(await self._frontier.counts()) >= self.plan.limit:
                    break
        urls = (await self._frontier.urls())[: self.plan.limit]
        await self._frontier.close(forget=True)
        return SiteMap(
            self.base_url,
            tuple(urls),
            tuple(self.failed),
            tuple(self.notes),
            self._elapsed * 1000,
            titles,
        )

    async def _run(self) -> CrawlResult:
        if not self._started:
            async for page in self._iterate():
                self._pages.append(page)
        elif not self._finished:
            raise RuntimeError("the crawl is running already")
        return self.result

    async def _iterate(self, keep_state: bool = False) -> AsyncGenerator[Page]:
        if self._started:
            raise RuntimeError("a crawl runs once; make a new one")
        self._started = True
        began = time.monotonic()
        try:
            async with aclosing(self._read_pages(keep_state)) as pages:
                async for page in pages:
                    if self._on_page is not None:
                        await self._on_page(page)
                    yield page
        finally:
            self._elapsed = time.monotonic() - began
            self._finished = True

    async def _read_pages(self, keep_state: bool) -> AsyncGenerator[Page]:
        deadline = asyncio.get_running_loop().time() + self.plan.timeout
        reading: Reading = {}
        try:
            async for page in self._seed(deadline):
                yield page
            while await self._start_reading(reading, deadline):
                for task in await self._wait_for_some(reading, deadline):
                    del reading[task]
                    await self._report_progress()
                    if (wanted := task.result()) is not None:
                        yield wanted
                if asyncio.get_running_loop().time() >= deadline:
                    self.notes.append(
                        msg(
                            "stopped after {timeout:g} s, before its end", timeout=self.plan.timeout
                        )
                    )
                    break
            else:
                self._complete = True
        finally:
            for task in reading:
                task.cancel()
            await asyncio.gather(*reading, return_exceptions=True)
            if not keep_state:
                await self._frontier.close(forget=self._complete)

    async def _seed(self, deadline: float) -> AsyncGenerator[Page]:
        """Yield the pages of an earlier run, or fill the frontier with the first page."""
        if self._resume and any(await self._frontier.counts()):
            for page in await self._frontier.pages():
                yield page
            return
        await self.begin(deadline)

    async def begin(self, deadline: float) -> None:
        """Fill the frontier with the first page, and with those of the sitemaps."""
        await self._frontier.add([(self.plan.url, 1.0)], 0)
        if self.plan.sitemap:
            await self._add_sitemaps(deadline)

    async def read_next(self, deadline: float) -> list[Page]:
        """Read the next pages of the frontier, some at a time; return those that are wanted.

        For a caller that stores the frontier itself; iterating over a crawl needs no such call.
        """
        done, _ = await self._frontier.counts()
        links = await self._frontier.take(min(WORKERS, self.plan.limit - done))
        reading = [self._read(url, depth, deadline) for url, depth, _ in links]
        return [page for page in await asyncio.gather(*reading) if page is not None]

    async def _start_reading(self, reading: Reading, deadline: float) -> bool:
        """Start as many tasks as there is work and room for; return False when all is done."""
        done, _ = await self._frontier.counts()
        room = min(WORKERS, self.plan.limit - done) - len(reading)
        if room > 0:
            for url, depth, _ in await self._frontier.take(room):
                if depth <= self._max_depth:
                    reading[asyncio.create_task(self._read(url, depth, deadline))] = url
        return bool(reading)

    async def _wait_for_some(
        self, reading: Reading, deadline: float
    ) -> set[asyncio.Task[Page | None]]:
        left = deadline - asyncio.get_running_loop().time()
        finished, _ = await asyncio.wait(
            reading, timeout=max(0.0, left), return_when=asyncio.FIRST_COMPLETED
        )
        return finished

    async def _read(self, url: str, depth: int, deadline: float) -> Page | None:
        """Read one page and queue its best links; return it if it belongs to the results."""
        try:
            page, fetched = await self._reader.read(url, deadline=deadline, crawling=True)
        except FetchError as error:
            if asyncio.get_running_loop().time() < deadline:  # else the next run reads it
                await self._fail(url, error)
            return None
        digest = blake2b(page.text.encode("utf-8", "replace"), digest_size=16).digest()
        left_site = not (self._scope.is_inside(fetched.final_url) or self.plan.allow_external)
        if left_site or (page.text and not await self._frontier.is_new_text(digest, url)):
            await self._frontier.finish(url, None)
            return None
        score = await asyncio.to_thread(self._relevance.of_text, page.title, page.text)
        follow = depth < self.plan.max_depth and self._scope.is_inside(fetched.final_url)
        if follow and not NOFOLLOW.intersection(page.notes):
            links = await asyncio.to_thread(self._links_of, page, score)
            await self._frontier.add(links, depth + 1)
        wanted = page if score > 0 or not self._relevance else None
        await self._frontier.finish(url, wanted, score)
        return wanted

    def _links_of(self, page: Page, score: float) -> list[tuple[str, float]]:
        links = best_links(page.links, self._scope, self._relevance, self.plan.max_breadth)
        return [(url, own + score / 2) for url, own in links]

    async def _add_sitemaps(self, deadline: float) -> None:
        """Queue the pages of the sitemaps that robots.txt names, or of /sitemap.xml."""
        fetcher, origin = self._reader.fetcher, origin_of(self.plan.url)
        rules = await _or_none(fetcher.rules(self.plan.url))
        queue = list(rules.sitemaps if rules and rules.sitemaps else [origin + "/sitemap.xml"])
        for _ in range(MAX_SITEMAPS):
            if not queue:
                return
            url = queue.pop(0)
            fetched = await _or_none(fetcher.fetch(url, deadline=deadline, crawling=True))
            if fetched is None:
                continue
            sitemap = await asyncio.to_thread(read_sitemap, fetched.body)
            if sitemap.truncated:
                self.notes.append(msg("a sitemap was longer than what is read, or broken"))
            queue += sitemap.sitemaps[:MAX_SITEMAPS]
            links = await asyncio.to_thread(self._links_of_sitemap, sitemap.pages)
            await self._frontier.add(links, 1)

    def _links_of_sitemap(self, urls: list[str]) -> list[tuple[str, float]]:
        return best_links(urls, self._scope, self._relevance, self.plan.limit, look_at=len(urls))

    async def _fail(self, url: str, error: FetchError) -> None:
        if len(self.failed) < MAX_FAILURES:
            self.failed.append(Failure(url, error))
        await self._frontier.finish(url, None)

    async def _report_progress(self) -> None:
        if self._progress is not None:
            done, _ = await self._frontier.counts()
            self._progress(ProgressEvent("crawl", done, self.plan.limit))


async def _or_none(work: Awaitable[T]) -> T | None:
    try:
        return await work
    except FetchError:
        return None

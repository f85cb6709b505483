"""A site, page by page: breadth first, politely, within bounds, and resumable.

    Plan → frontier ← sitemaps
           frontier → [read_both] × WORKERS → Page → its best links → frontier
                                            → yielded, and kept until the crawl is over

A page is written to the frontier before it is yielded: after a kill, `resume` gives it again.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable
from contextlib import aclosing
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from kensaku.errors import FetchError, KensakuError
from kensaku.fetch.crawl.frontier import Frontier
from kensaku.fetch.crawl.links import Wish, choose
from kensaku.fetch.crawl.plan import Plan, Progress
from kensaku.fetch.crawl.sitemap import read_sitemap
from kensaku.fetch.extract_many import read_both
from kensaku.fetch.optouts import NOT_FOLLOWED
from kensaku.fetch.politeness import origin_of

if TYPE_CHECKING:
    from kensaku.fetch.extract_many import Parser
    from kensaku.fetch.fetcher import Fetcher
    from kensaku.models import Page

T = TypeVar("T")
WORKERS = 8
SITEMAPS = 10  # files of one site that are read
FAILURES = 1_000  # that are listed


@dataclass(frozen=True, slots=True)
class CrawlResult:
    """A whole crawl."""

    base_url: str
    results: list[Page]
    failed: list[tuple[str, KensakuError]]
    notes: list[str]
    elapsed_ms: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """The form that `kensaku crawl --json` prints."""
        return {
            "base_url": self.base_url,
            "results": [page.to_dict() for page in self.results],
            "failed": [{"url": url, "error": error.to_dict()} for url, error in self.failed],
            "notes": self.notes,
            "elapsed_ms": round(self.elapsed_ms, 1),
        }


@dataclass(frozen=True, slots=True)
class SiteMap:
    """The addresses of a site."""

    base_url: str
    urls: list[str]
    failed: list[tuple[str, KensakuError]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    elapsed_ms: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """The form that `kensaku map --json` prints."""
        return {
            "base_url": self.base_url,
            "results": self.urls,
            "failed": [{"url": url, "error": error.to_dict()} for url, error in self.failed],
            "notes": self.notes,
            "elapsed_ms": round(self.elapsed_ms, 1),
        }


class Crawl:
    """A crawl that is about to happen: `async for page in crawl`, or `await crawl.all()`.

    `failed` and `notes` fill up on the way. Whoever leaves the loop early should hold the crawl
    in `contextlib.aclosing(aiter(crawl))`, so that what is on its way is called off at once.
    """

    def __init__(
        self,
        fetcher: Fetcher,
        parser: Parser,
        plan: Plan,
        *,
        state: Path | None = None,
        resume: bool = False,
        progress: Progress | None = None,
    ) -> None:
        self.plan, self.base_url = plan, plan.url
        self.failed: list[tuple[str, KensakuError]] = []
        self.notes: list[str] = []
        self._fetcher, self._parser, self._progress = fetcher, parser, progress
        self._scope, self._wish = plan.scope, Wish(plan.instructions)
        self._resume = resume and state is not None
        self._frontier = Frontier(state, fresh=not resume)
        self._depth = plan.max_depth
        self._over = False

    def __aiter__(self) -> AsyncGenerator[Page]:
        return self._pages()

    async def all(self) -> CrawlResult:
        """Run it to its end, and hold every page in memory."""
        began = time.monotonic()
        pages = [page async for page in self]
        elapsed = (time.monotonic() - began) * 1000
        return CrawlResult(self.base_url, pages, self.failed, self.notes, elapsed)

    async def map(self) -> SiteMap:
        """Only the addresses: pages whose links are not needed are not fetched."""
        began = time.monotonic()
        self._depth = self.plan.max_depth - 1
        async with aclosing(self._pages(keep=True)) as pages:
            async for _ in pages:
                if sum(await self._frontier.counts()) >= self.plan.limit:
                    break
        urls = (await self._frontier.urls())[: self.plan.limit]
        await self._frontier.close(forget=True)
        elapsed = (time.monotonic() - began) * 1000
        return SiteMap(self.base_url, urls, self.failed, self.notes, elapsed)

    async def _pages(self, keep: bool = False) -> AsyncGenerator[Page]:
        deadline = asyncio.get_running_loop().time() + self.plan.timeout
        running: dict[asyncio.Task[Page | None], str] = {}
        try:
            async for page in self._earlier(deadline):
                yield page
            while await self._hire(running, deadline):
                for task in await self._some(running, deadline):
                    del running[task]
                    found = task.result()
                    await self._tell()
                    if found is not None:
                        yield found
                if asyncio.get_running_loop().time() >= deadline:
                    self.notes.append(f"stopped after {self.plan.timeout:g} s, before its end")
                    break
            else:
                self._over = True
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)
            if not keep:
                await self._frontier.close(forget=self._over)

    async def _earlier(self, deadline: float) -> AsyncGenerator[Page]:
        """Begin: with what an earlier run has found, or with the first page and the sitemaps."""
        if self._resume and any(await self._frontier.counts()):
            for page in await self._frontier.pages():
                yield page
            return
        await self._frontier.add([(self.plan.url, 1.0)], 0)
        if self.plan.sitemap:
            await self._listed(deadline)

    async def _hire(self, running: dict[asyncio.Task[Page | None], str], deadline: float) -> bool:
        """Start as many readers as there is work and room for; False when all is done."""
        done, _ = await self._frontier.counts()
        room = min(WORKERS, self.plan.limit - done) - len(running)
        if room > 0:
            for url, depth, _ in await self._frontier.take(room):
                if depth <= self._depth:
                    work = self._one(url, depth, deadline)
                    running[asyncio.create_task(work)] = url
        return bool(running)

    async def _some(
        self, running: dict[asyncio.Task[Page | None], str], deadline: float
    ) -> set[asyncio.Task[Page | None]]:
        left = deadline - asyncio.get_running_loop().time()
        finished, _ = await asyncio.wait(
            running, timeout=max(0.0, left), return_when=asyncio.FIRST_COMPLETED
        )
        return finished

    async def _one(self, url: str, depth: int, deadline: float) -> Page | None:
        """Read one page, let its links wait, and return it if it is one of those wanted."""
        try:
            page, fetched = await read_both(
                self._fetcher, self._parser, url, deadline=deadline, crawling=True
            )
        except FetchError as error:
            if asyncio.get_running_loop().time() < deadline:  # else it is for the next run
                await self._fail(url, error)
            return None
        digest = blake2b(page.text.encode("utf-8", "replace"), digest_size=16).digest()
        left_site = not (self._scope.inside(fetched.final_url) or self.plan.allow_external)
        if left_site or (page.text and not await self._frontier.first_time(digest, url)):
            await self._frontier.done(url, None)
            return None
        fits = await asyncio.to_thread(self._wish.of_text, page.title, page.text)
        follow = depth < self.plan.max_depth and self._scope.inside(fetched.final_url)
        if follow and not NOT_FOLLOWED.intersection(page.notes):
            best = await asyncio.to_thread(self._best, page, fits)
            await self._frontier.add(best, depth + 1)
        wanted = fits > 0 or not self._wish
        await self._frontier.done(url, page if wanted else None, fits)
        return page if wanted else None

    def _best(self, page: Page, fits: float) -> list[tuple[str, float]]:
        chosen = choose(page.links, self._scope, self._wish, self.plan.max_breadth)
        return [(url, score + fits / 2) for url, score in chosen]

    def _chosen(self, listed: list[str]) -> list[tuple[str, float]]:
        return choose(listed, self._scope, self._wish, self.plan.limit, look_at=len(listed))

    async def _listed(self, deadline: float) -> None:
        """Let the pages of the site's sitemaps wait."""
        origin = origin_of(self.plan.url)
        rules = await _or_nothing(self._fetcher.rules(self.plan.url))
        waiting = list(rules.sitemaps if rules and rules.sitemaps else [origin + "/sitemap.xml"])
        for _ in range(SITEMAPS):
            if not waiting:
                return
            at = waiting.pop(0)
            fetched = await _or_nothing(self._fetcher.fetch(at, deadline=deadline, crawling=True))
            if fetched is None:
                continue
            listed = await asyncio.to_thread(read_sitemap, fetched.body)
            if listed.cut:
                self.notes.append("a sitemap was longer than what is read, or broken")
            waiting += listed.sitemaps[:SITEMAPS]
            chosen = await asyncio.to_thread(self._chosen, listed.pages)
            await self._frontier.add(chosen, 1)

    async def _fail(self, url: str, error: KensakuError) -> None:
        if len(self.failed) < FAILURES:
            self.failed.append((url, error))
        await self._frontier.done(url, None)

    async def _tell(self) -> None:
        if self._progress is not None:
            done, _ = await self._frontier.counts()
            self._progress("crawl", done, self.plan.limit)


async def _or_nothing(work: Awaitable[T]) -> T | None:
    try:
        return await work
    except FetchError:
        return None

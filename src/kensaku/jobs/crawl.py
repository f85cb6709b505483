"""Crawl a site into a collection, or into documents of the job's result, a few pages a step.

    begin → [read some pages → index or keep them → changes of the frontier] × until none is left

A step's result holds what changed in the frontier. After a kill the frontier is made again from
those results, and only the pages of the step under way are read again.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from kensaku.answers.scrape import Wanted, document
from kensaku.errors import InvalidQuery, UnknownName
from kensaku.fetch.crawl.crawl import Crawl
from kensaku.fetch.crawl.plan import Plan
from kensaku.fetch.crawl.recorded import RecordedFrontier
from kensaku.fetch.page_reader import PageReader
from kensaku.index.results import AddResult
from kensaku.jobs.scrape import Documents, failure
from kensaku.messages import msg
from kensaku.text.collection_names import check_collection_name

if TYPE_CHECKING:
    from kensaku.client import Kensaku
    from kensaku.fetch.page_cache import FetchedPage
    from kensaku.jobs.run import JobRun
    from kensaku.models import Page
    from kensaku.transport.guard import CheckedURL

TIMEOUT = 3_600.0  # seconds that all steps together may take, unless the arguments say
STEP_SECONDS = 600.0
MAX_FAILURES = 100  # that the result lists
_COUNTS = ("pages", "added", "updated", "unchanged", "failed")
_OPTIONS = {f.name for f in fields(Plan)}


def check(arguments: Mapping[str, Any], *, operator: bool = False) -> dict[str, Any]:
    """Take `url`, `collection` and the fields of `fetch.Plan`.

    With `wanted`, as `Wanted.to_dict` writes it, the pages are kept in these formats in the job's
    result instead of a collection.
    """
    values = dict(arguments)
    collection = values.pop("collection", "default")
    check_collection_name(collection)
    wanted = values.pop("wanted", None)
    kept = {} if wanted is None else {"wanted": Wanted.from_dict(wanted).to_dict()}
    for name in values:
        if name not in _OPTIONS:
            raise UnknownName(msg("option"), name, _OPTIONS | {"collection"})
    if "url" not in values:
        raise InvalidQuery(msg("a crawl needs a url"))
    values.setdefault("timeout", TIMEOUT)
    plan = Plan(**values)
    _ = plan.scope  # compiles the patterns
    return {**values, "url": plan.url, "collection": collection, **kept}


async def run(job: JobRun, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Crawl until nothing is left, or the limit or the time is reached."""
    values = dict(arguments)
    collection, wanted = values.pop("collection"), values.pop("wanted", None)
    plan = Plan(**values)
    site = _Site(job.client, plan, collection, wanted and Wanted.from_dict(wanted))
    kept = Documents()
    total = dict.fromkeys(_COUNTS, 0)
    failures: list[dict[str, str]] = []
    seconds = 0.0
    try:
        notes = list((await site.step(job, "begin", site.begin))["notes"])
        while await site.is_unfinished():
            if seconds > plan.timeout:
                notes.append(
                    msg("stopped after {timeout:g} s, before its end", timeout=plan.timeout)
                )
                break
            result = await site.step(job, "read", site.read)
            seconds += result["seconds"]
            for name in total:
                total[name] += result[name]
            failures += result["failures"]
            kept.add({"documents": result.get("documents", ()), "failures": ()})
            finished, queued = await site.counts()
            most = min(plan.limit, finished + queued)
            await job.report("crawling", finished, most, total["pages"])
            if not result["changes"]:
                break  # the pages that are left take longer than a step may
    finally:
        await site.close()
    summary = {"url": plan.url, "collection": collection, **total}
    if wanted is not None:
        summary = {"url": plan.url, **total, "documents": kept.result["documents"]}
        notes += kept.result["notes"]
    return {**summary, "failures": failures[:MAX_FAILURES], "notes": notes}


class _KeepingReader(PageReader):
    """A reader that keeps what the servers sent, by the URL of the page."""

    def __init__(self, reader: PageReader) -> None:
        super().__init__(reader.fetcher, reader.parser)
        self.fetched: dict[str, FetchedPage] = {}

    async def read(self, url: str | CheckedURL, **more: Any) -> tuple[Page, FetchedPage]:
        """Read a page as any reader does."""
        page, fetched = await super().read(url, **more)
        self.fetched[page.url] = fetched
        return page, fetched


class _Site:
    """A crawl between its steps: the frontier, and how it came to be."""

    def __init__(
        self, client: Kensaku, plan: Plan, collection: str, wanted: Wanted | None = None
    ) -> None:
        self._client, self._plan, self._collection = client, plan, collection
        self._wanted = wanted
        self._frontier = RecordedFrontier()
        self._history: list[Any] = []
        self._has_read = False  # a page, at any time

    async def step(
        self, job: JobRun, name: str, work: Callable[[], Awaitable[dict[str, Any]]]
    ) -> dict[str, Any]:
        """Run or repeat a step, and bring the frontier to the state after it."""
        result = await job.step(name, lambda: self._or_reset(work))
        self._history += result["changes"]
        self._has_read = self._has_read or bool(result.get("pages"))
        await self._frontier.replay(result["changes"])
        return result

    async def begin(self) -> dict[str, Any]:
        """Find the first addresses."""
        crawl = Crawl(self._client.resources.reader(), self._plan, frontier=self._frontier)
        await crawl.begin(_deadline())
        return {"changes": self._frontier.take_changes(), "notes": crawl.notes}

    async def read(self) -> dict[str, Any]:
        """Read the next pages and index them."""
        began = time.monotonic()
        reader = _KeepingReader(self._client.resources.reader())
        crawl = Crawl(reader, self._plan, frontier=self._frontier)
        pages = await crawl.read_next(_deadline())
        if crawl.failed and not pages and not self._has_read:
            raise crawl.failed[0].error  # the site is down: the job fails, and can be resumed
        added, kept = AddResult(), {}
        failures = [failure(url, error) for url, error in crawl.failed]
        if self._wanted is not None:
            kept["documents"] = await self._documents(pages, reader, failures)
        elif pages:
            added = await self._client.index.add(pages, collection=self._collection)
        counts = (len(pages), added.added, added.updated, added.unchanged, len(failures))
        return {
            "changes": self._frontier.take_changes(),
            "seconds": time.monotonic() - began,
            "failures": failures,
            **kept,
            **dict(zip(_COUNTS, counts, strict=True)),
        }

    async def _documents(
        self, pages: Sequence[Page], reader: _KeepingReader, failures: list[dict[str, Any]]
    ) -> list[dict[str, Any]]:
        """Return the pages in the formats that are wanted; note those that have them not."""
        assert self._wanted is not None
        made = []
        for page in pages:
            try:
                fetched = reader.fetched[page.url]
                made.append(await document(self._client, page, fetched, self._wanted))
            except InvalidQuery as error:
                failures.append(failure(page.url, error))
        return made

    async def is_unfinished(self) -> bool:
        """Whether there are pages to read, and room for them."""
        finished, queued = await self._frontier.counts()
        return bool(queued) and finished < self._plan.limit

    async def counts(self) -> tuple[int, int]:
        """Count the finished and the queued addresses."""
        return await self._frontier.counts()

    async def close(self) -> None:
        """Close the frontier."""
        await self._frontier.close()

    async def _or_reset(self, work: Callable[[], Awaitable[dict[str, Any]]]) -> dict[str, Any]:
        """Do the work; when it fails, forget what it did, so that it can be done again."""
        try:
            return await work()
        except BaseException:
            await self._frontier.close()
            self._frontier = RecordedFrontier()
            await self._frontier.replay(self._history)
            raise


def _deadline() -> float:
    return asyncio.get_running_loop().time() + STEP_SECONDS

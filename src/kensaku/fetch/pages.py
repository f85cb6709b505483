"""Read pages for a client: what it may read, what that costs, and what is kept of it.

urls → gate → budget → page reader → (index) → Extraction
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Unpack

from kensaku.errors import FetchError
from kensaku.fetch.results import Extraction, Failure
from kensaku.observe import observe
from kensaku.operations import PagesOperation

if TYPE_CHECKING:
    from kensaku.fetch.crawl.crawl import Crawl
    from kensaku.fetch.page_cache import FetchedPage
    from kensaku.models import Page, Progress
    from kensaku.options import CrawlOptions
    from kensaku.resources import Resources
    from kensaku.search.budget import Budget

EXTRACT_SECONDS = 60.0


async def extract(
    resources: Resources,
    urls: Iterable[str],
    *,
    timeout: float = EXTRACT_SECONDS,  # noqa: ASYNC109 - one deadline for all pages
    budget: Budget | None = None,
    progress: Progress | None = None,
) -> Extraction:
    """Fetch and read pages; keep them in the index when the settings say so."""
    wanted, refused = _check(resources, urls)
    if refused and not wanted:
        return Extraction(failed=tuple(refused))
    await (budget or resources.budget).spend(fetches=len(wanted))
    with observe(resources.observers, PagesOperation, len(wanted)) as operation:
        done = await resources.reader().extract(
            wanted, timeout=timeout, progress=progress or resources.progress
        )
        done = replace(done, failed=(*done.failed, *refused))
        operation.record(done)
    if resources.settings.index_keep_fetched:
        await resources.index.add(done.results, collection="fetched")
    return done


async def read_page(
    resources: Resources,
    url: str,
    *,
    timeout: float = EXTRACT_SECONDS,  # noqa: ASYNC109 - of fetching and parsing
    budget: Budget | None = None,
) -> tuple[Page, FetchedPage]:
    """Fetch and read one page; return it with what the server sent. Raises `FetchError`."""
    if resources.gate is not None:
        resources.gate.check(url)
    await (budget or resources.budget).spend(fetches=1)
    deadline = asyncio.get_running_loop().time() + timeout
    with observe(resources.observers, PagesOperation, 1) as operation:
        page, fetched = await resources.reader().read(url, deadline=deadline)
        operation.record(Extraction((page,)))
    if resources.settings.index_keep_fetched:
        await resources.index.add([page], collection="fetched")
    return page, fetched


def crawl(
    resources: Resources,
    url: str,
    *,
    resume: bool = False,
    progress: Progress | None = None,
    **options: Unpack[CrawlOptions],
) -> Crawl:
    """Return a crawl that is about to begin; its state lives in home until it has ended."""
    if resources.gate is not None:
        resources.gate.check(url)

    async def keep(page: Page) -> None:
        await resources.index.add([page], collection="fetched")

    return resources.reader().crawl(
        url,
        resume=resume,
        progress=progress or resources.progress,
        on_page=keep if resources.settings.index_keep_fetched else None,
        **options,
    )


def _check(resources: Resources, urls: Iterable[str]) -> tuple[list[str], list[Failure]]:
    """Return the addresses that may be read, and the failures of the others."""
    allowed, refused = list[str](), list[Failure]()
    for url in urls:
        try:
            if resources.gate is not None:
                resources.gate.check(url)
            allowed.append(url)
        except FetchError as error:
            refused.append(Failure(url, error))
    return allowed, refused

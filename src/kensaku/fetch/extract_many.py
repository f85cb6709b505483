"""Many URLs at once: what could be read, and why the rest could not.

urls → well formed, merged, the first 20 → fetch → parse pool → Page
                                                → "needs JavaScript" → browser → parse pool
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

from kensaku.errors import FetchError, InvalidQuery, KensakuError, PageUnavailable
from kensaku.models import Page

if TYPE_CHECKING:
    from kensaku.fetch.fetcher import Fetcher
    from kensaku.fetch.page_cache import Fetched

MAX_URLS = 20
AT_ONCE = 10  # hosts of one call that are asked at the same time; each host has its own bound

Progress = Callable[[str, int, int], None]


class Parser(Protocol):
    """Bytes → Page, in workers that can be killed (`kensaku.extract.ParsePool`)."""

    def begin(self) -> None: ...
    async def extract(self, data: bytes, *, url: str, content_type: str) -> Page: ...


@dataclass(frozen=True, slots=True)
class Extraction:
    """What came of a list of URLs. One that failed does not stop the others."""

    results: list[Page] = field(default_factory=list)
    failed: list[tuple[str, KensakuError]] = field(default_factory=list)
    elapsed_ms: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """The form that `kensaku extract --json` prints."""
        return {
            "results": [page.to_dict() for page in self.results],
            "failed": [{"url": url, "error": error.to_dict()} for url, error in self.failed],
            "elapsed_ms": round(self.elapsed_ms, 1),
        }


async def extract(
    fetcher: Fetcher,
    parser: Parser,
    urls: str | Iterable[str],
    *,
    timeout: float = 60.0,  # noqa: ASYNC109 - one deadline for all of them
    limit: int = MAX_URLS,
    progress: Progress | None = None,
) -> Extraction:
    """Fetch and read pages. Duplicates are merged; those over `limit`, and those that are no web
    addresses, are among the failed, each with its reason. Raises only for an empty list."""
    given = [urls] if isinstance(urls, str) else list(urls)
    if not given:
        raise InvalidQuery("there is no URL to extract", remedy="give one to 20 of them")
    began = time.monotonic()
    outcome: dict[str, Page | KensakuError] = {}
    wanted = _merged(fetcher, given, limit, outcome)
    if wanted:
        parser.begin()
    deadline = asyncio.get_running_loop().time() + timeout
    gate = asyncio.Semaphore(AT_ONCE)
    done = 0

    async def one(url: str) -> None:
        nonlocal done
        async with gate:
            try:
                outcome[url] = await read_page(fetcher, parser, url, deadline=deadline)
            except FetchError as error:
                outcome[url] = error
        done += 1
        if progress is not None:
            progress("extract", done, len(wanted))

    await asyncio.gather(*(one(url) for url in wanted))
    return Extraction(
        [found for found in outcome.values() if isinstance(found, Page)],
        [(url, found) for url, found in outcome.items() if not isinstance(found, Page)],
        (time.monotonic() - began) * 1000,
    )


def _merged(
    fetcher: Fetcher, given: list[str], limit: int, outcome: dict[str, Page | KensakuError]
) -> list[str]:
    """The URLs to fetch. `outcome` gets a place for each, in the order in which they were given."""
    known: set[str] = set()
    wanted: list[str] = []
    for url in given:
        shown = url if isinstance(url, str) else repr(url)[:200]
        try:
            address = str(fetcher.door.parse(url))
        except FetchError as error:
            outcome[shown] = error
            continue
        if address in known:
            continue
        known.add(address)
        if len(wanted) == limit:
            outcome[url] = PageUnavailable(
                f"only {limit} URLs are read in one call", remedy="ask for it in another one"
            )
            continue
        wanted.append(url)
        outcome[url] = PageUnavailable("the page did not come before the deadline")
    return wanted


async def read_page(
    fetcher: Fetcher,
    parser: Parser,
    url: str,
    *,
    deadline: float | None = None,
    crawling: bool = False,
) -> Page:
    """One page, read: by HTTP, and by the browser when it is an empty shell and there is one."""
    page, _ = await read_both(fetcher, parser, url, deadline=deadline, crawling=crawling)
    return page


async def read_both(
    fetcher: Fetcher, parser: Parser, url: str, *, deadline: float | None, crawling: bool
) -> tuple[Page, Fetched]:
    """The page as it was read, and as it was fetched."""
    fetched = await fetcher.fetch(url, deadline=deadline, crawling=crawling)
    page = await _parsed(parser, fetched, url, deadline)
    if needs_browser(page) and fetched.rung != "browser":
        rendered = await fetcher.render(url, deadline=deadline)
        if rendered is not None:
            return await _parsed(parser, rendered, url, deadline), rendered
    return page, fetched


def needs_browser(page: Page) -> bool:
    """Whether the extractor found a shell that scripts would fill, or a check for robots."""
    return any(note.startswith(("needs JavaScript", "challenge page")) for note in page.notes)


async def _parsed(parser: Parser, fetched: Fetched, url: str, deadline: float | None) -> Page:
    try:
        async with asyncio.timeout_at(deadline):
            page = await parser.extract(
                fetched.body, url=fetched.final_url, content_type=fetched.content_type
            )
    except TimeoutError:
        raise PageUnavailable("the page was not read before the deadline") from None
    notes = [*page.notes, *fetched.notes]
    if fetched.rung == "browser":
        notes.append("read with a browser")
    if fetched.final_url != url and _moved(url, fetched.final_url):
        notes.append(f"redirected to {fetched.final_url}")
    # Who asked must find the page again by what was asked for; `canonical_url` says the rest.
    return replace(page, url=url, fetched_at=fetched.fetched_at, notes=tuple(dict.fromkeys(notes)))


def _moved(asked: str, final: str) -> bool:
    return asked.rstrip("/").partition("#")[0].lower() != final.rstrip("/").lower()

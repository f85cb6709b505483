"""Read pages in one event loop: `PageReader` joins a fetcher and a pool of parsing workers.

urls → check, merge duplicates, at most 20 → fetch → parse → Page
                                           → Page.needs_browser → browser → parse
"""

from __future__ import annotations

import asyncio
import copy
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, Protocol

from kensaku.errors import (
    ConfigError,
    FetchError,
    InvalidQuery,
    KensakuError,
    PageUnavailable,
    UnknownName,
)
from kensaku.extract import ParsePool
from kensaku.fetch.browser.browser import Browser
from kensaku.fetch.crawl.crawl import Crawl
from kensaku.fetch.crawl.plan import Plan
from kensaku.fetch.credentials import Credentials
from kensaku.fetch.fetcher import Fetcher
from kensaku.fetch.ladder import Ladder
from kensaku.fetch.limits import FetchLimits
from kensaku.fetch.policy import FetchPolicy
from kensaku.fetch.results import Extraction, Failure
from kensaku.fetch.signature import Signer
from kensaku.fetch.transport import PageTransport
from kensaku.messages import msg
from kensaku.models import Page, Progress, ProgressEvent
from kensaku.observe import NO_OBSERVERS, Observers, observe
from kensaku.operations import ExtractOperation
from kensaku.transport.egress import Egress
from kensaku.transport.guard import AddressGuard, CheckedURL

if TYPE_CHECKING:
    from pathlib import Path

    from kensaku.config.settings import Settings
    from kensaku.fetch.page_cache import FetchedPage
    from kensaku.store import Store

MAX_URLS = 20
AT_ONCE = 10  # pages of one call that are read at the same time; each host has its own limit


class Parser(Protocol):
    """Parse documents in workers that can be killed (`kensaku.extract.ParsePool`)."""

    def prestart(self) -> None: ...
    async def extract(self, data: bytes, *, url: str, content_type: str) -> Page: ...
    async def aclose(self) -> None: ...


class PageReader:
    """Fetch and parse pages. A reader belongs to the event loop in which it was made."""

    def __init__(
        self, fetcher: Fetcher, parser: Parser, *, crawls: Path | None = None, tenant: str = ""
    ) -> None:
        """`crawls` is the folder for the state of crawls; without it, none can be resumed."""
        self.fetcher, self.parser = fetcher, parser
        self._crawls, self._tenant = crawls, tenant

    @classmethod
    def from_settings(
        cls, settings: Settings, store: Store | None, observers: Observers = NO_OBSERVERS
    ) -> PageReader:
        """Make a reader as the settings say; `store` is for cached pages."""
        guard = AddressGuard.allowing(settings.fetch_allow, _ports(settings.fetch_ports))
        transport = PageTransport(
            replace(guard, egress=Egress.from_words(settings.egress)),
            FetchLimits(total=settings.fetch_timeout, decoded=settings.fetch_max_bytes),
            user_agent=settings.user_agent,
            proxy=settings.fetch_proxy or None,
            signer=Signer.from_settings(settings),
        )
        fetcher = Fetcher(
            transport,
            store=store,
            tenant=settings.tenant,
            policy=FetchPolicy(
                settings.fetch_robots,
                settings.fetch_optouts,
                at_once=settings.fetch_per_host,
            ),
            fresh=settings.fetch_fresh,
            browser=_browser(transport, settings.fetch_browser),
            ladder=Ladder.from_settings(settings),
            credentials=Credentials(settings.headers, guard) if settings.headers else None,
            observers=observers,
        )
        crawls = settings.home / "crawls"
        return cls(fetcher, ParsePool(), crawls=crawls, tenant=settings.tenant)

    def for_tenant(self, tenant: str) -> PageReader:
        """Return a reader with the same connections and workers, and its own page cache."""
        fetcher = copy.copy(self.fetcher)
        fetcher.cache = fetcher.cache and fetcher.cache.for_tenant(tenant)
        if tenant != self._tenant:
            fetcher.credentials = None  # they are the operator's
        return PageReader(fetcher, self.parser, crawls=self._crawls, tenant=tenant)

    async def extract(
        self,
        urls: str | Iterable[str],
        *,
        timeout: float = 60.0,  # noqa: ASYNC109 - one deadline for all pages
        limit: int = MAX_URLS,
        progress: Progress | None = None,
    ) -> Extraction:
        """Read several pages. Duplicates are merged; a page that fails does not stop the others.

        URLs over `limit`, and those that are not web addresses, are among the failed. Raise only
        for an empty list.
        """
        asked = [urls] if isinstance(urls, str) else list(urls)
        if not asked:
            raise InvalidQuery(
                msg("there is no URL to extract"), remedy=msg("give one to 20 of them")
            )
        began = time.monotonic()
        outcome: dict[str, Page | KensakuError] = {}
        wanted = self._merge(asked, limit, outcome)
        if wanted:
            self.parser.prestart()
        deadline = asyncio.get_running_loop().time() + timeout
        free = asyncio.Semaphore(AT_ONCE)
        done = 0

        async def read_one(url: str, checked: CheckedURL) -> None:
            nonlocal done
            async with free:
                try:
                    page, _ = await self.read(checked, as_url=url, deadline=deadline)
                    outcome[url] = page
                except FetchError as error:
                    outcome[url] = error
            done += 1
            if progress is not None:
                progress(ProgressEvent("extract", done, len(wanted)))

        await asyncio.gather(*(read_one(url, checked) for url, checked in wanted.items()))
        return Extraction(
            tuple(page for page in outcome.values() if isinstance(page, Page)),
            tuple(Failure(u, error) for u, error in outcome.items() if not isinstance(error, Page)),
            (time.monotonic() - began) * 1000,
        )

    async def read(
        self,
        url: str | CheckedURL,
        *,
        as_url: str = "",
        deadline: float | None = None,
        crawling: bool = False,
    ) -> tuple[Page, FetchedPage]:
        """Fetch and parse one page; load it in the browser when it needs one and there is one.

        `as_url` is the URL as the caller wrote it: the result must be found again by that.
        """
        checked = self.fetcher.transport.check_url(url)
        as_url = as_url or str(url)
        fetched = await self.fetcher.fetch(
            checked, deadline=deadline, crawling=crawling, copies=not crawling
        )
        page = await self._parse(fetched, as_url, deadline)
        if page.needs_browser and fetched.via != "browser" and fetched.source is None:
            rendered = await self.fetcher.render(checked, deadline=deadline)
            if rendered is not None:
                return await self._parse(rendered, as_url, deadline), rendered
        return page, fetched

    def crawl(
        self,
        url: str,
        *,
        resume: bool = False,
        progress: Progress | None = None,
        on_page: Callable[[Page], Awaitable[object]] | None = None,
        **options: Any,
    ) -> Crawl:
        """Prepare a crawl; it starts when it is awaited or iterated over.

        `options` are the fields of `Plan`. `on_page` is awaited with every page, before the crawl
        yields it.
        """
        known = {field.name for field in fields(Plan)} - {"url"}
        for name in options:
            if name not in known:
                raise UnknownName(msg("option"), name, known)
        plan = Plan(url, **options)
        state = plan.state_file(self._crawls, self._tenant) if self._crawls else None
        return Crawl(self, plan, state=state, resume=resume, progress=progress, on_page=on_page)

    async def close(self) -> None:
        """Close connections, workers and the browser."""
        await self.parser.aclose()
        await self.fetcher.close()

    def _merge(
        self, urls: list[str], limit: int, outcome: dict[str, Page | KensakuError]
    ) -> dict[str, CheckedURL]:
        """Return the URLs to fetch, each once; give every URL its entry in `outcome`, in order."""
        seen: set[str] = set()
        wanted: dict[str, CheckedURL] = {}
        for url in urls:
            try:
                checked = self.fetcher.transport.check_url(url)
            except FetchError as error:
                outcome[url if isinstance(url, str) else repr(url)[:200]] = error
                continue
            if str(checked) in seen:
                continue
            seen.add(str(checked))
            if len(wanted) == limit:
                outcome[url] = PageUnavailable(
                    msg("only {limit} URLs are read in one call", limit=limit),
                    remedy=msg("ask for it in another one"),
                )
                continue
            wanted[url] = checked
            outcome[url] = PageUnavailable(msg("the page did not come before the deadline"))
        return wanted

    async def _parse(self, fetched: FetchedPage, url: str, deadline: float | None) -> Page:
        observers, body = self.fetcher.observers, fetched.body
        with observe(observers, ExtractOperation, fetched.content_type, len(body)) as operation:
            try:
                async with asyncio.timeout_at(deadline):
                    page = await self.parser.extract(
                        body, url=fetched.final_url, content_type=fetched.content_type
                    )
            except TimeoutError:
                raise PageUnavailable(msg("the page was not read before the deadline")) from None
            except FetchError as error:
                if fetched.source is None:
                    raise
                told = msg("{copy}: {why}", copy=fetched.notes[0], why=error.message)
                raise PageUnavailable(told) from None
            operation.record(page)
        source = fetched.source
        notes = [*fetched.notes, *page.notes] if source else [*page.notes, *fetched.notes]
        if fetched.via == "browser":
            notes.append(msg("read with a browser"))
        if fetched.final_url != url and _is_elsewhere(url, fetched.final_url):
            notes.append(msg("redirected to {final_url}", final_url=fetched.final_url))
        unique = tuple(dict.fromkeys(notes))
        return replace(
            page,
            url=url,
            fetched_at=fetched.fetched_at,
            notes=unique,
            rung=source.rung if source else None,
            source_url=source.url if source else None,
        )


def _is_elsewhere(asked: str, final: str) -> bool:
    return asked.rstrip("/").partition("#")[0].lower() != final.rstrip("/").lower()


def _browser(transport: PageTransport, setting: str) -> Any:
    if not setting:
        return None
    return Browser(transport, "" if setting == "auto" else setting)


def _ports(words: tuple[str, ...]) -> list[int] | None:
    if words == ("any",):
        return None
    try:
        return [int(w) for w in words]
    except ValueError:
        raise ConfigError(
            msg("fetch.ports is {words!r}; expected numbers", words=", ".join(words)[:60])
        ) from None

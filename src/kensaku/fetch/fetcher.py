"""Fetch one page: cache → robots.txt → transport, hop by hop → the page, or one typed error.

url → check → fresh in the cache? → per hop: robots.txt → slot of the host → PageTransport.get
    → 304: the cached page · challenge: the browser, if there is one · error status · FetchedPage
    → an error, and a rung is allowed: a copy (`ladder.py`)
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Protocol

from kensaku.errors import FetchError, NotAllowed, PageUnavailable, TooLarge
from kensaku.fetch.browser.challenge import challenge_service
from kensaku.fetch.optouts import ALL_OPTOUTS, REFUSING, optouts
from kensaku.fetch.page_cache import FetchedPage, PageCache, utc_now
from kensaku.fetch.policy import FetchPolicy
from kensaku.fetch.politeness import HostPoliteness, origin_of
from kensaku.fetch.robots import ALLOW_ALL, UNREADABLE, Rules, product_token
from kensaku.messages import msg
from kensaku.observe import NO_OBSERVERS, Observers, observe
from kensaku.operations import FetchOperation

if TYPE_CHECKING:
    from yarl import URL

    from kensaku.fetch.browser.screenshot import Screenshot
    from kensaku.fetch.credentials import Credentials
    from kensaku.fetch.ladder import Ladder
    from kensaku.fetch.page_cache import CachedPage
    from kensaku.fetch.transport import PageResponse, PageTransport
    from kensaku.store import Store
    from kensaku.transport.guard import CheckedURL

HeadersOf = Callable[["URL"], Mapping[str, str]]
FRESH_SECONDS = 300.0  # when the server does not say for how long
KEEP_SECONDS = 86_400.0 * 7  # an expired page is kept this long for its validators
MANY_RULES = 500


class Renderer(Protocol):
    """Run a page's scripts, with the page transport as the only network.

    `headers_of` says what to send to the page's own host besides.
    """

    async def render(self, url: CheckedURL, headers_of: HeadersOf | None = None) -> FetchedPage: ...
    async def screenshot(
        self, url: CheckedURL, wanted: Screenshot, headers_of: HeadersOf | None = None
    ) -> str: ...
    async def close(self) -> None: ...


class Fetcher:
    """Fetch pages through the page transport, as `policy` says. Make one and keep it."""

    def __init__(
        self,
        transport: PageTransport,
        *,
        store: Store | None = None,
        tenant: str = "",
        policy: FetchPolicy | None = None,
        fresh: float = FRESH_SECONDS,
        keep: float = KEEP_SECONDS,
        browser: Renderer | None = None,
        ladder: Ladder | None = None,
        credentials: Credentials | None = None,
        observers: Observers = NO_OBSERVERS,
    ) -> None:
        self.transport, self.browser, self.observers = transport, browser, observers
        self.ladder, self.credentials = ladder, credentials
        self.policy = policy or FetchPolicy()
        self.cache = None if store is None else PageCache(store, tenant, fresh=fresh, keep=keep)
        self.politeness = HostPoliteness(
            self._get_robots_txt,
            transport.user_agent,
            at_once=self.policy.at_once,
            store=store,
            max_delay=self.policy.max_delay,
        )

    async def fetch(
        self,
        url: str | CheckedURL,
        *,
        deadline: float | None = None,
        crawling: bool = False,
        fresh: bool = False,
        copies: bool = False,
    ) -> FetchedPage:
        """Fetch the page at `url`. Raise `FetchError`.

        `deadline` is on the clock of the event loop. With `fresh`, ask the server even when the
        cache could answer; the server may still reply that nothing has changed. With `copies`, a
        page that is refused or gone may be read elsewhere, as the settings allow.
        """
        checked = self.transport.check_url(url)
        with observe(self.observers, FetchOperation, str(checked)) as operation:
            page = await self._fetch(checked, deadline, crawling, fresh, copies)
            operation.record(page)
        return page

    async def _fetch(
        self,
        checked: CheckedURL,
        deadline: float | None,
        crawling: bool,
        fresh: bool,
        copies: bool,
    ) -> FetchedPage:
        failed: FetchError | None = None
        try:
            async with asyncio.timeout_at(deadline):
                private = self.entry(checked) is not None
                cached = await self.cache.get(str(checked)) if self.cache and not private else None
                if cached is not None and cached.fresh and not fresh:
                    return self._apply_optouts(cached.page)
                try:
                    response = await self._follow_redirects(checked, cached, crawling)
                    page = await self._page_from(checked, response, cached)
                except FetchError as error:
                    if self.ladder is None or not copies:
                        raise
                    failed = error
                    return self._apply_optouts(await self.ladder.read(self, checked, error))
                page = replace(await self._note_optouts(page, crawling), is_private=private)
                if self.cache:
                    await self.cache.put(page)
                return self._apply_optouts(page)
        except TimeoutError:
            late = PageUnavailable(msg("the page did not come before the deadline"))
            raise failed or late from None

    async def render(
        self, url: str | CheckedURL, *, deadline: float | None = None
    ) -> FetchedPage | None:
        """Load the page in the browser; return None if there is no browser."""
        if self.browser is None:
            return None
        checked = self.transport.check_url(url)
        with observe(self.observers, FetchOperation, str(checked)) as operation:
            async with self._turn(checked, deadline):
                page = await self._load(checked)
            operation.record(page)
        return page

    async def screenshot(
        self, url: str | CheckedURL, wanted: Screenshot, *, deadline: float | None = None
    ) -> str | None:
        """Return a picture of the page as a `data:` URL; None if there is no browser."""
        if self.browser is None:
            return None
        checked = self.transport.check_url(url)
        async with self._turn(checked, deadline):
            return await self.browser.screenshot(checked, wanted, self._headers_of(checked))

    @asynccontextmanager
    async def _turn(self, url: CheckedURL, deadline: float | None) -> AsyncIterator[None]:
        """Check robots.txt, and hold a slot of the host, until the deadline."""
        rules = await self._check_robots(str(url), crawling=False)
        try:
            async with (
                asyncio.timeout_at(deadline),
                self.politeness.slot(origin_of(str(url)), rules.delay),
            ):
                yield
        except TimeoutError:
            raise PageUnavailable(msg("the page did not come before the deadline")) from None

    def entry(self, url: CheckedURL) -> str | None:
        """Return the host of the settings whose headers a page is read with."""
        return self.credentials.entry(url.parsed) if self.credentials else None

    async def rules(self, url: str) -> Rules:
        """Return the rules of the site's robots.txt, whatever the policy."""
        return await self.politeness.rules(url)

    async def close(self) -> None:
        """Close the connections and the browser."""
        if self.browser is not None:
            await self.browser.close()
        await self.transport.close()

    async def _follow_redirects(
        self, url: CheckedURL, cached: CachedPage | None, crawling: bool
    ) -> PageResponse:
        """Get `url` and each redirect target; check robots.txt and wait for a slot every time."""
        left = self.transport.limits.total
        entry = self.entry(url)
        for _ in range(self.transport.limits.redirects + 1):
            headers = cached.conditions(str(url)) if cached else {}
            if self.credentials is not None:
                headers |= self.credentials.headers(url.parsed, entry)
            response, took = await self.hop(url, headers, left, crawling=crawling)
            left -= took
            if response.location is None:
                return response
            url = self.transport.check_url(response.location)
        raise TooLarge(
            msg(
                "the page redirects more than {redirects} times",
                redirects=self.transport.limits.redirects,
            )
        )

    async def hop(
        self,
        url: CheckedURL,
        headers: Mapping[str, str] | None,
        seconds: float,
        *,
        crawling: bool = False,
        check_robots: bool = True,
    ) -> tuple[PageResponse, float]:
        """Send one request, when robots.txt allows it and the host has a slot.

        Return the response, and the seconds that it took without waiting for the slot.
        """
        rules = await self._check_robots(str(url), crawling) if check_robots else ALLOW_ALL
        loop = asyncio.get_running_loop()
        async with self.politeness.slot(origin_of(str(url)), rules.delay):
            began = loop.time()
            return await self._get(url, headers, seconds), loop.time() - began

    async def _get(
        self, url: CheckedURL, headers: Mapping[str, str] | None, seconds: float
    ) -> PageResponse:
        try:
            async with asyncio.timeout(max(0.0, seconds)) as timeout:
                return await self.transport.get(url, headers)
        except TimeoutError:
            if not timeout.expired():
                raise
            total = self.transport.limits.total
            raise PageUnavailable(
                msg("the page took longer than {total:g} s", total=total)
            ) from None

    async def _check_robots(self, url: str, crawling: bool) -> Rules:
        """Return the rules of the site, or raise `NotAllowed` when they forbid `url`."""
        if self.policy.robots == "never" or (self.policy.robots == "crawl" and not crawling):
            return ALLOW_ALL
        rules = await self.politeness.rules(url)
        if rules is UNREADABLE:
            raise NotAllowed(
                msg("the site's robots.txt cannot be read now, and may forbid this"),
                remedy=msg("try again in ten minutes"),
            )
        path = url[len(origin_of(url)) :]
        # Some sites have thousands of rules, which take as long to match as a page to parse.
        many = len(rules.allow) + len(rules.disallow) > MANY_RULES
        if not (await asyncio.to_thread(rules.allows, path) if many else rules.allows(path)):
            raise NotAllowed(
                msg("the site's robots.txt asks robots to stay out"),
                remedy=msg("read it in a browser, or ask the site's owner"),
            )
        return rules

    async def _get_robots_txt(self, url: str) -> PageResponse:
        checked, left = self.transport.check_url(url), self.transport.limits.total
        for _ in range(self.transport.limits.redirects + 1):
            async with self.politeness.slot(origin_of(str(checked))):
                response = await self._get(checked, None, left)
            if response.location is None:
                return response
            checked = self.transport.check_url(response.location)
        return replace(response, status=404)  # RFC 9309: as if there were none

    async def _page_from(
        self, url: CheckedURL, response: PageResponse, cached: CachedPage | None
    ) -> FetchedPage:
        if response.status == 304 and cached is not None:
            headers = {**cached.page.headers, **response.headers}
            return replace(cached.page, headers=headers, fetched_at=utc_now())
        if service := challenge_service(response.status, response.headers, response.body):
            return await self._render_challenge(url, service)
        if not 200 <= response.status < 300:
            raise PageUnavailable(
                msg("the server answered {status}", status=response.status), status=response.status
            )
        return FetchedPage(
            url=str(url),
            final_url=response.url,
            status=response.status,
            content_type=response.headers.get("content-type", ""),
            body=response.body,
            headers=response.headers,
            fetched_at=utc_now(),
        )

    async def _render_challenge(self, url: CheckedURL, service: str) -> FetchedPage:
        """Load a challenge in the browser; raise when there is none, or it does not pass."""
        page = None if self.browser is None else await self._rendered(url)
        if page is None or challenge_service(page.status, page.headers, page.body):
            raise PageUnavailable(
                msg(
                    "the site asks visitors to pass a check for robots ({service})", service=service
                ),
                remedy="" if self.browser else msg("a browser may pass it: set fetch.browser"),
                challenge=service,
            )
        return page

    async def _rendered(self, url: CheckedURL) -> FetchedPage | None:
        try:
            return await self._load(url)
        except PageUnavailable:
            return None  # the check, again

    async def _load(self, url: CheckedURL) -> FetchedPage:
        """Load a page in the browser, with the headers for its host if there are any."""
        assert self.browser is not None
        headers_of = self._headers_of(url)
        page = await self.browser.render(url, headers_of)
        return replace(page, is_private=True) if headers_of else page

    def _headers_of(self, url: CheckedURL) -> HeadersOf | None:
        """Return what the browser's requests to the host of a page are sent with, if anything."""
        entry = self.entry(url)
        if entry is None or self.credentials is None:
            return None
        return partial(self.credentials.headers, entry=entry)

    async def _note_optouts(self, page: FetchedPage, crawling: bool) -> FetchedPage:
        """Add the page's opt-outs to its notes. The cache keeps them whatever today's policy."""
        rules = await self._check_robots(page.final_url, crawling)
        robot = product_token(self.transport.user_agent)
        sentences = optouts(page.headers, page.body, rules.signals, robot)
        return replace(page, notes=tuple(dict.fromkeys((*page.notes, *sentences))))

    def _apply_optouts(self, page: FetchedPage) -> FetchedPage:
        refusing = [note for note in page.notes if note in REFUSING]
        if refusing and self.policy.optouts == "refuse":
            raise NotAllowed(refusing[0])
        if self.policy.optouts == "ignore":
            return replace(page, notes=tuple(n for n in page.notes if n not in ALL_OPTOUTS))
        return page

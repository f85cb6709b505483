"""A headless Chromium for pages that are made by scripts (extra `browser`).

    url → a new context, whose only network is `Proxy` → scripts run → the HTML, or a picture

The browser is replaced after a number of pages, some minutes, or too much memory: browsers leak.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from kensaku.errors import ConfigError, FetchError, PageUnavailable, TooLarge
from kensaku.fetch.browser.chromium import Chromium, find_chromium
from kensaku.fetch.browser.private_host import PrivateHost
from kensaku.fetch.browser.proxy import Proxy
from kensaku.fetch.page_cache import FetchedPage, utc_now
from kensaku.messages import msg
from kensaku.transport.guard import refused

if TYPE_CHECKING:
    from kensaku.config.settings import Settings
    from kensaku.fetch.browser.screenshot import Screenshot
    from kensaku.fetch.fetcher import HeadersOf
    from kensaku.fetch.transport import PageTransport
    from kensaku.transport.guard import CheckedURL


@dataclass(frozen=True, slots=True)
class BrowserLimits:
    """When a browser is replaced, and how much one page may load."""

    pages: int = 100
    seconds: float = 600.0
    memory: int = 1_500 * 2**20  # of all its processes
    at_once: int = 2
    settle: float = 2.0  # seconds that scripts may go on after the page has loaded
    wire: int = 30 * 2**20  # everything that one page loads


class Browser:
    """Render pages, each in a context of its own. Chromium starts on first use."""

    def __init__(
        self, transport: PageTransport, executable: str = "", limits: BrowserLimits | None = None
    ) -> None:
        if transport.proxy is not None:
            raise ConfigError(
                msg("fetch.browser does not go through fetch.proxy"),
                remedy=msg("set only one of them"),
            )
        self._transport, self._limits = transport, limits or BrowserLimits()
        self._executable = executable or find_chromium()
        self._free = asyncio.Semaphore(self._limits.at_once)
        self._starting = asyncio.Lock()
        self._chromium: Chromium | None = None

    async def render(
        self, url: str | CheckedURL, headers_of: HeadersOf | None = None
    ) -> FetchedPage:
        """Return the page after its scripts have run. Raise `FetchError`.

        The browser itself never has what `headers_of` returns: our transport sends it, to the
        page's own host.
        """
        checked = self._transport.check_url(url)
        async with self._visit(checked, headers_of) as (_, page, response):
            size = await page.evaluate("document.documentElement.outerHTML.length")
            if size > self._transport.limits.decoded:
                raise TooLarge(msg("the page that its scripts have made is too large"))
            html = await page.content()
            return FetchedPage(
                url=str(checked),
                final_url=str(self._transport.check_url(page.url)),
                status=response.status,
                content_type="text/html; charset=utf-8",
                body=html.encode("utf-8", "replace"),
                headers={n.lower(): v for n, v in response.headers.items()},
                fetched_at=utc_now(),
                via="browser",
            )

    async def screenshot(
        self, url: str | CheckedURL, wanted: Screenshot, headers_of: HeadersOf | None = None
    ) -> str:
        """Return a picture of the page as a `data:` URL. Raise `FetchError`."""
        checked = self._transport.check_url(url)
        async with self._visit(checked, headers_of, wanted) as (context, page, _):
            return await wanted.take(context, page)

    async def close(self) -> None:
        """Stop the browser."""
        if self._chromium is not None:
            chromium, self._chromium = self._chromium, None
            await chromium.stop()

    async def _running(self) -> Chromium:
        async with self._starting:
            if self._chromium is None:
                self._chromium = await Chromium.start(self._executable)
            return self._chromium

    async def _retire(self, chromium: Chromium) -> None:
        """Stop a browser that has reached a limit, once no page uses it."""
        chromium.pages += 1
        limits = self._limits
        old = chromium.pages >= limits.pages or chromium.age >= limits.seconds
        if not (chromium.spent or old or await chromium.memory() > limits.memory):
            return
        if self._chromium is chromium:
            self._chromium = None
        if not chromium.busy:
            await chromium.stop()

    @asynccontextmanager
    async def _visit(
        self, url: CheckedURL, headers_of: HeadersOf | None, picture: Screenshot | None = None
    ) -> AsyncIterator[tuple[Any, Any, Any]]:
        """Yield a context, the page that it has loaded, and the response. Raise `FetchError`."""
        async with self._free:
            chromium = await self._running()
            chromium.busy += 1
            try:
                async with (
                    asyncio.timeout(self._transport.limits.total),
                    Proxy(self._transport, self._limits.wire) as proxy,
                    chromium.context(proxy, self._transport.user_agent, picture) as context,
                ):
                    if headers_of is not None:
                        private = PrivateHost(self._transport, proxy, headers_of)
                        await context.route("**/*", private.answer)
                    page = await context.new_page()
                    yield context, page, await self._load(page, proxy, url)
            except FetchError:
                raise
            except TimeoutError:
                chromium.spent = True  # it may still be running that page's scripts
                raise PageUnavailable(msg("the browser took too long")) from None
            except Exception:
                raise PageUnavailable(msg("the browser could not load the page")) from None
            finally:
                chromium.busy -= 1
                await self._retire(chromium)

    async def _load(self, page: Any, proxy: Proxy, url: CheckedURL) -> Any:
        """Load a page and let its scripts run; return the response."""
        page.on("popup", lambda other: asyncio.ensure_future(_close(other)))
        page.on("dialog", lambda dialog: asyncio.ensure_future(dialog.dismiss()))
        host = url.parsed.raw_host or ""
        try:
            response = await page.goto(str(url), wait_until="domcontentloaded", timeout=0)
        except Exception:
            if host in proxy.refused:
                raise refused() from None
            raise
        if response is None or {host, urlsplit(response.url).hostname} & proxy.refused:
            raise refused()
        with suppress(Exception):
            await page.wait_for_load_state("networkidle", timeout=self._limits.settle * 1000)
        if not 200 <= response.status < 300:
            raise PageUnavailable(msg("the server answered {status}", status=response.status))
        return response


def has_browser(settings: Settings) -> bool:
    """Whether pages can be loaded in a browser: it is set, and its package is there."""
    return bool(settings.fetch_browser) and find_spec("playwright") is not None


async def _close(page: Any) -> None:
    with suppress(Exception):
        await page.close()

"""A headless Chromium for pages that are made by scripts (extra `browser`).

    url → a new context, whose only network is `Proxy` → scripts run → the HTML they made

The browser is a child process without our environment. It is replaced after a number of pages, some
minutes, or too much memory: browsers leak. Nothing is downloaded: it is the system's Chromium.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from kensaku.errors import ConfigError, FetchError, MissingExtra, PageUnavailable, TooLarge
from kensaku.fetch.browser.private_host import PrivateHost
from kensaku.fetch.browser.proxy import Proxy
from kensaku.fetch.page_cache import FetchedPage, utc_now
from kensaku.messages import msg
from kensaku.transport.guard import refused

if TYPE_CHECKING:
    from kensaku.fetch.fetcher import HeadersOf
    from kensaku.fetch.transport import PageTransport
    from kensaku.transport.guard import CheckedURL

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
SEARCH_PATH = "/usr/bin:/usr/local/bin:/opt/google/chrome:/snap/bin:/opt/homebrew/bin"
_BLOCKED_RESOURCES = (
    "image",
    "media",
    "font",
    "eventsource",
    "websocket",
    "manifest",
    "ping",
    "other",
)
_FLAGS = (
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",  # it looks up no name at all
    "--proxy-bypass-list=<-loopback>",  # … and sends loopback traffic to the proxy, too
    # WebRTC would send UDP past the proxy. The first name is today's, the second of before 2024.
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-sync",
    "--disable-breakpad",
    "--disable-client-side-phishing-detection",
    "--no-pings",
    "--no-first-run",
    "--dns-prefetch-disable",
    "--disable-features=AsyncDns,DnsOverHttps,OptimizationHints,MediaRouter,WebTransport,"
    "NetworkPrediction,Prerender2,SpareRendererForSitePerProcess,InterestFeedContentSuggestions",
    "--js-flags=--max-old-space-size=512",
    "--disable-dev-shm-usage",
)
# Remove what scripts of the page could use to go around the proxy.
_INIT_SCRIPT = """
for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "RTCDataChannel",
                    "WebTransport", "WebSocket", "EventSource", "SharedWorker"])
  try { Object.defineProperty(globalThis, name, {value: undefined, configurable: false}); } catch {}
"""


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
        self._chromium: _Chromium | None = None

    async def render(
        self, url: str | CheckedURL, headers_of: HeadersOf | None = None
    ) -> FetchedPage:
        """Return the page after its scripts have run. Raise `FetchError`.

        The browser itself never has what `headers_of` returns: our transport sends it, to the
        page's own host.
        """
        checked = self._transport.check_url(url)
        async with self._free:
            chromium = await self._running()
            chromium.busy += 1
            try:
                async with asyncio.timeout(self._transport.limits.total):
                    return await self._render(chromium, checked, headers_of)
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

    async def close(self) -> None:
        """Stop the browser."""
        if self._chromium is not None:
            chromium, self._chromium = self._chromium, None
            await chromium.stop()

    async def _running(self) -> _Chromium:
        async with self._starting:
            if self._chromium is None:
                self._chromium = await _Chromium.start(self._executable)
            return self._chromium

    async def _retire(self, chromium: _Chromium) -> None:
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

    async def _render(
        self, chromium: _Chromium, url: CheckedURL, headers_of: HeadersOf | None
    ) -> FetchedPage:
        async with Proxy(self._transport, self._limits.wire) as proxy:
            context = await chromium.context(proxy, self._transport.user_agent)
            try:
                if headers_of is not None:
                    private = PrivateHost(self._transport, proxy, headers_of)
                    await context.route("**/*", private.answer)
                return await self._load(context, proxy, url)
            finally:
                with suppress(Exception):
                    async with asyncio.timeout(3):
                        await context.close()

    async def _load(self, context: Any, proxy: Proxy, url: CheckedURL) -> FetchedPage:
        page = await context.new_page()
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
        size = await page.evaluate("document.documentElement.outerHTML.length")
        if size > self._transport.limits.decoded:
            raise TooLarge(msg("the page that its scripts have made is too large"))
        html = await page.content()
        return FetchedPage(
            url=str(url),
            final_url=str(self._transport.check_url(page.url)),
            status=response.status,
            content_type="text/html; charset=utf-8",
            body=html.encode("utf-8", "replace"),
            headers={n.lower(): v for n, v in response.headers.items()},
            fetched_at=utc_now(),
            via="browser",
        )


class _Chromium:
    """One browser process, and how much it has been used."""

    def __init__(self, driver: Any, browser: Any) -> None:
        self._driver, self._browser = driver, browser
        self._began = time.monotonic()
        self.pages = self.busy = 0
        self.spent = False

    @classmethod
    async def start(cls, executable: str) -> _Chromium:
        try:
            from playwright.async_api import async_playwright
        except ImportError:
            raise MissingExtra("Playwright", "browser") from None
        driver = await async_playwright().start()
        try:
            browser = await driver.chromium.launch(
                executable_path=executable,
                args=list(_FLAGS),
                env={"PATH": SEARCH_PATH, "HOME": "/nonexistent", "LANG": "C.UTF-8"},
                # Chromium's own sandbox does not start for root, as containers often have it.
                chromium_sandbox=getattr(os, "geteuid", lambda: 1)() != 0,
                # Traffic that belongs to no page goes to a port where nothing listens.
                proxy={"server": "http://127.0.0.1:9"},
            )
        except BaseException:
            await driver.stop()
            raise
        return cls(driver, browser)

    @property
    def age(self) -> float:
        """Seconds since it was started."""
        return time.monotonic() - self._began

    async def context(self, proxy: Proxy, user_agent: str) -> Any:
        """Make a context for one page: no cookies, no cache, no service workers, no downloads."""
        version = self._browser.version.partition(".")[0]
        context = await self._browser.new_context(
            proxy={
                "server": proxy.address,
                "username": proxy.username,
                "password": proxy.password,
            },
            user_agent=(
                "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "
                f"Chrome/{version}.0.0.0 Safari/537.36 {user_agent}"
            ),
            service_workers="block",
            accept_downloads=False,
        )
        await context.add_init_script(_INIT_SCRIPT)
        await context.route("**/*", _route_request)
        return context

    async def memory(self) -> int:
        """Return the resident bytes of its processes; 0 where the system does not say."""
        try:
            session = await self._browser.new_browser_cdp_session()
            info = await session.send("SystemInfo.getProcessInfo")
            await session.detach()
            return sum(_resident_bytes(process["id"]) for process in info["processInfo"])
        except Exception:
            return 0

    async def stop(self) -> None:
        """Close the browser; kill it when that takes too long."""
        with suppress(Exception):
            async with asyncio.timeout(5):
                await self._browser.close()
        with suppress(Exception):
            async with asyncio.timeout(5):
                await self._driver.stop()


def find_chromium() -> str:
    """Return the path of the system's Chromium. Raise when there is none."""
    paths = (shutil.which(name, path=SEARCH_PATH) for name in NAMES)
    if (path := next(filter(None, paths), None)) is None:
        raise ConfigError(
            msg("there is no Chromium on this machine"),
            remedy=msg("install it, or set fetch.browser to its path"),
        )
    return path


async def _route_request(route: Any) -> None:
    """Block the resources that add no text to a page."""
    request = route.request
    if request.resource_type in _BLOCKED_RESOURCES or not request.url.startswith(
        ("http:", "https:")
    ):
        await route.abort()
    else:
        await route.continue_()


async def _close(page: Any) -> None:
    with suppress(Exception):
        await page.close()


def _resident_bytes(process: int) -> int:
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")

"""The next rung: a headless Chromium for pages that are made by scripts (extra `browser`).

    url → a fresh context, whose only network is `Proxy` → scripts run → the HTML they made

The browser is a child process without our environment, and is replaced after so many pages, so
many minutes, or so much memory: browsers leak. Nothing is downloaded: it is the system's Chromium.
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
from kensaku.fetch.browser.proxy import Proxy
from kensaku.fetch.guard import refused
from kensaku.fetch.page_cache import Fetched, now

if TYPE_CHECKING:
    from kensaku.fetch.transport import Door

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
PLACES = "/usr/bin:/usr/local/bin:/opt/google/chrome:/snap/bin:/opt/homebrew/bin"
_SKIPPED = ("image", "media", "font", "eventsource", "websocket", "manifest", "ping", "other")
_FLAGS = (
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",  # it looks up no name at all
    "--proxy-bypass-list=<-loopback>",  # … and takes loopback for a place like any other
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
# Scripts of the page find no way around the proxy to try.
_INIT = """
for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "RTCDataChannel",
                    "WebTransport", "WebSocket", "EventSource", "SharedWorker"])
  try { Object.defineProperty(globalThis, name, {value: undefined, configurable: false}); } catch {}
"""


@dataclass(frozen=True, slots=True)
class BrowserLimits:
    """When a browser is replaced, and what one page may cost."""

    pages: int = 100
    seconds: float = 600.0
    memory: int = 1_500 * 2**20  # of all its processes
    at_once: int = 2
    settle: float = 2.0  # how long scripts may go on after the page is there
    wire: int = 30 * 2**20  # everything that one page loads


class Browser:
    """Renders pages, one context each. Started on first use."""

    def __init__(
        self, door: Door, executable: str = "", limits: BrowserLimits | None = None
    ) -> None:
        if door.proxy is not None:
            raise ConfigError(
                "fetch.browser does not go through fetch.proxy", remedy="set only one of them"
            )
        self._door, self._limits = door, limits or BrowserLimits()
        self._executable = executable or find_chromium()
        self._gate = asyncio.Semaphore(self._limits.at_once)
        self._starting = asyncio.Lock()
        self._chromium: _Chromium | None = None

    async def render(self, url: str) -> Fetched:
        """The page after its scripts have run. Raises `FetchError`."""
        self._door.parse(url)
        async with self._gate:
            chromium = await self._ready()
            chromium.busy += 1
            try:
                async with asyncio.timeout(self._door.limits.total):
                    return await self._render(chromium, url)
            except FetchError:
                raise
            except TimeoutError:
                chromium.spent = True  # it may still be running that page's scripts
                raise PageUnavailable("the browser took too long") from None
            except Exception:
                raise PageUnavailable("the browser could not load the page") from None
            finally:
                chromium.busy -= 1
                await self._retire(chromium)

    async def close(self) -> None:
        """End the browser."""
        if self._chromium is not None:
            chromium, self._chromium = self._chromium, None
            await chromium.stop()

    async def _ready(self) -> _Chromium:
        async with self._starting:
            if self._chromium is None:
                self._chromium = await _Chromium.start(self._executable)
            return self._chromium

    async def _retire(self, chromium: _Chromium) -> None:
        """Let a browser go that has done its share, when nobody uses it any more."""
        chromium.pages += 1
        limits = self._limits
        old = chromium.pages >= limits.pages or chromium.age >= limits.seconds
        if not (chromium.spent or old or await chromium.memory() > limits.memory):
            return
        if self._chromium is chromium:
            self._chromium = None
        if not chromium.busy:
            await chromium.stop()

    async def _render(self, chromium: _Chromium, url: str) -> Fetched:
        async with Proxy(self._door, self._limits.wire) as proxy:
            context = await chromium.context(proxy, self._door.user_agent)
            try:
                return await self._load(context, proxy, url)
            finally:
                with suppress(Exception):
                    async with asyncio.timeout(3):
                        await context.close()

    async def _load(self, context: Any, proxy: Proxy, url: str) -> Fetched:
        page = await context.new_page()
        page.on("popup", lambda other: asyncio.ensure_future(_closed(other)))
        page.on("dialog", lambda dialog: asyncio.ensure_future(dialog.dismiss()))
        host = self._door.parse(url).raw_host or ""
        try:
            response = await page.goto(url, wait_until="domcontentloaded", timeout=0)
        except Exception:
            if host in proxy.refused:
                raise refused() from None
            raise
        if response is None or {host, urlsplit(response.url).hostname} & proxy.refused:
            raise refused()
        with suppress(Exception):
            await page.wait_for_load_state("networkidle", timeout=self._limits.settle * 1000)
        if not 200 <= response.status < 300:
            raise PageUnavailable(f"the server answered {response.status}")
        size = await page.evaluate("document.documentElement.outerHTML.length")
        if size > self._door.limits.decoded:
            raise TooLarge("the page that its scripts have made is too large")
        html = await page.content()
        return Fetched(
            url=url,
            final_url=str(self._door.parse(page.url)),
            status=response.status,
            content_type="text/html; charset=utf-8",
            body=html.encode("utf-8", "replace"),
            headers={n.lower(): v for n, v in response.headers.items()},
            fetched_at=now(),
            rung="browser",
        )


class _Chromium:
    """One browser process, and how much it was used."""

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
            raise MissingExtra("Playwright, which drives the browser,", "browser") from None
        driver = await async_playwright().start()
        try:
            browser = await driver.chromium.launch(
                executable_path=executable,
                args=list(_FLAGS),
                env={"PATH": PLACES, "HOME": "/nonexistent", "LANG": "C.UTF-8"},
                # Chromium's own sandbox does not start for root, as containers often have it.
                chromium_sandbox=getattr(os, "geteuid", lambda: 1)() != 0,
                # Traffic that belongs to no page meets a port where nobody listens.
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
        """A profile for one page: no cookies, no cache, no service workers, no downloads."""
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
        await context.add_init_script(_INIT)
        await context.route("**/*", _only_what_makes_text)
        return context

    async def memory(self) -> int:
        """Bytes that its processes hold, as far as this system tells."""
        try:
            session = await self._browser.new_browser_cdp_session()
            found = await session.send("SystemInfo.getProcessInfo")
            await session.detach()
            return sum(_resident(process["id"]) for process in found["processInfo"])
        except Exception:
            return 0

    async def stop(self) -> None:
        """End it, at once if it does not want to."""
        with suppress(Exception):
            async with asyncio.timeout(5):
                await self._browser.close()
        with suppress(Exception):
            async with asyncio.timeout(5):
                await self._driver.stop()


def find_chromium() -> str:
    """The system's Chromium. Raises when there is none."""
    found = (shutil.which(name, path=PLACES) for name in NAMES)
    if (path := next(filter(None, found), None)) is None:
        raise ConfigError(
            "there is no Chromium on this machine",
            remedy="install it, or say where it is: fetch.chromium",
        )
    return path


async def _only_what_makes_text(route: Any) -> None:
    request = route.request
    if request.resource_type in _SKIPPED or not request.url.startswith(("http:", "https:")):
        await route.abort()
    else:
        await route.continue_()


async def _closed(page: Any) -> None:
    with suppress(Exception):
        await page.close()


def _resident(process: int) -> int:
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")

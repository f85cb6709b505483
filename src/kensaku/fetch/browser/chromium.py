"""One process of Chromium: how it is started, what its pages may load, how much it has been used.

It is a child process without our environment. Nothing is downloaded: it is the system's Chromium.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from collections.abc import AsyncIterator, Container
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kensaku.errors import ConfigError, MissingExtra
from kensaku.messages import msg

if TYPE_CHECKING:
    from kensaku.fetch.browser.proxy import Proxy
    from kensaku.fetch.browser.screenshot import Screenshot

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
SEARCH_PATH = "/usr/bin:/usr/local/bin:/opt/google/chrome:/snap/bin:/opt/homebrew/bin"
_BLOCKED = frozenset({"media", "eventsource", "websocket", "manifest", "ping", "other"})
_PICTURED = frozenset({"image", "font"})  # what adds no text
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


class Chromium:
    """One browser process, and how much it has been used."""

    def __init__(self, driver: Any, browser: Any) -> None:
        self._driver, self._browser = driver, browser
        self._began = time.monotonic()
        self.pages = self.busy = 0
        self.spent = False

    @classmethod
    async def start(cls, executable: str) -> Chromium:
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

    @asynccontextmanager
    async def context(
        self, proxy: Proxy, user_agent: str, picture: Screenshot | None
    ) -> AsyncIterator[Any]:
        """Yield a context for one page: no cookies, no cache, no service workers, no downloads."""
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
            **({"viewport": {"width": picture.width, "height": picture.height}} if picture else {}),
        )
        try:
            await context.add_init_script(_INIT_SCRIPT)
            blocked = _BLOCKED if picture else _BLOCKED | _PICTURED
            await context.route("**/*", partial(_route_request, blocked))
            yield context
        finally:
            with suppress(Exception):
                async with asyncio.timeout(3):
                    await context.close()

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


async def _route_request(blocked: Container[str], route: Any) -> None:
    """Block the resources that add nothing to what is read of a page."""
    request = route.request
    if request.resource_type in blocked or not request.url.startswith(("http:", "https:")):
        await route.abort()
    else:
        await route.continue_()


def _resident_bytes(process: int) -> int:
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")

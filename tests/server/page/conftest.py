"""A real browser for the page: Debian's Chromium, driven by Playwright."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from kensaku.errors import ConfigError
from kensaku.fetch.browser.chromium import find_chromium
from tests.server.page_client import link_of

# Debian's Chromium without windows takes three quarters of the CPU. Not by its name on the PATH:
# that is a script, which passes no signals on.
HEADLESS = "/usr/lib/chromium/chromium-headless-shell"
try:
    from playwright.async_api import async_playwright

    CHROMIUM = HEADLESS if os.path.exists(HEADLESS) else find_chromium()
except (ImportError, ConfigError):
    CHROMIUM = ""
needs_chromium = pytest.mark.skipif(not CHROMIUM, reason="no Chromium, or no Playwright")

FLAGS = ["--headless", "--remote-debugging-port=0", "--no-sandbox", "--disable-gpu",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--no-first-run"]  # fmt: skip
AXE = Path(__file__).parent / "axe/node_modules/axe-core/axe.min.js"
needs_axe = pytest.mark.skipif(
    not AXE.exists(), reason="axe-core is not installed: npm ci in tests/server/page/axe"
)
# A run that is killed leaves no browser behind, which would keep a core busy.
DIES_WITH_US = ["setpriv", "--pdeathsig", "KILL"] if shutil.which("setpriv") else []
OpenPage = Callable[..., Any]
PATIENCE = 120_000  # milliseconds; what takes longer on a busy machine hangs


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of one Chromium for all tests of this process: starting it takes a second."""
    profile = tmp_path_factory.mktemp("chromium")
    profile_flag = f"--user-data-dir={profile}"
    command = [*DIES_WITH_US, CHROMIUM, *FLAGS, profile_flag, "about:blank"]
    environ = {**os.environ, "HOME": str(profile)}
    with subprocess.Popen(command, env=environ, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        said = (re.search(r"DevTools listening on (ws://\S+)", line) for line in process.stderr)
        address = next(match for match in said if match).group(1)
        drain = threading.Thread(target=process.stderr.read)  # or it waits for somebody to read
        drain.start()
        yield address
        process.terminate()
        drain.join()


@pytest.fixture
async def open_page(browser: None, chromium: str) -> AsyncIterator[OpenPage]:
    """`await open_page(url, width=360)` → a page whose console must stay silent.

    On a server without keys, `server` or the one of the address, it is its owner's.
    """
    problems: list[str] = []

    def listen(page: Any) -> None:
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on(
            "console", lambda m: problems.append(m.text) if m.type in ("error", "warning") else None
        )

    async with async_playwright() as playwright, AsyncExitStack() as stack:
        browser = await playwright.chromium.connect_over_cdp(chromium, timeout=PATIENCE)

        async def open_(
            url: str, *, server: str = "", width: int = 1280, silent: bool = True, **options: Any
        ) -> Any:
            context = await browser.new_context(viewport={"width": width, "height": 900}, **options)
            stack.push_async_callback(context.close)
            context.set_default_timeout(PATIENCE)
            if (server or url).startswith("http"):
                await context.request.get(link_of("/".join((server or url).split("/")[:3])))
            page = await context.new_page()
            if silent:
                listen(page)
            await page.goto(url)
            return page

        yield open_
    assert problems == []


async def assert_accessible(page: Any, what: str) -> None:
    """axe finds nothing serious in the light theme, and in the dark one no weak contrast."""
    await page.add_script_tag(path=AXE)
    for theme, rules in (("light", None), ("dark", ["color-contrast"])):
        await page.emulate_media(color_scheme=theme)
        found = await page.evaluate(
            "rules => axe.run(rules ? {runOnly: rules} : {}).then(r => r.violations)", rules
        )
        serious = [
            (v["id"], [node["html"][:120] for node in v["nodes"]][:3])
            for v in found
            if v["impact"] in ("serious", "critical")
        ]
        assert serious == [], (what, theme)
    await page.emulate_media(color_scheme="light")

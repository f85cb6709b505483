"""A real browser for the page: Debian's Chromium, driven by Playwright."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from kensaku.errors import ConfigError
from kensaku.fetch.browser.browser import find_chromium

try:
    from playwright.async_api import async_playwright

    CHROMIUM = find_chromium()
except (ImportError, ConfigError):
    CHROMIUM = ""
needs_chromium = pytest.mark.skipif(not CHROMIUM, reason="no Chromium, or no Playwright")

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
OpenPage = Callable[..., Any]
PATIENCE = 120_000  # milliseconds; what takes longer on a busy machine hangs


@pytest.fixture
async def open_page(tmp_path: Path) -> AsyncIterator[OpenPage]:
    """`await open_page(url, width=360)` → a page whose console must stay silent."""
    problems: list[str] = []

    def listen(page: Any) -> None:
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on(
            "console", lambda m: problems.append(m.text) if m.type in ("error", "warning") else None
        )

    async with async_playwright() as playwright:
        env = {**os.environ, "HOME": str(tmp_path)}
        browser = await playwright.chromium.launch(
            executable_path=CHROMIUM, args=FLAGS, env=env, timeout=PATIENCE
        )

        async def open_(url: str, *, width: int = 1280, silent: bool = True, **options: Any) -> Any:
            context = await browser.new_context(viewport={"width": width, "height": 900}, **options)
            context.set_default_timeout(PATIENCE)
            page = await context.new_page()
            if silent:
                listen(page)
            await page.goto(url)
            return page

        yield open_
        await browser.close()
    assert problems == []

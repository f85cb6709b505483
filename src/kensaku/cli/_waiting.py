"""Show progress while a search runs: providers and elapsed time. Terminals only."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import TextIO

from kensaku.cli._terminal import supports_color
from kensaku.search.listen import Asked, Said, SearchEvent, listening

AFTER_SECONDS = 0.4  # a quick answer needs no sign
FRAME_SECONDS = 0.1
FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"


@asynccontextmanager
async def waiting(stream: TextIO | None = None) -> AsyncIterator[None]:
    """Draw a line on stderr while the body waits, and erase it."""
    out = stream or sys.stderr
    if not supports_color(out):
        yield
        return
    asked: dict[str, None] = {}

    def follow(event: SearchEvent) -> None:
        if isinstance(event, Asked):
            asked[event.provider] = None
        elif isinstance(event, Said):
            asked.pop(event.attempt.provider, None)

    task = asyncio.create_task(_draw(out, asked))
    try:
        with listening(follow):
            yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _draw(out: TextIO, asked: dict[str, None]) -> None:
    loop = asyncio.get_running_loop()
    began = loop.time()
    await asyncio.sleep(AFTER_SECONDS)
    try:
        await _draw_frames(out, asked, began)
    finally:
        out.write("\r\x1b[K")
        out.flush()


async def _draw_frames(out: TextIO, asked: dict[str, None], began: float) -> None:
    loop, n = asyncio.get_running_loop(), 0
    while True:
        names = ", ".join(asked) or "…"
        line = f"{FRAMES[n % len(FRAMES)]} {names} {loop.time() - began:.0f} s"
        out.write(f"\r\x1b[K\x1b[2m{line[:36]}\x1b[0m")  # short: a line that wraps is not erased
        out.flush()
        n += 1
        await asyncio.sleep(FRAME_SECONDS)

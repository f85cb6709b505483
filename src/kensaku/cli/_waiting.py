"""Show progress while a search runs: providers and elapsed time. Terminals only."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, TextIO

from kensaku.cli._terminal import ProgressBar, supports_color
from kensaku.search.listen import Asked, Said, SearchEvent, listening

if TYPE_CHECKING:
    from kensaku.models import Progress

AFTER_SECONDS = 0.4  # a quick answer needs no sign
FRAME_SECONDS = 0.1
FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"


@asynccontextmanager
async def waiting(
    stream: TextIO | None = None, *, bar: Progress | None = None
) -> AsyncIterator[None]:
    """Draw a line on stderr while the body waits, and erase it.

    While `bar` shows the progress of long work, the line is the bar's.
    """
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

    def is_hidden() -> bool:
        return isinstance(bar, ProgressBar) and bar.is_drawn

    task = asyncio.create_task(_draw(out, asked, is_hidden))
    try:
        with listening(follow):
            yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _draw(out: TextIO, asked: dict[str, None], is_hidden: Callable[[], bool]) -> None:
    loop = asyncio.get_running_loop()
    began = loop.time()
    await asyncio.sleep(AFTER_SECONDS)
    try:
        await _draw_frames(out, asked, began, is_hidden)
    finally:
        out.write("\r\x1b[K")
        out.flush()


async def _draw_frames(
    out: TextIO, asked: dict[str, None], began: float, is_hidden: Callable[[], bool]
) -> None:
    loop, n = asyncio.get_running_loop(), 0
    while True:
        names = ", ".join(asked) or "…"
        line = f"{FRAMES[n % len(FRAMES)]} {names} {loop.time() - began:.0f} s"
        if not is_hidden():
            out.write(f"\r\x1b[K\x1b[2m{line[:36]}\x1b[0m")  # short: one that wraps is not erased
            out.flush()
        n += 1
        await asyncio.sleep(FRAME_SECONDS)

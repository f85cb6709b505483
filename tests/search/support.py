"""What several tests of a search use."""

from __future__ import annotations

import asyncio
import time

from kensaku.models import Hit

LONG = "word " * 100 + "end"  # 503 characters: more than Tavily takes


def hit(name: str, title: str = "Otters", content: str = "All about otters") -> Hit:
    return Hit(url=f"https://{name}.example/", title=title, content=content)


async def turns(count: int) -> None:
    """Let the event loop turn so many times."""
    for _ in range(count):
        await asyncio.sleep(0)


async def until(happened) -> None:
    """Let others work until something has happened; ten minutes are enough for anything."""
    async with asyncio.timeout(600):
        while not happened():  # noqa: ASYNC110 - the upstream tells nobody
            await asyncio.sleep(0.001)


async def noticed(happened) -> None:
    """Let others work until something has happened, though clocks may stand still."""
    give_up = time.perf_counter() + 600
    while not happened():
        assert time.perf_counter() < give_up
        await asyncio.sleep(0)


def with_key(start: str):
    return lambda seen: seen.headers.get("authorization", "").startswith(f"Bearer {start}")


def document(url: str, text: str):
    from kensaku import Document

    return Document(url=url, title=text, text=text)

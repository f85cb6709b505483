"""Workers can hang, crash or run out of memory; the caller gets a typed error and goes on."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from kensaku.errors import TooLarge, Unparsable
from kensaku.extract import ParsePool, extract

HTML = b"<html><head><title>Otters</title></head><body><p>Otters swim in rivers and eat fish.</p></body></html>"
SLOW = (
    b"<style>"
    + b"".join(b"p:not(.a%d) ~ p ~ p ~ p{display:none}" % n for n in range(3_000))
    + b"</style>"
)
SLOW += b"<p>x</p>" * 30_000


async def test_a_page_from_a_worker_is_the_page_from_here() -> None:
    """The wire must lose nothing."""
    async with ParsePool(1) as pool:
        page = await pool.extract(HTML, "https://example.org/", "text/html")

    assert page == extract(HTML, url="https://example.org/", content_type="text/html")


async def test_errors_keep_their_type_and_sentence() -> None:
    """A caller decides by type."""
    async with ParsePool(1) as pool:
        with pytest.raises(Unparsable, match="PNG"):
            await pool.extract(b"\x89PNG\r\n\x1a\n" + b"\x00" * 20)
        with pytest.raises(TooLarge, match="deep"):
            await pool.extract(b"<div>" * 100_000)
        assert (await pool.extract(HTML)).title == "Otters"


async def test_a_hung_worker_is_killed_and_the_next_call_gets_a_new_one() -> None:
    """No time limit inside the process interrupts a parser written in C."""
    async with ParsePool(1, timeout=20) as pool:
        await pool.extract(HTML)
        pool._timeout = 0.3
        with pytest.raises(TooLarge, match="longer than"):
            await pool.extract(SLOW)
        pool._timeout = 20
        assert (await pool.extract(HTML)).title == "Otters"


async def test_a_crashed_worker_is_replaced() -> None:
    """A crash of the parser must not look like an empty page."""
    async with ParsePool(1, timeout=20) as pool:
        await pool.extract(HTML)
        (worker,) = pool._all
        call = asyncio.create_task(pool.extract(SLOW))
        await asyncio.sleep(0.1)
        os.kill(worker._process.pid, signal.SIGKILL)
        with pytest.raises(Unparsable, match="crash"):
            await call
        assert (await pool.extract(HTML)).title == "Otters"


async def test_a_worker_has_its_memory_limited() -> None:
    """1 GB by default; less here, so that the test needs none."""
    async with ParsePool(1, memory=90 * 1024 * 1024, timeout=30) as pool:
        with pytest.raises((TooLarge, Unparsable)):
            await pool.extract(b"<p>" + "wörter ".encode() * 2_000_000)
        assert (await pool.extract(HTML)).title == "Otters"


async def test_a_worker_is_replaced_after_its_share_of_pages() -> None:
    """Whatever a library leaks goes with the process."""
    async with ParsePool(1, pages_per_worker=2) as pool:
        seen = set()
        for _ in range(4):
            await pool.extract(HTML)
            seen |= {w._process.pid for w in pool._all}

    assert len(seen) == 2


async def test_a_cancelled_call_leaves_no_half_read_answer() -> None:
    """The next caller would otherwise get the page of the one before."""
    async with ParsePool(1, timeout=20) as pool:
        call = asyncio.create_task(pool.extract(SLOW, "https://example.org/slow"))
        await asyncio.sleep(0.05)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert (
            await pool.extract(HTML, "https://example.org/next")
        ).url == "https://example.org/next"


async def test_the_event_loop_runs_on_while_a_worker_parses() -> None:
    """One page must not hold up all others: the loop turns many times during a parse."""
    turns = 0

    async def turn() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0.01)
            turns += 1

    async with ParsePool(1, timeout=0.5) as pool:
        ticker = asyncio.create_task(turn())
        with pytest.raises(TooLarge):
            await pool.extract(SLOW)
        ticker.cancel()

    assert turns >= 5


async def test_a_closed_pool_says_so() -> None:
    """A call after the end is a mistake of the program."""
    pool = ParsePool(1)
    await pool.extract(HTML)
    await pool.aclose()
    with pytest.raises(RuntimeError, match="closed"):
        await pool.extract(HTML)


async def test_workers_see_no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys live in the environment; a parser has no use for them."""
    monkeypatch.setenv("TAVILY_API_KEY", "tvly-secret")
    async with ParsePool(1) as pool:
        await pool.extract(HTML)
        (worker,) = pool._all
        environment = await asyncio.to_thread(
            Path(f"/proc/{worker._process.pid}/environ").read_bytes
        )

    assert b"tvly-secret" not in environment

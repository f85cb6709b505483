"""The event loop is never blocked: it keeps ticking while searches are slow."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest

from kensaku import Outcome
from kensaku.testing import FakeUpstream, faults
from tests import ROOT

TICK = 0.005


class Heart:
    """Counts its own beats; a blocked loop misses them."""

    def __init__(self) -> None:
        self.beats = 0

    async def beat(self) -> None:
        while True:
            await asyncio.sleep(TICK)
            self.beats += 1

    async def __aenter__(self) -> Heart:
        self._task = asyncio.create_task(self.beat())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)


async def test_the_loop_ticks_while_fifty_searches_are_slow(make_client, upstream, clock):
    """State and cache on disk, hanging and late upstreams, all modes."""
    upstream.fails("tavily", faults.delay(0.1))
    upstream.fails("brave", faults.hang())
    client = make_client("tavily", "brave", state_url="", cache_url="")
    await client.search("warm")
    modes = ["first", "hedge", "all"]

    async with Heart() as heart:
        searches = [
            asyncio.create_task(client.search(f"otters {n}", mode=modes[n % 3], timeout=300))
            for n in range(50)
        ]
        while heart.beats < 100:  # noqa: ASYNC110 - a blocked loop never gets there
            await asyncio.sleep(0)
        assert not all(task.done() for task in searches)
        clock.advance(300)
        found = await asyncio.gather(*searches)

    assert any(r.outcome is Outcome.FOUND for r in found)


@pytest.mark.usefixtures("processes")
def test_the_loop_ticks_while_the_http_library_is_loaded(machine):
    """Its first import takes a third of a second: it is done beside the loop."""
    code = """
import asyncio, sys
sys.path.insert(0, sys.argv[1])
from tests.test_heartbeat import Heart
from kensaku import Kensaku

async def main():
    async with Kensaku(route="tavily", cache_enabled=False) as k:
        assert "aiohttp" not in sys.modules
        async with Heart() as heart:
            await k.resources.reader().fetcher.transport.ready()
        assert "aiohttp" in sys.modules
        print((await k.search("otters")).outcome, heart.beats)

asyncio.run(main())
"""
    with FakeUpstream.in_thread() as up:
        done = subprocess.run(
            [sys.executable, "-c", code, str(ROOT)],
            env={"KENSAKU_HOME": str(machine), **up.environment("tavily")},
            capture_output=True,
            text=True,
            check=False,
        )

    assert done.stderr == ""
    outcome, beats = done.stdout.split()
    assert outcome == "found"
    assert int(beats) >= 3

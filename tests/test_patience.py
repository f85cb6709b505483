"""A timeout that counts what the event loop could do."""

from __future__ import annotations

import asyncio

import pytest

from kensaku._patience import patience


async def _turns(count: int = 20) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


@pytest.mark.parametrize("start", [None, 3.0])
async def test_the_body_has_its_seconds_in_ten_steps(clock, start):
    """One jump of the clock is one step, however far; the start may be later."""
    loop = asyncio.get_running_loop()
    now, steps = loop.time(), 0

    async def wait() -> None:
        async with patience(10.0, None if start is None else now + start):
            await asyncio.Event().wait()

    task = asyncio.create_task(wait())
    await _turns()
    if start:
        clock.advance(start)
        await _turns()
    while not task.done():
        clock.advance(1.0 if steps else 600.0)
        steps += 1
        await _turns()

    with pytest.raises(TimeoutError):
        task.result()
    assert steps == 10


async def test_a_body_that_ends_in_time_leaves_no_timer(clock):
    """It is cancelled, and nothing happens later."""
    async with patience(1.0):
        await _turns()
    clock.advance(60)
    await _turns()

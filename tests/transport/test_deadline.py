"""Deadlines that share timers behave as `asyncio.timeout_at` does."""

from __future__ import annotations

import asyncio

import pytest

from kensaku._deadline import _TICKS, TICK, until


def now() -> float:
    return asyncio.get_running_loop().time()


async def test_who_is_late_is_told_so_and_not_before_its_time():
    """A search that ends early, or is cut early, would be a lie about its deadline."""
    ends = now() + 0.03

    with pytest.raises(TimeoutError), until(ends):
        await asyncio.sleep(60)

    assert now() >= ends
    assert not asyncio.current_task().cancelling()


async def test_a_deadline_that_is_over_ends_the_first_wait():
    """Also when others have just been told of the same hundredth of a second."""
    for _ in range(2):
        with pytest.raises(TimeoutError), until(now() - 1):
            await asyncio.sleep(60)


async def test_who_is_in_time_hears_nothing_and_leaves_nothing_behind():
    """Thousands a second would otherwise leave thousands of timers."""
    with until(now() + 60):
        await asyncio.sleep(0)

    assert not _TICKS[asyncio.get_running_loop()]


async def test_many_share_a_timer_and_each_ends_for_itself():
    """One that is done does not end the time of the others."""
    ends = (now() // TICK + 3) * TICK

    async def one(seconds: float) -> str:
        try:
            with until(ends):
                await asyncio.sleep(seconds)
        except TimeoutError:
            return "late"
        return "done"

    tasks = [asyncio.ensure_future(one(s)) for s in (0, 60, 0, 60)]
    await asyncio.sleep(0)

    assert len(_TICKS[asyncio.get_running_loop()]) == 1
    assert await asyncio.gather(*tasks) == ["done", "late", "done", "late"]


async def test_the_inner_one_of_two_ends_alone():
    """An attempt that is out of time must not end the search around it."""
    with until(now() + 60):
        with pytest.raises(TimeoutError), until(now() + 0.01):
            await asyncio.sleep(60)
        await asyncio.sleep(0)


async def test_who_is_cancelled_by_somebody_else_stays_cancelled():
    """A caller that gives up is not told of a deadline."""

    async def patient() -> None:
        with until(now() + 60):
            await asyncio.sleep(60)

    task = asyncio.ensure_future(patient())
    await asyncio.sleep(0)
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task


async def test_an_error_of_the_block_comes_through():
    """Also at the very moment at which the time is over."""

    async def clumsy() -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            raise ZeroDivisionError from None

    with pytest.raises(ZeroDivisionError), until(now() - 1):
        await clumsy()

    assert not asyncio.current_task().cancelling()

"""The limits on one page."""

from __future__ import annotations

import asyncio

import pytest

from kensaku.errors import (
    ConfigError,
)
from kensaku.fetch import FetchLimits
from kensaku.fetch.body import read_body


@pytest.mark.parametrize("field", ["connect", "total", "wire", "decoded", "per_host"])
def test_a_bound_of_nothing_is_refused(field):
    """A limit that lets nothing through is a mistake in the settings."""
    with pytest.raises(ConfigError):
        FetchLimits(**{field: 0})


async def test_a_buffer_that_is_always_full_does_not_hold_the_event_loop():
    """Other tasks get a turn after every read, however many reads need no waiting."""
    turns, reads = 0, 0

    async def count_turns():
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    async def read():
        nonlocal reads
        reads += 1
        return b"x" if reads <= 500 else b""

    other = asyncio.create_task(count_turns())
    body = await read_body(read, encoding="", length=None, limits=FetchLimits())
    other.cancel()

    assert len(body) == 500
    assert turns >= 500

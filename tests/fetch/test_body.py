"""A body is read within all limits."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from kensaku.errors import ConfigError, PageUnavailable, TooLarge
from kensaku.fetch import FetchLimits
from kensaku.fetch.body import read_body
from kensaku.fetch.limits import MIB


def sends(*chunks: bytes) -> Callable[[], Awaitable[bytes]]:
    """What reads these chunks, and then nothing."""
    rest = list(chunks)

    async def read() -> bytes:
        return rest.pop(0) if rest else b""

    return read


async def body(*chunks: bytes, encoding: str = "", length: int | None = None, cut: int | None = None,
               **limits: float) -> bytes:  # fmt: skip
    bounds = FetchLimits(**limits)  # type: ignore[arg-type]
    return await read_body(sends(*chunks), encoding=encoding, length=length, limits=bounds, cut=cut)


async def test_a_body_may_be_as_long_as_the_limit() -> None:
    """And not a byte longer, whether its length is said or found out."""
    assert await body(b"12345", b"67890", length=10, wire=10) == b"1234567890"
    for length in (None, 11):
        with pytest.raises(TooLarge, match=r"^the page has more than 2 MiB$"):
            await body(bytes(MIB), bytes(MIB), b"x", length=length and 2 * MIB + 1, wire=2 * MIB)


async def test_what_is_too_long_by_its_header_is_not_read() -> None:
    """Unless only the beginning is wanted."""
    with pytest.raises(TooLarge):
        await body(b"short", length=11, wire=10)
    assert await body(b"short", length=11, wire=10, cut=100) == b"short"


async def test_an_unpacked_body_has_a_limit_of_its_own() -> None:
    """It is said which one."""
    packed = zlib.compress(bytes(MIB), wbits=31)

    assert await body(packed, encoding="gzip", decoded=MIB) == bytes(MIB)
    with pytest.raises(TooLarge, match=r"^the page has more than 0.5 MiB when unpacked$"):
        await body(packed, encoding="gzip", decoded=MIB // 2)


async def test_a_body_is_cut_without_an_error() -> None:
    """Between two of its parts, at the last one that fits."""
    assert await body(b"12345", b"678", b"9", cut=8) == b"12345678"
    assert await body(b"12345", b"6789", b"0", cut=8) == b"12345"
    assert await body(b"12345", cut=8) == b"12345"


@pytest.mark.parametrize(
    ("chunks", "encoding", "least"),
    [([zlib.compress(bytes(5 * MIB), wbits=31)], "gzip", 5), ([b"x"] * 500, "", 500)],
    ids=["unpacking", "a buffer that is always full"],
)
async def test_reading_lets_other_tasks_run(chunks: list[bytes], encoding: str, least: int) -> None:
    """After each mebibyte that is unpacked, and after each read that need not wait."""
    turns = 0

    async def count_turns() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    other = asyncio.create_task(count_turns())
    await body(*chunks, encoding=encoding)
    other.cancel()

    assert turns >= least


async def test_a_silent_server_is_given_up() -> None:
    """When a window has passed without enough bytes."""

    async def read() -> bytes:
        await asyncio.Event().wait()
        return b""

    limits = FetchLimits(slow_window=0.001, slow_bytes=1_000)
    with pytest.raises(PageUnavailable, match=r"^the server sends the page too slowly$"):
        await read_body(read, encoding="", length=None, limits=limits)


@pytest.mark.parametrize(("last", "enough"), [(50, True), (49, False)])
async def test_every_window_needs_its_bytes_and_the_end_none(
    clock: Any, last: int, enough: bool
) -> None:
    """A slow server is read on while it sends ten bytes a second, however long its end takes."""
    rest = [b"x" * 90, b"y" * 50, b"z" * last, b""]

    async def read() -> bytes:
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        clock.advance(5)
        return rest.pop(0)

    limits = FetchLimits(slow_bytes=10, slow_window=5)
    if enough:
        found = await read_body(read, encoding="", length=None, limits=limits)
        assert len(found) == 190
    else:
        with pytest.raises(PageUnavailable, match="too slowly"):
            await read_body(read, encoding="", length=None, limits=limits)


@pytest.mark.parametrize("field", ["connect", "total", "wire", "decoded", "per_host"])
def test_a_bound_of_nothing_is_refused(field: str) -> None:
    """A limit that lets nothing through is a mistake in the settings."""
    with pytest.raises(ConfigError):
        FetchLimits(**{field: 0})  # type: ignore[arg-type]

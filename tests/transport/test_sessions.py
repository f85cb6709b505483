"""A connection ends a reply that is mostly framing, and keeps one that is not."""

from __future__ import annotations

import asyncio

import pytest

from kensaku.errors import Unreadable
from kensaku.providers.base import Request
from kensaku.transport.http import HttpClient
from kensaku.transport.sessions import FRAMING_SLACK, MAX_FRAMING_BYTES

from .raw_server import RawServer

OK = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


def chunks(size: int, count: int) -> bytes:
    return b"%x\r\n%s\r\n" % (size, b"x" * size) * count


async def send(*parts: bytes) -> int:
    """Return the size of the body that was read."""

    async def script(writer: asyncio.StreamWriter) -> None:
        for part in parts:
            writer.write(part)
            await writer.drain()

    async with RawServer(script) as server:
        http = HttpClient(user_agent="test")
        try:
            return len((await http.send(Request(server.url + "/odd"), "test")).body)
        finally:
            await http.close()


@pytest.mark.parametrize("size", [1, 2, 3])
async def test_more_framing_than_body_ends_the_reply(size):
    """Long before the bound on all framing: tiny chunks take the longest to parse."""
    count = MAX_FRAMING_BYTES // 8
    assert FRAMING_SLACK < 5 * count < MAX_FRAMING_BYTES

    with pytest.raises(Unreadable, match="larger than"):
        await send(OK, chunks(size, count), b"0\r\n\r\n")


@pytest.mark.parametrize(("size", "count"), [(1, 20_000), (24, 100_000), (65_536, 100)])
async def test_a_body_in_chunks_is_read_whole(size, count):
    """A server may send what it has, line by line; a paused parser holds some of it."""
    assert await send(OK, chunks(size, count), b"0\r\n\r\n") == size * count

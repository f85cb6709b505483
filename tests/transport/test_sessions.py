"""A connection ends a reply that is mostly framing, and keeps one that is not."""

from __future__ import annotations

import asyncio

import aiohttp
import pytest

from kensaku.errors import Unreadable
from kensaku.providers.base import Request
from kensaku.transport.egress import Egress
from kensaku.transport.http import HttpClient
from kensaku.transport.sessions import FRAMING_SLACK, MAX_FRAMING_BYTES, provider_session

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


def reply(headers: int = 1, size: int = 0) -> bytes:
    """A reply with so many header fields, and a body of this size."""
    fields = [b"Content-Length: %d" % size, *(b"X-%d: a" % n for n in range(headers - 1))]
    return b"HTTP/1.1 200 OK\r\n" + b"\r\n".join(fields) + b"\r\n\r\n" + b"x" * size


@pytest.mark.parametrize(
    ("taken", "refused"),
    [
        (reply(headers=200), reply(headers=201)),
        (reply(size=16 * 2**20), reply(size=16 * 2**20 + 1)),
    ],
    ids=["headers", "bytes"],
)
async def test_a_reply_is_taken_up_to_its_bound(taken, refused):
    """The last header and the last byte, and none more."""
    assert await send(taken) == len(taken.partition(b"\r\n\r\n")[2])
    with pytest.raises(Unreadable):
        await send(refused)


async def test_a_session_waits_and_pools_as_it_should():
    """aiohttp's own defaults wait 30 s for a connection, keep cookies and read proxies."""
    async with provider_session({"User-Agent": "test"}, Egress()) as session:
        connector = session.connector

        assert session.timeout.total is None  # the caller has a deadline
        assert session.timeout.sock_connect == 5
        assert connector is not None
        assert (connector.limit, connector.limit_per_host) == (0, 128)
        assert isinstance(session.cookie_jar, aiohttp.DummyCookieJar)
        assert not session.trust_env
        assert not session.auto_decompress
        assert session.headers["User-Agent"] == "test"

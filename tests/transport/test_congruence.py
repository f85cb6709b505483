"""Every awkward reply, through the one HTTP client: a reply or a typed error, never a wrong one.

After each of them the next request on the same client gets its own reply. Where httpx, which is
built on another parser, has a well-defined result, ours is the same.
"""

from __future__ import annotations

import asyncio
import gzip
import threading
import zlib
from collections.abc import AsyncIterator
from typing import Any, NamedTuple

import httpx
import pytest

from kensaku.errors import ProviderError, Unreachable, Unreadable
from kensaku.transport import http as transport
from kensaku.transport.http import HttpClient
from kensaku.transport.request import Request
from kensaku.transport.sessions import MAX_HEAD_BYTES, MAX_REPLY_BYTES

from .raw_server import RawServer, Script, reply, sends, sends_forever

OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
LONG = b'{"a": "' + b"x" * 10**6 + b'"}'  # 1 MB, and 1 KB as gzip
GZIP, DEFLATE = b"Content-Encoding: gzip\r\n", b"Content-Encoding: deflate\r\n"


@pytest.fixture
async def http() -> AsyncIterator[HttpClient]:
    client = HttpClient(user_agent="test")
    yield client
    await client.close()


async def outcome(http: HttpClient, url: str, **request: object) -> object:
    """(status, body), or the type of the error."""
    try:
        async with asyncio.timeout(60):  # a hanging client fails the test, and only that
            got = await http.send(Request(url, **request), "tavily")  # type: ignore[arg-type]
    except ProviderError as error:
        return type(error)
    return got.status, got.body


async def outcome_of_httpx(url: str) -> object:
    """The same by httpx: its protocol errors are either of ours."""
    async with httpx.AsyncClient(trust_env=False, timeout=60) as client:
        try:
            got = await client.get(url)
        except (httpx.RemoteProtocolError, httpx.DecodingError, httpx.ReadError):
            return ProviderError
    return got.status_code, got.content


class Case(NamedTuple):
    """What the server sends, and what comes back. `alone`: httpx has another opinion."""

    script: Script
    result: object
    alone: str = ""


def kept(*pieces: bytes) -> Script:
    return sends(*pieces)


def closed(*pieces: bytes) -> Script:
    return sends(*pieces, close=True)


FOUND = (200, b"{}")
CASES = {
    # --- where the reply ends
    "nothing at all": Case(closed(), Unreachable),
    "cut inside the status": Case(closed(b"HTTP/1.1 20"), Unreachable),
    "cut after the status line": Case(closed(OK), Unreachable),
    "cut inside a header": Case(closed(OK + b"Content-Length: 2\r\nX-"), Unreachable),
    "cut before the empty line": Case(closed(OK + b"Content-Length: 2\r\n"), Unreachable),
    "no length, until close": Case(closed(OK + b"\r\n{", b"}"), FOUND),
    "connection close": Case(closed(reply(headers=b"Connection: close\r\n")), FOUND),
    "connection close, and left open": Case(kept(reply(headers=b"Connection: close\r\n")), FOUND),
    "shorter than its length": Case(closed(OK + b"Content-Length: 9\r\n\r\n{}"), Unreachable),
    "longer, in one segment": Case(
        kept(reply() + b"garbage"), Unreadable, "httpx drops what follows"
    ),
    "byte by byte": Case(kept(*(bytes([b]) for b in reply())), FOUND),
    # --- lengths
    "two lengths": Case(kept(reply(headers=b"Content-Length: 1\r\n")), Unreadable),
    "the same length twice": Case(
        kept(reply(headers=b"Content-Length: 2\r\n")), Unreadable, "httpx takes it"
    ),
    "a negative length": Case(kept(OK + b"Content-Length: -2\r\n\r\n{}"), Unreadable),
    "a length with a sign": Case(kept(OK + b"Content-Length: +2\r\n\r\n{}"), Unreadable),
    "a length in words": Case(kept(OK + b"Content-Length: two\r\n\r\n{}"), Unreadable),
    "a length and chunks": Case(
        kept(OK + b"Content-Length: 99\r\n" + CHUNKED[len(OK) :] + b"2\r\n{}\r\n0\r\n\r\n"),
        Unreadable,
        "httpx believes the chunks",
    ),
    # --- chunks
    "chunks": Case(kept(CHUNKED + b"1\r\n{\r\n", b"1\r\n}\r\n0\r\n\r\n"), FOUND),
    "chunk extensions": Case(
        kept(CHUNKED + b'1;a=b;c="d"\r\n{\r\n1;x\r\n}\r\n0;y\r\n\r\n'), FOUND
    ),
    "trailers": Case(kept(CHUNKED + b"2\r\n{}\r\n0\r\nX-A: b\r\n\r\n"), FOUND),
    "chunks of one byte": Case(
        kept(CHUNKED + b"".join(b"1\r\n%c\r\n" % b for b in LONG[:20_000]) + b"0\r\n\r\n"),
        (200, LONG[:20_000]),
    ),
    "a chunk longer than it says": Case(kept(CHUNKED + b"1\r\n{}\r\n0\r\n\r\n"), Unreadable),
    "a chunk shorter than it says": Case(closed(CHUNKED + b"5\r\n{}\r\n0\r\n\r\n"), Unreadable),
    "a negative chunk": Case(kept(CHUNKED + b"-1\r\n{}\r\n0\r\n\r\n"), Unreadable),
    "a chunk of 2**72 bytes": Case(
        kept(CHUNKED + b"F" * 18 + b"\r\n{}\r\n0\r\n\r\n"), Unreadable, "httpx waits for them"
    ),
    "no last chunk": Case(closed(CHUNKED + b"2\r\n{}\r\n"), Unreachable),
    # --- encodings
    "gzip of 1 MB": Case(kept(reply(gzip.compress(LONG), GZIP)), (200, LONG)),
    "gzip in chunks": Case(
        kept(
            OK + GZIP + b"Transfer-Encoding: chunked\r\n\r\n16\r\n" + gzip.compress(b"{}"),
            b"\r\n0\r\n\r\n",
        ),
        FOUND,
    ),
    "gzip cut off": Case(
        kept(reply(gzip.compress(LONG)[:-20], GZIP)), Unreachable, "httpx returns the beginning"
    ),
    "gzip in two members": Case(
        kept(reply(gzip.compress(b"{") + gzip.compress(b"}"), GZIP)),
        FOUND,
        "httpx returns the first",
    ),
    "gzip that is none": Case(kept(reply(b"{}", GZIP)), Unreachable),
    "gzip of nothing": Case(kept(reply(b"", GZIP)), (200, b"")),
    "deflate": Case(kept(reply(zlib.compress(LONG), DEFLATE)), (200, LONG)),
    "deflate without its wrapper": Case(kept(reply(zlib.compress(b"{}")[2:-4], DEFLATE)), FOUND),
    "an encoding that was not accepted": Case(
        kept(reply(headers=b"Content-Encoding: aes128gcm\r\n")), Unreadable, "httpx ignores it"
    ),
    # --- more than one reply
    "100 Continue first": Case(kept(b"HTTP/1.1 100 Continue\r\n\r\n" + reply()), FOUND),
    "100 Continue in a segment of its own": Case(
        kept(b"HTTP/1.1 100 Continue\r\n\r\n", reply()), FOUND
    ),
    "early hints first": Case(
        kept(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + reply()), FOUND
    ),
    "two replies in one segment": Case(kept(reply() + reply(b'{"second": 1}')), FOUND),
    "two replies in two segments": Case(kept(reply(), reply(b'{"second": 1}')), FOUND),
    "101 that nobody asked for": Case(
        kept(b"HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n" + reply()),
        (101, b""),
        "httpx raises",
    ),
    # --- other ways to write it
    "HTTP/1.0": Case(closed(b"HTTP/1.0 200 OK\r\n\r\n{}"), FOUND),
    "HTTP/1.0, kept": Case(
        kept(b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\n{}"), FOUND
    ),
    "lower-case names": Case(kept(b"HTTP/1.1 200 ok\r\ncontent-length: 2\r\n\r\n{}"), FOUND),
    "a folded header": Case(kept(reply(headers=b"X-A: b\r\n c\r\n")), FOUND),
    "bare line feeds": Case(kept(b"HTTP/1.1 200 OK\nContent-Length: 2\n\n{}"), FOUND),
    "no reason": Case(kept(b"HTTP/1.1 200\r\nContent-Length: 2\r\n\r\n{}"), FOUND),
    "a header that is not UTF-8": Case(kept(reply(headers=b"X-A: \xff\xfe\r\n")), FOUND),
    "a header with a NUL": Case(kept(reply(headers=b"X-A: a\0b\r\n")), Unreadable),
    "a header without a colon": Case(kept(reply(headers=b"X-A\r\n")), Unreadable),
    "a name with a space": Case(kept(reply(headers=b"X A: b\r\n")), Unreadable),
    "not HTTP": Case(closed(b"{}"), Unreadable),
    "status 99": Case(kept(reply(status=b"99 X")), Unreadable),
    "status 2000": Case(kept(reply(status=b"2000 X")), Unreadable),
    "204": Case(kept(b"HTTP/1.1 204 No Content\r\n\r\n"), (204, b"")),
    "204 with a body": Case(kept(reply(status=b"204 X")), Unreadable, "httpx drops the body"),
    "304": Case(kept(b"HTTP/1.1 304 Not Modified\r\n\r\n"), (304, b"")),
}  # fmt: skip


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("name", CASES)
async def test_a_reply_is_read_or_refused_and_the_next_one_is_its_own(name, method, http):
    """A wrong reply taken for the right one would be an answer to somebody else's question."""
    case = CASES[name]
    body = {} if method == "GET" else {"json": {"query": "otters"}}
    async with RawServer(case.script) as server:
        await outcome(http, server.url + "/plain/0")

        assert await outcome(http, server.url + "/odd", **body) == case.result
        for n in range(3):
            assert await outcome(http, f"{server.url}/plain/{n}") == (200, b"/plain/%d" % n)

        assert server.requests.count(f"{method} /odd") == 1


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if not case.alone])
async def test_it_is_what_httpx_makes_of_it(name):
    """A second client, of other authors and with another parser."""
    case = CASES[name]
    failed = isinstance(case.result, type)
    async with RawServer(case.script) as server:
        assert await outcome_of_httpx(server.url + "/odd") == (
            ProviderError if failed else case.result
        )


# --- bounds

ENDLESS = {
    "1xx replies": (b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 4000),
    "empty lines": (b"", b"\r\n" * 50_000),
    "a status line": (b"HTTP/1.1 200 ", b"a" * 100_000),
    "headers": (OK, b"a: b\r\n" * 20_000),
    "long headers": (OK, b"a: " + b"b" * 10_000 + b"\r\n"),
    "one header": (OK + b"a: ", b"a" * 100_000),
    "one name": (OK, b"a" * 100_000),
    "a body": (OK + b"\r\n", b"a" * 100_000),
    "chunks": (CHUNKED, b"4000\r\n" + b"a" * 0x4000 + b"\r\n"),
    "chunks of one byte": (CHUNKED, b"1\r\nx\r\n" * 20_000),
    "chunk extensions": (CHUNKED, b"1;a=b\r\nx\r\n" * 10_000),
    "one chunk extension": (CHUNKED + b"1;", b"a" * 100_000),
    "trailers": (CHUNKED + b"0\r\n", b"a: b\r\n" * 20_000),
}


@pytest.mark.parametrize("name", ENDLESS)
async def test_a_reply_without_an_end_is_refused(name, http):
    """No reply may keep the event loop busy until the deadline, or fill the memory."""
    async with RawServer(sends_forever(*ENDLESS[name])) as server:
        assert await outcome(http, server.url + "/odd") is Unreadable
        assert await outcome(http, server.url + "/plain/1") == (200, b"/plain/1")


async def test_a_head_may_have_64_kib(http):
    """The bound is on all of it together, whatever the length of a line."""
    field = b"X-A: " + b"a" * 1017 + b"\r\n"  # 1 KiB
    fits, over = field * (MAX_HEAD_BYTES // 1024 - 1), field * (MAX_HEAD_BYTES // 1024)
    async with RawServer(kept(reply(headers=fits))) as server:
        assert await outcome(http, server.url + "/odd") == FOUND
        server.script = kept(reply(headers=over))
        assert await outcome(http, server.url + "/odd") is Unreadable


async def test_a_body_may_have_16_mib_and_the_next_reply_as_many(http):
    """The bytes are counted for each reply, not for the connection."""
    body = b" " * MAX_REPLY_BYTES
    async with RawServer(kept(reply(body))) as server:
        for _ in range(2):
            assert await outcome(http, server.url + "/odd") == (200, body)

        assert server.connections == 1


@pytest.mark.parametrize("size", [MAX_REPLY_BYTES, MAX_REPLY_BYTES + 1])
async def test_a_packed_body_is_unpacked_to_16_mib_beside_the_loop(size, http, monkeypatch):
    """The event loop goes on while a thread inflates: the thread waits until it has."""
    inflating, turned, inflate = threading.Event(), threading.Event(), transport._decode_rest

    def inflate_after_a_turn(*arguments: Any) -> None:
        inflating.set()
        assert turned.wait(60)
        inflate(*arguments)

    async def beat() -> None:
        while True:
            if inflating.is_set():
                turned.set()
            await asyncio.sleep(0)

    monkeypatch.setattr(transport, "_decode_rest", inflate_after_a_turn)
    body = b"\0" * size
    async with RawServer(kept(reply(gzip.compress(body), GZIP))) as server:
        await http.ready()
        beating = asyncio.ensure_future(beat())
        result = await outcome(http, server.url + "/odd")
        beating.cancel()

    assert result == ((200, body) if size == MAX_REPLY_BYTES else Unreadable)
    assert turned.is_set()


# --- connections


@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_a_request_is_sent_once(method, http):
    """A kept connection that is dropped after the request: a second one would be billed, too.

    `search/attempt.py` decides whether to try again.
    """
    body = {} if method == "GET" else {"json": {"query": "otters"}}
    async with RawServer(closed()) as server:
        await outcome(http, server.url + "/plain/1")

        assert await outcome(http, server.url + "/odd", **body) is Unreachable

        assert server.requests == ["GET /plain/1", f"{method} /odd"]


@pytest.mark.parametrize("turns", [1, 5], ids=["not yet read", "read"])
async def test_a_connection_that_was_closed_meanwhile_is_not_used(turns, http):
    """Servers close idle connections; the end is seen before the next request is sent."""
    async with RawServer() as server:
        await outcome(http, server.url + "/plain/1")
        server.writers[0].transport.abort()
        for _ in range(turns):  # the first closes the server's socket
            await asyncio.sleep(0)

        assert await outcome(http, server.url + "/plain/2", json={}) == (200, b"/plain/2")


@pytest.mark.parametrize("turns", [0, 5], ids=["not yet read", "read"])
async def test_a_late_second_reply_is_not_given_to_the_next_request(turns, http):
    """Whether the event loop has read it from the socket already, or has not."""
    async with RawServer() as server:
        await outcome(http, server.url + "/plain/1")
        server.writers[0].write(reply(b'{"late": 1}'))
        for _ in range(turns):
            await asyncio.sleep(0)

        assert await outcome(http, server.url + "/plain/2") == (200, b"/plain/2")

        assert server.connections == 2


async def test_a_reply_that_drips_ends_with_the_callers_deadline(http):
    """Cancelling closes the connection, and the next request has one of its own."""

    async def drip(writer: asyncio.StreamWriter) -> None:
        writer.write(OK + b"\r\n")
        while not writer.is_closing():
            writer.write(b" ")
            await asyncio.sleep(0.001)

    async with RawServer(drip) as server:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await http.send(Request(server.url + "/odd"), "tavily")

        assert await outcome(http, server.url + "/plain/1") == (200, b"/plain/1")


# --- headers


async def test_header_names_are_lower_case_and_repeated_ones_joined(http):
    """Values are Latin-1, so that no byte can make text that cannot be written."""
    headers = b"X-A: 1\r\nx-a: 2\r\nRetry-After: \xff\r\n"
    async with RawServer(kept(reply(headers=headers))) as server:
        got = await http.send(Request(server.url + "/odd"), "tavily")

    assert got.headers == {"x-a": "1, 2", "retry-after": "\xff", "content-length": "2"}


async def test_neither_cookies_nor_passwords_of_the_machine_are_sent(http, tmp_path, monkeypatch):
    """`.netrc` and what a reply wants to be remembered are not ours to send."""
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login otter password secret\n")
    monkeypatch.setenv("NETRC", str(netrc))
    async with RawServer(kept(reply(headers=b"Set-Cookie: a=b; Path=/\r\n"))) as server:
        for _ in range(2):
            await outcome(http, server.url + "/odd")

        assert b"cookie" not in server.heads[1].lower()
        assert b"authorization" not in server.heads[1].lower()

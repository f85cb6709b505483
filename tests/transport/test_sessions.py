"""A connection ends a reply that is mostly framing, and keeps one that is not."""

from __future__ import annotations

import asyncio

import aiohttp
import pytest
from aiohttp import http_exceptions as wire

from kensaku import errors
from kensaku.errors import Unreadable
from kensaku.transport.egress import EgressRefused
from kensaku.transport.http import HttpClient
from kensaku.transport.request import Request
from kensaku.transport.sessions import (
    ReplyTooLarge,
    page_error,
    provider_error,
    service_session,
)

from .raw_server import RawServer, reply

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
    with pytest.raises(Unreadable, match="larger than"):
        await send(OK, chunks(size, 2**17), b"0\r\n\r\n")


@pytest.mark.parametrize(("size", "count"), [(1, 20_000), (24, 100_000), (65_536, 100)])
async def test_a_body_in_chunks_is_read_whole(size, count):
    """A server may send what it has, line by line; a paused parser holds some of it."""
    assert await send(OK, chunks(size, count), b"0\r\n\r\n") == size * count


async def test_a_reply_may_have_200_headers():
    """And not one more."""
    fields = b"".join(b"X-%d: a\r\n" % n for n in range(199))

    assert await send(reply(headers=fields)) == 2
    with pytest.raises(Unreadable):
        await send(reply(headers=fields + b"X-More: a\r\n"))


async def test_a_session_for_a_service_has_one_deadline_and_no_cookies():
    """A library that speaks to one service brings neither."""

    async def script(writer: asyncio.StreamWriter) -> None:
        if len(server.requests) > 2:
            return  # it never answers
        writer.write(b"HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nContent-Length: 0\r\n\r\n")

    async with RawServer(script) as server:
        async with service_session(60) as session:
            for _ in range(2):
                async with session.get(server.url + "/odd") as response:
                    assert response.status == 200
        async with service_session(0.05) as session:
            with pytest.raises(TimeoutError):
                await session.get(server.url + "/odd")

    assert not any(b"cookie" in head.lower() for head in server.heads)


def _key() -> aiohttp.client_reqrep.ConnectionKey:
    return aiohttp.client_reqrep.ConnectionKey("a.example", 443, True, True, None, None, None)


def _long_line() -> Exception:
    """As aiohttp raises it: the reason is two steps behind."""
    between = aiohttp.http_exceptions.BadHttpMessage("x")
    between.__cause__ = wire.LineTooLong(b"x", 10)
    error = aiohttp.ClientResponseError(None, ())
    error.__cause__ = between
    return error


SECRET = "https://me:hunter2@host"
DNS = aiohttp.ClientConnectorDNSError(_key(), OSError(SECRET))
CONNECT = aiohttp.ClientConnectorError(_key(), OSError(SECRET))
PROXY = aiohttp.ClientProxyConnectionError(_key(), OSError(SECRET))
TLS = aiohttp.ClientConnectorCertificateError(_key(), ValueError(SECRET))


@pytest.mark.parametrize(
    ("error", "kind", "transient"),
    [
        (EgressRefused(), errors.NotConnected, False),
        (ReplyTooLarge(), errors.Unreadable, True),
        (errors.TooLarge(SECRET), errors.Unreadable, True),
        (_long_line(), errors.Unreadable, True),
        (errors.PageUnavailable(SECRET), errors.Unreachable, True),
        (aiohttp.InvalidURL(SECRET), errors.NotConfigured, False),
        (TLS, errors.NotConnected, False),
        (DNS, errors.NotConnected, False),
        (PROXY, errors.Unreachable, True),
        (CONNECT, errors.NotConnected, True),
        (TimeoutError(SECRET), errors.Timeout, True),
        (aiohttp.ClientPayloadError(SECRET), errors.Unreachable, True),
        (aiohttp.ClientResponseError(None, ()), errors.Unreadable, True),
        (aiohttp.ServerDisconnectedError(SECRET), errors.Unreachable, True),
        (OSError(SECRET), errors.Unreachable, True),
        (ValueError(SECRET), errors.NotConfigured, False),
        (KeyError(SECRET), errors.Unreadable, True),
    ],
    ids=lambda v: type(v).__name__ if isinstance(v, Exception) else "",
)
def test_an_error_about_a_provider_is_typed_and_drops_the_text(error, kind, transient):
    """The text may hold the address, and the address a key; the type says whether to try again."""
    found = provider_error(error, "exa")

    assert type(found) is kind
    assert (found.provider, found.transient) == ("exa", transient)
    assert "hunter2" not in f"{found} {found!r} {found.to_dict()}"
    assert "EXA_BASE_URL" in str(found) or kind is not errors.NotConfigured
    assert provider_error(found, "exa") is found  # it has said what is wrong already


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (_long_line(), errors.TooLarge),
        (ReplyTooLarge(), errors.TooLarge),
        (aiohttp.ClientResponseError(None, ()), errors.PageUnavailable),
        (TLS, errors.PageUnavailable),
        (PROXY, errors.PageUnavailable),
        (TimeoutError(SECRET), errors.PageUnavailable),
        (aiohttp.ServerDisconnectedError(SECRET), errors.PageUnavailable),
    ],
    ids=lambda v: type(v).__name__ if isinstance(v, Exception) else "",
)
def test_an_error_about_a_page_is_typed_and_drops_the_text(error, kind):
    """It goes to a model, and into a log."""
    found = page_error(error)

    assert type(found) is kind
    assert "hunter2" not in f"{found} {found!r} {found.to_dict()}"


def test_an_error_about_a_page_does_not_say_what_is_on_our_network():
    """What does not answer, does not exist and is closed are one."""
    unreached = (DNS, CONNECT, aiohttp.ConnectionTimeoutError(SECRET), aiohttp.InvalidURL(SECRET),
                 ValueError(SECRET))  # fmt: skip
    found = [page_error(error) for error in unreached]

    assert {type(error) for error in found} == {errors.AddressRefused}
    assert len({str(error.to_dict()) for error in found}) == 1

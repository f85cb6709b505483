"""A connection ends a reply that is mostly framing, and keeps one that is not."""

from __future__ import annotations

import asyncio
import socket

import aiohttp
import pytest
from aiohttp import http_exceptions as wire

from kensaku import errors
from kensaku.errors import Unreadable
from kensaku.fetch.limits import FetchLimits
from kensaku.providers.base import Request
from kensaku.transport.egress import Egress, EgressRefused
from kensaku.transport.http import HttpClient
from kensaku.transport.sessions import (
    FRAMING_SLACK,
    MAX_FRAMING_BYTES,
    ReplyTooLarge,
    page_error,
    page_session,
    provider_error,
    provider_session,
    service_session,
)

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
        assert session.requote_redirect_url
        assert connector._keepalive_timeout == 15


async def test_a_session_for_a_service_has_one_deadline():
    """And keeps no cookies."""
    async with service_session(12.5) as session:
        assert session.timeout.total == 12.5
        assert isinstance(session.cookie_jar, aiohttp.DummyCookieJar)


async def test_a_session_for_pages_has_the_bounds_of_the_fetcher():
    """Its addresses come from the caller, one family each; no name is remembered."""
    limits = FetchLimits()
    made = []

    async def resolve(host, port):
        return ["192.0.2.1", "2001:db8::1"]

    async with page_session(limits, {"User-Agent": "t"}, resolve, made.append) as session:
        connector = session.connector
        found = await connector._resolver.resolve("a.example", 443)
        await connector._resolver.close()

        assert (connector.limit, connector.limit_per_host) == (limits.connections, limits.per_host)
        assert not connector.use_dns_cache
        assert connector._socket_factory == made.append
        assert (session.timeout.total, session.timeout.sock_connect) == (None, limits.connect)
        assert isinstance(session.cookie_jar, aiohttp.DummyCookieJar)
        assert session.headers["User-Agent"] == "t"
        assert not session.auto_decompress
        assert not session.trust_env
        assert session._max_line_size == session._max_field_size == limits.header_bytes
        assert session._max_headers == 2 * limits.header_fields
        protocol = connector._factory()
        assert protocol._max_body == limits.wire + 128 * 2**10
        assert protocol._max_head == limits.header_bytes
    shared = {"hostname": "a.example", "port": 443, "proto": 0, "flags": 0}
    assert found == [
        {**shared, "host": "192.0.2.1", "family": socket.AF_INET},
        {**shared, "host": "2001:db8::1", "family": socket.AF_INET6},
    ]


def _key() -> aiohttp.client_reqrep.ConnectionKey:
    return aiohttp.client_reqrep.ConnectionKey("a.example", 443, True, True, None, None, None)


def _long_line() -> Exception:
    """As aiohttp raises it: the reason is two steps behind."""
    between = aiohttp.http_exceptions.BadHttpMessage("x")
    between.__cause__ = wire.LineTooLong(b"x", 10)
    error = aiohttp.ClientResponseError(None, ())
    error.__cause__ = between
    return error


DNS = aiohttp.ClientConnectorDNSError(_key(), OSError())
CONNECT = aiohttp.ClientConnectorError(_key(), OSError())
PROXY = aiohttp.ClientProxyConnectionError(_key(), OSError())
TLS = aiohttp.ClientConnectorCertificateError(_key(), ValueError())
NETWORK = "; check the network, or let the route go on"
LARGE = "the reply is larger than 16 MiB, or its head is too large"
CLOCK = "; check the clock, and the certificates of this machine"
SETTING = "; the setting egress says where connections may go"
ADDRESS = "; check EXA_BASE_URL and its key"


@pytest.mark.parametrize(
    ("error", "kind", "text", "transient"),
    [
        (EgressRefused(), errors.NotConnected, "egress does not allow its address" + SETTING,
         False),
        (ReplyTooLarge(), errors.Unreadable, LARGE, True),
        (errors.TooLarge("x"), errors.Unreadable, LARGE, True),
        (_long_line(), errors.Unreadable, LARGE, True),
        (errors.PageUnavailable("x"), errors.Unreachable, "the reply broke off", True),
        (aiohttp.InvalidURL("x"), errors.NotConfigured, "its address cannot be used" + ADDRESS,
         False),
        (TLS, errors.NotConnected, "its TLS certificate cannot be trusted" + CLOCK, False),
        (DNS, errors.NotConnected, "its name cannot be looked up" + NETWORK, False),
        (PROXY, errors.Unreachable, "the proxy cannot be reached; check the setting proxy", True),
        (CONNECT, errors.NotConnected, "it cannot be connected to" + NETWORK, True),
        (TimeoutError(), errors.Timeout, "it took too long to connect", True),
        (aiohttp.ClientPayloadError(), errors.Unreachable, "the reply broke off", True),
        (aiohttp.ClientResponseError(None, ()), errors.Unreadable,
         "it does not speak proper HTTP", True),
        (aiohttp.ServerDisconnectedError(), errors.Unreachable, "the connection broke off", True),
        (OSError("secret"), errors.Unreachable, "it cannot be connected to" + NETWORK, True),
        (ValueError("secret"), errors.NotConfigured,
         "its address or its key cannot be sent" + ADDRESS, False),
        (KeyError("secret"), errors.Unreadable, "the reply could not be read (KeyError)", True),
    ],
    ids=lambda v: type(v).__name__ if isinstance(v, Exception) else "",
)  # fmt: skip
def test_an_error_about_a_provider_is_typed_and_drops_the_text(error, kind, text, transient):
    """The text may hold the address, and the address a key."""
    found = provider_error(error, "exa")

    assert type(found) is kind
    assert str(found) == f"exa: {text}"
    assert found.transient is transient


def test_an_error_of_ours_stays_as_it_is():
    """It has said what is wrong already."""
    error = errors.RateLimited("exa", "too fast")

    assert provider_error(error, "exa") is error


@pytest.mark.parametrize(
    ("error", "kind", "text"),
    [
        (_long_line(), errors.TooLarge, "the answer has too many headers"),
        (ReplyTooLarge(), errors.TooLarge,
         "the answer has too much besides the page: headers, or chunk marks"),
        (aiohttp.ClientResponseError(None, ()), errors.PageUnavailable,
         "the server does not speak proper HTTP"),
        (TLS, errors.PageUnavailable, "the server's TLS certificate cannot be trusted"),
        (PROXY, errors.PageUnavailable, "the proxy cannot be reached; check fetch.proxy"),
        (TimeoutError(), errors.PageUnavailable, "the server took too long to answer"),
        (aiohttp.ServerDisconnectedError(), errors.PageUnavailable, "the connection broke off"),
        *[
            (error, errors.AddressRefused,
             "the address cannot be fetched: it is not public, does not exist, or does not answer; "
             "check the URL; addresses of your own network need the setting fetch.allow")
            for error in (DNS, CONNECT, aiohttp.ConnectionTimeoutError(), aiohttp.InvalidURL("x"),
                          ValueError())
        ],
    ],
    ids=lambda v: type(v).__name__ if isinstance(v, Exception) else "",
)  # fmt: skip
def test_an_error_about_a_page_does_not_say_what_is_on_our_network(error, kind, text):
    """What does not answer, does not exist and is closed are one."""
    found = page_error(error)

    assert (type(found), str(found)) == (kind, text)

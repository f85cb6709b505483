"""Sessions of aiohttp, and what its errors mean. No other module imports aiohttp.

    provider_session  pooled connections to the providers
    page_session      connections to pages, on addresses and sockets that the caller checks

Both count every byte that they receive (`BoundedProtocol`).

`transport.http.import_sessions` imports this in a thread: aiohttp takes a third of a second.
"""

from __future__ import annotations

import asyncio
import select
import socket
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import aiohttp
from aiohttp import http_exceptions as wire
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.client_proto import ResponseHandler

from kensaku.errors import (
    FetchError,
    NotConfigured,
    NotConnected,
    PageUnavailable,
    ProviderError,
    Timeout,
    TooLarge,
    Unreachable,
    Unreadable,
)
from kensaku.messages import msg
from kensaku.transport.egress import REMEDY, Egress, EgressRefused
from kensaku.transport.guard import refused

if TYPE_CHECKING:
    from kensaku.fetch.limits import FetchLimits

Session = aiohttp.ClientSession
Response = aiohttp.ClientResponse

MAX_REPLY_BYTES = 16 * 2**20  # of the body: as it is sent, and again when it is decoded
MAX_HEAD_BYTES = 64 * 2**10  # up to the end of the head, 1xx replies included
MAX_FRAMING_BYTES = 2**20  # everything but the body: the head, chunk sizes, extensions, trailers
FRAMING_SLACK = 3 * MAX_HEAD_BYTES  # of it, allowed beyond as many bytes as the body has
MAX_HEADERS = 200
BUFFER_BYTES = 64 * 2**10  # parsed ahead of the reader; aiohttp derives 4,096 chunks from it
CONNECT_SECONDS = 5.0
CONNECTIONS_PER_HOST = 128  # a hanging host cannot take the connections of the others
IDLE_SECONDS = 15.0  # servers close idle connections after some tens of seconds


class ReplyTooLarge(Exception):
    """A reply is over one of the bounds above."""


def service_session(seconds: float) -> Session:
    """Make a session for a library that speaks to one service, such as Slack's."""
    return aiohttp.ClientSession(
        cookie_jar=aiohttp.DummyCookieJar(), timeout=aiohttp.ClientTimeout(total=seconds)
    )


def provider_session(headers: Mapping[str, str], egress: Egress) -> Session:
    """Make a session for the providers' addresses.

    It reads no proxy and no password from the environment, keeps no cookies, and never sends a
    request twice: the retry rule is in `search/retry.py`.
    """
    connector = aiohttp.TCPConnector(
        limit=0,
        limit_per_host=CONNECTIONS_PER_HOST,
        keepalive_timeout=IDLE_SECONDS,
        resolver=_BoundedResolver(egress),
    )
    _bound(connector, MAX_REPLY_BYTES, MAX_HEAD_BYTES)
    session = aiohttp.ClientSession(
        connector=connector,
        cookie_jar=aiohttp.DummyCookieJar(),
        headers=headers,
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_SECONDS),
        auto_decompress=False,  # `http.py` decodes, in bounded steps
        read_bufsize=BUFFER_BYTES,
        max_line_size=MAX_HEAD_BYTES,
        max_field_size=MAX_HEAD_BYTES,
        max_headers=MAX_HEADERS,
        trust_env=False,
    )
    # aiohttp has no public way to keep it from resending a GET when a kept connection turns out to
    # be closed. tests/transport/ fails if this stops working.
    session._retry_connection = False
    return session


def _bound(connector: aiohttp.TCPConnector, body: int, head: int) -> None:
    """Make the connections of a connector `BoundedProtocol`s.

    aiohttp has no public way to choose the class; tests/transport/ fails if this stops working.
    """
    protocol: Any = partial(BoundedProtocol, asyncio.get_running_loop(), body, head)
    connector._factory = protocol


class _BoundedResolver(aiohttp.ThreadedResolver):
    """The system's resolver; `sock_connect` begins only when it has answered.

    An address that `egress` does not allow is not connected to. aiohttp asks no resolver about a
    literal address: `HttpClient` has checked those.
    """

    def __init__(self, egress: Egress) -> None:
        super().__init__()
        self._egress = egress

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        async with asyncio.timeout(CONNECT_SECONDS):
            found = await super().resolve(host, port, family)
        if not all(self._egress.allows(result["host"], host) for result in found):
            raise EgressRefused
        return found


class BoundedProtocol(ResponseHandler):
    """A connection that counts the bytes it receives for each reply.

    aiohttp bounds a line and the number of fields, but reads 1xx replies, chunk sizes and chunk
    extensions without an end. Everything that is received and is not body counts here. A body in
    chunks of one byte takes long to parse: more framing than body ends the reply early.
    """

    def __init__(
        self, loop: asyncio.AbstractEventLoop, max_body: int, max_head: int = MAX_HEAD_BYTES
    ) -> None:
        super().__init__(loop)
        self._max_body, self._max_head = max_body, max_head
        self._received = 0
        self._body: aiohttp.StreamReader | None = None  # known once the final head is there
        self._has_unread = _watch(None)

    def is_connected(self) -> bool:
        """Say no to aiohttp, which asks before it reuses a connection, when bytes came unasked.

        They are the end of the connection, or a second reply to the request before.
        """
        return super().is_connected() and not self.should_close and not self._has_unread()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Watch the socket for bytes that the event loop has not read yet."""
        super().connection_made(transport)
        self._has_unread = _watch(transport.get_extra_info("socket"))

    def set_response_params(self, **params: Any) -> None:
        """Begin to count anew: aiohttp calls this before each request."""
        self._received, self._body = 0, None
        super().set_response_params(**params)

    def feed_data(self, data: tuple[Any, aiohttp.StreamReader], size: int = 0) -> None:
        """Note the body of the reply: aiohttp calls this for each head."""
        message, body = data
        if self._body is None and message.code >= 200:
            self._body = body
        super().feed_data(data, size)

    def data_received(self, data: bytes) -> None:
        """Parse what came, and end the reply when it is over a bound."""
        if self._body is None and self._received + len(data) > self._max_head:
            rest = self._max_head - self._received
            self._parse(data[:rest])
            data = data[rest:]
        if self._body is None and self._received >= self._max_head:
            self._refuse()
            return
        self._parse(data)
        size = self._body.total_bytes if self._body is not None else 0
        if size > self._max_body or self._received - size > self._max_framing(size):
            self._refuse()

    def _parse(self, data: bytes) -> None:
        self._received += len(data)
        super().data_received(data)

    def _max_framing(self, size: int) -> int:
        """Return how many bytes may be no body, when so many are.

        A paused parser holds bytes of the body that are not counted as such yet.
        """
        paused = self._reading_paused
        return MAX_FRAMING_BYTES if paused else min(MAX_FRAMING_BYTES, size + FRAMING_SLACK)

    def _refuse(self) -> None:
        error = ReplyTooLarge("the reply is too large")
        if self.transport is not None:
            self.transport.pause_reading()  # aiohttp closes it when it raises the error
        self.set_exception(error)
        if self._body is not None:
            self._body.set_exception(error)


def _watch(sock: socket.socket | None) -> Callable[[], bool]:
    """Return a function that says whether bytes wait in a socket, or it is closed."""
    if sock is None:
        return lambda: True
    if not hasattr(select, "poll"):  # Windows
        return lambda: sock.fileno() < 0 or bool(select.select([sock], [], [], 0)[0])
    poll = select.poll()
    poll.register(sock.fileno(), select.POLLIN)
    return lambda: bool(poll.poll(0))


def provider_error(error: Exception, provider: str) -> ProviderError:
    """Translate an exception for the caller. Its text is dropped: it may hold the address."""
    if isinstance(error, ProviderError):
        return error
    if _is_long_line(error):
        error = ReplyTooLarge()
    for kind, meaning, message, remedy in _MEANINGS:
        if isinstance(error, kind):
            if meaning is NotConfigured:
                remedy = msg(
                    "check {variable} and its key", variable=f"{provider.upper()}_BASE_URL"
                )
            transient = False if isinstance(error, _LASTING) else None
            return meaning(provider, message, remedy=remedy, transient=transient)
    return Unreadable(
        provider, msg("the reply could not be read ({name})", name=type(error).__name__)
    )


def _is_long_line(error: Exception) -> bool:
    """Whether aiohttp stopped at `max_line_size` or `max_field_size`."""
    cause = error.__cause__ and error.__cause__.__cause__
    return isinstance(error, aiohttp.ClientResponseError) and isinstance(cause, wire.LineTooLong)


# Asking the same host again does not help against these.
_LASTING = (aiohttp.ClientSSLError, aiohttp.ClientConnectorDNSError, EgressRefused)
_NETWORK = msg("check the network, or add another provider to the route")
_PROXY = msg("check the setting proxy")
_TLS = msg("check the clock, and the certificates of this machine")
_LARGE = msg(
    "the reply is larger than {size} MiB, or its head is too large", size=MAX_REPLY_BYTES >> 20
)

_MEANINGS: list[tuple[type[Exception], type[ProviderError], str, str]] = [
    (EgressRefused, NotConnected, msg("egress does not allow its address"), REMEDY),
    (ReplyTooLarge, Unreadable, _LARGE, ""),
    (TooLarge, Unreadable, _LARGE, ""),  # of the decoder
    (PageUnavailable, Unreachable, msg("the reply broke off"), ""),  # of the decoder
    (aiohttp.InvalidURL, NotConfigured, msg("its address cannot be used"), ""),
    (aiohttp.ClientSSLError, NotConnected, msg("its TLS certificate cannot be trusted"), _TLS),
    (aiohttp.ClientConnectorDNSError, NotConnected, msg("its name cannot be looked up"), _NETWORK),
    (aiohttp.ClientProxyConnectionError, Unreachable, msg("the proxy cannot be reached"), _PROXY),
    (aiohttp.ClientConnectorError, NotConnected, msg("it cannot be connected to"), _NETWORK),
    (TimeoutError, Timeout, msg("it took too long to connect"), ""),
    (aiohttp.ClientPayloadError, Unreachable, msg("the reply broke off"), ""),
    (aiohttp.ClientResponseError, Unreadable, msg("it does not speak proper HTTP"), ""),
    (aiohttp.ClientConnectionError, Unreachable, msg("the connection broke off"), ""),
    (OSError, Unreachable, msg("it cannot be connected to"), _NETWORK),
    (ValueError, NotConfigured, msg("its address or its key cannot be sent"), ""),
]


def page_session(
    limits: FetchLimits,
    headers: dict[str, str],
    resolve: Callable[[str, int], Awaitable[list[str]]],
    make_socket: Callable[[Any], socket.socket],
) -> Session:
    """Make a session whose addresses come from `resolve` and whose sockets from `make_socket`.

    Both are needed: aiohttp does not ask its resolver about a host that is an address.
    """
    connector = aiohttp.TCPConnector(
        limit=limits.connections,
        limit_per_host=limits.per_host,
        resolver=_CheckedResolver(resolve),
        use_dns_cache=False,  # a name is looked up for every hop, and within it not again
        socket_factory=make_socket,
    )
    # `fetch/body.py` has the bound on the body, and names it: this one is never met first.
    _bound(connector, limits.wire + 2 * BUFFER_BYTES, limits.header_bytes)
    return aiohttp.ClientSession(
        connector=connector,
        cookie_jar=aiohttp.DummyCookieJar(),
        headers=headers,
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=limits.connect),
        auto_decompress=False,
        max_line_size=limits.header_bytes,
        max_field_size=limits.header_bytes,
        max_headers=2 * limits.header_fields,  # `fetch/transport.py` has the bound, and names it
        trust_env=False,
    )


class _CheckedResolver(AbstractResolver):
    """A resolver that asks a function of the caller's."""

    def __init__(self, resolve: Callable[[str, int], Awaitable[list[str]]]) -> None:
        self._resolve = resolve

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=socket.AF_INET6 if ":" in address else socket.AF_INET,
                proto=0,
                flags=0,
            )
            for address in await self._resolve(host, port)
        ]

    async def close(self) -> None:
        return None


def page_error(error: Exception) -> FetchError:
    """Translate an exception of aiohttp about a page. Its text is dropped."""
    if _is_long_line(error):
        return TooLarge(msg("the answer has too many headers"))
    if isinstance(error, ReplyTooLarge):
        return TooLarge(msg("the answer has too much besides the page: headers, or chunk marks"))
    if isinstance(error, aiohttp.ClientResponseError):
        return PageUnavailable(msg("the server does not speak proper HTTP"))
    if isinstance(error, aiohttp.ClientSSLError):
        return PageUnavailable(msg("the server's TLS certificate cannot be trusted"))
    if isinstance(error, aiohttp.ClientProxyConnectionError):
        return PageUnavailable(msg("the proxy cannot be reached"), remedy=msg("check fetch.proxy"))
    unreached = (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError, aiohttp.InvalidURL)
    if isinstance(error, (*unreached, ValueError)):
        return refused()
    if isinstance(error, TimeoutError):
        return PageUnavailable(msg("the server took too long to answer"))
    return PageUnavailable(msg("the connection broke off"))

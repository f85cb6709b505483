"""The only importer of the HTTP library: pools, sizes, and what a broken connection means.

    Request → one pooled session per event loop → Reply, or Timeout / Unreachable / Unreadable

`Http` goes to the providers, whose addresses the operator has set. Pages, which a model or a
stranger names, are fetched by `_door.Door`, with a session that `page_session` makes here.

The deadline is the caller's (`asyncio.timeout_at` around the call); cancelling closes the socket.
Environment proxies are not looked at: a proxy is an explicit setting.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import socket
import sys
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from kensaku._guard import refused
from kensaku.errors import (
    FetchError,
    NotConfigured,
    PageUnavailable,
    ProviderError,
    Timeout,
    TooLarge,
    Unreachable,
    Unreadable,
)
from kensaku.providers.base import Reply

if TYPE_CHECKING:
    import aiohttp
    from aiohttp.abc import AbstractResolver

    from kensaku.fetch.bounds import FetchLimits
    from kensaku.providers.base import Request

MAX_REPLY_BYTES = 16 * 2**20
CONNECT_SECONDS = 5.0
CONNECTIONS_PER_HOST = 128  # a hanging host cannot take the connections of the others


class Sessions(ABC):
    """One session of the HTTP library per event loop, made on first use."""

    def __init__(self) -> None:
        self._sessions: WeakKeyDictionary[asyncio.AbstractEventLoop, aiohttp.ClientSession] = (
            WeakKeyDictionary()
        )
        self._keepers: WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncGenerator[None, None]] = (
            WeakKeyDictionary()
        )

    @abstractmethod
    def _make(self) -> aiohttp.ClientSession:
        """A session for the running loop."""

    async def ready(self) -> None:
        """Load the library and make the session now, rather than with the first request."""
        await self._session()

    async def _session(self) -> aiohttp.ClientSession:
        return self._sessions.get(asyncio.get_running_loop()) or await self._open()

    async def _open(self) -> aiohttp.ClientSession:
        if "aiohttp" not in sys.modules:
            await asyncio.to_thread(import_module, "aiohttp")  # a third of a second
        loop = asyncio.get_running_loop()
        for other in [other for other in self._sessions if other.is_closed()]:
            _abandon(self._sessions.pop(other))
        if (session := self._sessions.get(loop)) is None:
            session = self._sessions[loop] = self._make()
            self._keepers[loop] = _kept(session)
            await anext(self._keepers[loop])
        return session

    async def close(self) -> None:
        """Close the connections of this loop, and let go of those of loops that have ended."""
        for loop, session in list(self._sessions.items()):
            if loop is asyncio.get_running_loop():
                await self._keepers[loop].aclose()
            elif loop.is_closed():
                _abandon(session)
        self._sessions.clear()
        self._keepers.clear()  # loops that run elsewhere now end theirs by themselves


async def _kept(session: aiohttp.ClientSession) -> AsyncGenerator[None, None]:
    """Closes the session when its loop ends: a loop that ends well ends its generators first.

    Frameworks make a loop for every call that does not await, and know nothing of our sockets.
    """
    try:
        yield
    finally:
        await session.close()


class Http(Sessions):
    """The pooled client for the providers' own addresses, which the operator has set."""

    def __init__(self, *, user_agent: str, proxy: str | None = None) -> None:
        super().__init__()
        self._headers = {"User-Agent": user_agent, "Accept": "application/json"}
        self.proxy = proxy

    async def send(self, request: Request, provider: str) -> Reply:
        """Carry a request and read the whole reply, up to a bound. Redirects are not followed:
        a key must not travel to a host that an answer names."""
        session = await self._session()
        body = None if request.json is None else json.dumps(request.json).encode()
        try:
            async with session.request(
                request.method,
                request.url,
                params=request.params or None,
                data=body,
                headers=request.headers if body is None else {**_JSON, **request.headers},
                allow_redirects=False,
                proxy=self.proxy,
            ) as response:
                return Reply(response.status, response.headers, await _bounded(response, provider))
        except ProviderError:
            raise
        except Exception as error:
            raise _broken(error, provider) from None

    def _make(self) -> aiohttp.ClientSession:
        import aiohttp

        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                limit=0, limit_per_host=CONNECTIONS_PER_HOST, ttl_dns_cache=60
            ),
            cookie_jar=aiohttp.DummyCookieJar(),
            headers=self._headers,
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_SECONDS),
            trust_env=False,
        )


_JSON = {"Content-Type": "application/json"}


async def _bounded(response: aiohttp.ClientResponse, provider: str) -> bytes:
    length = response.content_length
    if (
        length is not None
        and length <= MAX_REPLY_BYTES
        and not response.headers.get("Content-Encoding")
    ):
        return await response.read()
    parts, size = [], 0
    async for part in response.content.iter_any():
        size += len(part)
        if size > MAX_REPLY_BYTES:
            raise Unreadable(provider, f"the reply is larger than {MAX_REPLY_BYTES >> 20} MiB")
        parts.append(part)
    return b"".join(parts)


def _broken(error: Exception, provider: str) -> ProviderError:
    """What an exception of the HTTP library means. Its text is not kept: it may hold the URL."""
    import aiohttp

    found: list[tuple[type[BaseException] | tuple[Any, ...], type[ProviderError], str, str]] = [
        (aiohttp.InvalidURL, NotConfigured, "its address is not a URL", _check(provider)),
        (TimeoutError, Timeout, "it took too long to connect", ""),
        (aiohttp.ClientSSLError, Unreachable, "its TLS certificate cannot be trusted", _TLS),
        (aiohttp.ClientConnectorDNSError, Unreachable, "its name cannot be looked up", _NETWORK),
        (aiohttp.ClientConnectorError, Unreachable, "it cannot be connected to", _NETWORK),
        (aiohttp.ClientPayloadError, Unreachable, "the reply broke off", ""),
        (aiohttp.ClientResponseError, Unreadable, "it does not speak proper HTTP", ""),
        (aiohttp.ClientConnectionError, Unreachable, "the connection broke off", ""),
        (OSError, Unreachable, "the connection broke off", ""),
    ]
    for kind, meaning, message, remedy in found:
        if isinstance(error, kind):
            return meaning(provider, message, remedy=remedy)
    return Unreadable(provider, f"the reply could not be read ({type(error).__name__})")


_NETWORK = "check the network, or let the route go on"
_TLS = "check the clock, and the certificates of this machine"


def _check(provider: str) -> str:
    return f"check {provider.upper()}_BASE_URL"


def _abandon(session: aiohttp.ClientSession) -> None:
    """Close what belongs to a loop that has ended badly, as far as that can be done from here."""
    connector = session.connector
    session.detach()
    if connector is None:
        return
    with suppress(RuntimeError, StopIteration):  # its transports hang on the dead loop
        closing = connector.close()
        if inspect.iscoroutine(closing):
            closing.send(None)
            closing.close()


def page_session(
    limits: FetchLimits,
    headers: dict[str, str],
    resolve: Callable[[str, int], Awaitable[list[str]]],
    make_socket: Callable[[Any], socket.socket],
) -> aiohttp.ClientSession:
    """A session whose every address comes from `resolve` and whose every socket from `make_socket`.

    Both are needed: the library does not ask its resolver about a host that is an address.
    """
    import aiohttp

    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(
            limit=limits.connections,
            limit_per_host=limits.per_host,
            resolver=_resolver(resolve),
            use_dns_cache=False,  # a name is looked up for every hop, and within it not again
            socket_factory=make_socket,
        ),
        cookie_jar=aiohttp.DummyCookieJar(),
        headers=headers,
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=limits.connect),
        auto_decompress=False,
        max_line_size=limits.header_bytes,
        max_field_size=limits.header_bytes,
        max_headers=2 * limits.header_fields,  # the bound itself is the door's, and has a name
        trust_env=False,
    )


def _resolver(resolve: Callable[[str, int], Awaitable[list[str]]]) -> AbstractResolver:
    from aiohttp.abc import AbstractResolver, ResolveResult

    class Resolver(AbstractResolver):
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
                for address in await resolve(host, port)
            ]

        async def close(self) -> None:
            return None

    return Resolver()


def page_error(error: Exception) -> FetchError:
    """What an exception of the HTTP library means for a page. Its text is not kept."""
    import aiohttp
    from aiohttp import http_exceptions as wire

    if isinstance(error, aiohttp.ClientResponseError):
        cause = error.__cause__ and error.__cause__.__cause__
        if isinstance(cause, wire.LineTooLong):
            return TooLarge("the answer has too many headers")
        return PageUnavailable("the server does not speak proper HTTP")
    if isinstance(error, aiohttp.ClientSSLError):
        return PageUnavailable("the server's TLS certificate cannot be trusted")
    if isinstance(error, aiohttp.ClientProxyConnectionError):
        return PageUnavailable("the proxy cannot be reached", remedy="check fetch.proxy")
    unreached = (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError, aiohttp.InvalidURL)
    if isinstance(error, (*unreached, ValueError)):
        return refused()
    if isinstance(error, TimeoutError):
        return PageUnavailable("the server took too long to answer")
    return PageUnavailable("the connection broke off")

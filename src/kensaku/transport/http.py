"""The way to the providers, and the only importer of the general HTTP library.

    Request → bytes → a kept line of this event loop → Reply, or Timeout / Unreachable / Unreadable

`Http` goes to the providers, whose addresses the operator has set. Pages, which a model or a
stranger names, are fetched by `_door.Door`, with a session that `page_session` makes here.

The deadline is the caller's (`asyncio.timeout_at` around the call); cancelling closes the socket.
Environment proxies are not looked at: a proxy is an explicit setting.
"""

from __future__ import annotations

import asyncio
import json
import socket
import ssl
import sys
import zlib
from base64 import b64encode
from collections.abc import Awaitable, Callable, Mapping
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote, urlencode, urlsplit

from kensaku._line import TooMuch
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
from kensaku.fetch.guard import refused
from kensaku.providers.base import Reply
from kensaku.transport.per_loop import Sessions

if TYPE_CHECKING:
    import aiohttp
    from aiohttp.abc import AbstractResolver

    from kensaku._line import Lines
    from kensaku.fetch.limits import FetchLimits
    from kensaku.providers.base import Request

MAX_REPLY_BYTES = 16 * 2**20
CONNECT_SECONDS = 5.0
CONNECTIONS_PER_HOST = 128  # a hanging host cannot take the connections of the others


class Http(Sessions["Lines"]):
    """The pooled client for the providers' own addresses, which the operator has set."""

    def __init__(self, *, user_agent: str, proxy: str | None = None) -> None:
        super().__init__()
        self.proxy = proxy
        self._headers = {
            "User-Agent": user_agent,
            "Accept": "application/json",
            "Accept-Encoding": "gzip",
        }
        self._proxied = _Proxied(self._headers, proxy) if proxy else None

    async def send(self, request: Request, provider: str) -> Reply:
        """Carry a request and read the whole reply, up to a bound. Redirects are not followed:
        a key must not travel to a host that an answer names."""
        try:
            if self._proxied is not None:
                return await self._proxied.send(request)
            place, message = written(request, self._headers)
            lines = await self._session()
            return Reply(*await lines.exchange(*place, message))
        except Exception as error:
            raise _broken(error, provider) from None

    async def close(self) -> None:
        await super().close()
        if self._proxied is not None:
            await self._proxied.close()

    async def _make(self) -> Lines:
        from kensaku._line import Lines

        return Lines(CONNECTIONS_PER_HOST, CONNECT_SECONDS)


class _Proxied(Sessions["aiohttp.ClientSession"]):
    """The same through the operator's proxy, by the general client."""

    def __init__(self, headers: Mapping[str, str], proxy: str) -> None:
        super().__init__()
        self._headers, self._proxy = headers, proxy

    async def send(self, request: Request) -> Reply:
        session = await self._session()
        body = None if request.json is None else json.dumps(request.json).encode()
        async with session.request(
            request.method,
            request.url,
            params=request.params or None,
            data=body,
            headers=request.headers if body is None else {**_JSON, **request.headers},
            allow_redirects=False,
            proxy=self._proxy,
        ) as response:
            parts, size = [], 0
            async for part in response.content.iter_any():
                size += len(part)
                if size > MAX_REPLY_BYTES:
                    raise TooMuch("the reply is too large")
                parts.append(part)
            return Reply(response.status, response.headers, b"".join(parts))

    async def _make(self) -> aiohttp.ClientSession:
        await loaded()
        import aiohttp

        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, limit_per_host=CONNECTIONS_PER_HOST),
            cookie_jar=aiohttp.DummyCookieJar(),
            headers=self._headers,
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_SECONDS),
            trust_env=False,
        )


async def loaded() -> None:
    """Import the general client beside the loop: it takes a third of a second."""
    if "aiohttp" not in sys.modules:
        await asyncio.to_thread(import_module, "aiohttp")


_JSON = {"Content-Type": "application/json"}


def written(request: Request, headers: Mapping[str, str]) -> tuple[tuple[str, int, bool], bytes]:
    """Where a request goes, and its bytes. Raises `ValueError` for what cannot be written."""
    place, host, path, own = _target(request.url)
    body = b"" if request.json is None else json.dumps(request.json).encode()
    if request.params:
        pairs = request.params.items() if isinstance(request.params, Mapping) else request.params
        path += ("&" if "?" in path else "?") + urlencode(list(pairs))
    fields = {"Host": host, **headers, **own, **request.headers}
    if request.json is not None:
        fields |= {"Content-Type": "application/json", "Content-Length": str(len(body))}
    head = f"{request.method} {path} HTTP/1.1\r\n"
    lines = "".join([f"{name}: {value}\r\n" for name, value in fields.items()])
    if lines.count("\n") != len(fields) or lines.count("\r") != len(fields):
        raise ValueError("a header holds a line break")  # a key with an end of line, mostly
    return place, f"{head}{lines}\r\n".encode("latin-1") + body


@lru_cache(maxsize=256)
def _target(url: str) -> tuple[tuple[str, int, bool], str, str, dict[str, str]]:
    """Host, port and whether TLS; the Host header; the path; credentials of the address."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("not a web address")
    secure = parts.scheme == "https"
    name = parts.hostname if parts.hostname.isascii() else parts.hostname.encode("idna").decode()
    port = parts.port or (443 if secure else 80)
    host = f"[{name}]" if ":" in name else name
    if parts.port is not None:
        host += f":{port}"
    path = quote(parts.path or "/", safe="/%:@!$&'()*+,;=~-._")
    own = {}
    if parts.username:
        pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        own["Authorization"] = "Basic " + b64encode(pair.encode()).decode()
    return (name, port, secure), host, path + (f"?{parts.query}" if parts.query else ""), own


def _broken(error: Exception, provider: str) -> ProviderError:
    """What an exception means. Its text is not kept: it may hold the address."""
    if isinstance(error, ProviderError):
        return error
    for kind, meaning, message, remedy in _meanings():
        if isinstance(error, kind):
            return meaning(provider, message, remedy=remedy or _check(provider, meaning))
    return Unreadable(provider, f"the reply could not be read ({type(error).__name__})")


Meaning = tuple[type[BaseException], type[ProviderError], str, str]


def _meanings() -> list[Meaning]:
    from kensaku import _line

    large = f"the reply is larger than {MAX_REPLY_BYTES >> 20} MiB, or its head is too large"
    found: list[Meaning] = [
        (_line.BrokenLine, Unreachable, "the connection broke off", ""),
        (_line.TooMuch, Unreadable, large, ""),
        (_line.ParserError, Unreadable, "it does not speak proper HTTP", ""),
        (zlib.error, Unreachable, "the reply broke off", ""),
        (TimeoutError, Timeout, "it took too long to connect", ""),
        (ssl.SSLError, Unreachable, "its TLS certificate cannot be trusted", _TLS),
        (socket.gaierror, Unreachable, "its name cannot be looked up", _NETWORK),
    ]
    if aiohttp := sys.modules.get("aiohttp"):
        found += [
            (aiohttp.InvalidURL, NotConfigured, "its address cannot be used", ""),
            (aiohttp.ClientSSLError, Unreachable, "its TLS certificate cannot be trusted", _TLS),
            (aiohttp.ClientConnectorError, Unreachable, "it cannot be connected to", _NETWORK),
            (aiohttp.ClientPayloadError, Unreachable, "the reply broke off", ""),
            (aiohttp.ClientResponseError, Unreadable, "it does not speak proper HTTP", ""),
            (aiohttp.ClientConnectionError, Unreachable, "the connection broke off", ""),
        ]
    return [
        *found,
        (OSError, Unreachable, "it cannot be connected to", _NETWORK),
        (ValueError, NotConfigured, "its address or its key cannot be sent", ""),
    ]


_NETWORK = "check the network, or let the route go on"
_TLS = "check the clock, and the certificates of this machine"


def _check(provider: str, meaning: type[ProviderError]) -> str:
    return f"check {provider.upper()}_BASE_URL and its key" if meaning is NotConfigured else ""


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

"""The page transport: every page, robots.txt, sitemap and browser connection goes through here.

    URL → AddressGuard.check → one lookup; AddressGuard.admits checks every address it returns
        → socket, whose own address is checked again → PageResponse

Redirects are not followed automatically; each target goes through the same checks. The transport
keeps no cookies, sends no credentials but those that the caller gives for this one request, signs
it if the operator has a key for that, and uses no proxy but the operator's.
Reasons: docs/decisions/page-transport.md.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from kensaku.errors import AddressRefused, KensakuError, TooLarge
from kensaku.fetch.body import read_body
from kensaku.fetch.limits import FetchLimits
from kensaku.messages import msg
from kensaku.transport.decode import accept_encoding
from kensaku.transport.guard import (
    UNPARSABLE,
    AddressGuard,
    CheckedURL,
    is_offline,
    is_public,
    literal_address,
    no_network,
    refused,
    well_formed,
)
from kensaku.transport.http import import_sessions
from kensaku.transport.per_loop import PerLoop

if TYPE_CHECKING:
    from yarl import URL

    from kensaku.fetch.signature import Signer

Lookup = Callable[[str, int], Awaitable[list[str]]]
MakeSocket = Callable[[int, int, int], socket.socket]

REDIRECTS = frozenset({301, 302, 303, 307, 308})
MAX_LOOKUPS = 32  # names that are looked up at the same time
ERROR_BYTES = 256 * 1024  # of an error page that are read: enough to recognise a challenge


@dataclass(frozen=True, slots=True)
class PageResponse:
    """The response of one hop. Header names are in lower case, repeated ones joined by commas."""

    url: str
    status: int
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(default=b"", repr=False)
    location: str | None = None  # where a redirect leads, as a whole URL


@dataclass(slots=True)
class _Hop:
    """What one request may connect to. A context variable carries it down to the socket."""

    host: str
    proxy: str | None = None  # the operator's proxy, which is connected to instead
    addresses: list[str] | None = None  # the result of the one lookup; the guard admits all of it
    offline: bool = False  # it failed, and there is no route to anywhere


_HOP: ContextVar[_Hop] = ContextVar("kensaku-hop")


class PageTransport(PerLoop[Any]):
    """Fetch pages from public addresses only.

    Tests replace the system's resolver and sockets with `lookup` and `make_socket`. The guard
    checks what `lookup` returns, and runs before `make_socket` is called.
    """

    def __init__(
        self,
        guard: AddressGuard | None = None,
        limits: FetchLimits | None = None,
        *,
        user_agent: str = "Kensaku",
        proxy: str | None = None,
        signer: Signer | None = None,
        lookup: Lookup | None = None,
        make_socket: MakeSocket | None = None,
    ) -> None:
        super().__init__()
        self.guard = guard or AddressGuard()
        self.limits = limits or FetchLimits()
        self.user_agent = user_agent
        self.proxy = proxy or None
        self.signer = signer
        self._lookup = lookup or self._system_lookup
        self._lookup_threads = ThreadPoolExecutor(MAX_LOOKUPS, thread_name_prefix="kensaku-lookup")
        self._make_socket = make_socket or socket.socket

    def check_url(self, url: str | CheckedURL) -> CheckedURL:
        """Parse and check a URL, once: a `CheckedURL` is returned as it is."""
        if isinstance(url, CheckedURL):
            return url
        return self.guard.check(url, proxied=self.proxy is not None)

    async def get(
        self, url: str | CheckedURL, headers: Mapping[str, str] | None = None
    ) -> PageResponse:
        """Send one GET and read the whole response. Raise `FetchError`, but not for a status."""
        parsed, limits = self.check_url(url).parsed, self.limits
        session = await self._session()
        if self.signer is not None:
            headers = {**(headers or {}), **self.signer.headers(parsed)}
        hop = _Hop(parsed.raw_host or "", _host_of(self.proxy))
        token = _HOP.set(hop)
        try:
            async with asyncio.timeout(limits.connect + limits.first_byte):
                response = await session.get(
                    parsed, headers=headers, allow_redirects=False, proxy=self.proxy
                )
            async with response:
                return await self._read_response(response)
        except KensakuError:
            raise
        except Exception as error:
            from kensaku.transport.sessions import page_error

            if hop.offline:
                raise no_network() from None
            lookup_timed_out = isinstance(error, TimeoutError) and hop.addresses is None
            raise (refused() if lookup_timed_out else page_error(error)) from None
        finally:
            _HOP.reset(token)

    async def is_public(self, url: CheckedURL) -> bool:
        """Tell whether others may learn of a URL: its host is public, or was and is gone.

        What the operator allows besides, and what only a private network knows, is nobody's.
        """
        host = url.parsed.raw_host or ""
        if not self.guard.is_public_host(host):
            return False
        if self.proxy is not None or literal_address(host) is not None:
            return True
        try:
            async with asyncio.timeout(self.limits.connect):
                addresses = await self._lookup(host, url.parsed.port or 443)
        except (OSError, UnicodeError):
            return True
        return all((a := literal_address(found)) and is_public(a) for found in addresses)

    async def tunnel(
        self, host: str, port: int, scheme: str
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Open a TCP connection for the browser, under the same checks."""
        target = self.guard.target(scheme, host.lower().strip("[]"), port, proxied=False)
        name, hop = target.host, _Hop(target.host)
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(self.limits.connect):
                for address in (
                    [name] if target.address else await self._lookup_admitted(name, port, hop)
                ):
                    family = socket.AF_INET6 if ":" in address else socket.AF_INET
                    sock = self._open_checked(hop, family, socket.SOCK_STREAM, 0, address)
                    sock.setblocking(False)
                    try:
                        await loop.sock_connect(sock, (address, port))
                        return await asyncio.open_connection(sock=sock)
                    except BaseException as error:
                        sock.close()
                        if not isinstance(error, OSError):
                            raise
        except OSError:
            raise refused() from None
        raise refused()

    async def close(self) -> None:
        """Close the connections. The next request opens new ones."""
        await super().close()
        self._lookup_threads.shutdown(wait=False, cancel_futures=True)
        self._lookup_threads = ThreadPoolExecutor(MAX_LOOKUPS, thread_name_prefix="kensaku-lookup")

    async def _system_lookup(self, host: str, port: int) -> list[str]:
        loop = asyncio.get_running_loop()
        try:
            if loop.getaddrinfo.__module__ == "asyncio.base_events":
                # The loop would use its default executor. A name server that is slow on purpose
                # must not occupy the threads that the rest of the process works with.
                rows = await loop.run_in_executor(
                    self._lookup_threads,
                    partial(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM),
                )
            else:  # a loop with a resolver of its own
                rows = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except OSError:
            if (hop := _HOP.get(None)) is not None:
                hop.offline = is_offline()
            raise
        return [str(sockaddr[0]) for *_, sockaddr in rows]

    async def _make(self) -> Any:
        sessions = await import_sessions()
        headers = {
            "User-Agent": self.user_agent,
            "Accept": "text/html,application/xhtml+xml,*/*;q=0.8",
            "Accept-Encoding": accept_encoding(),
        }
        return sessions.page_session(self.limits, headers, self._resolve, self._open_socket)

    async def _resolve(self, host: str, port: int) -> list[str]:
        return await self._lookup_admitted(host, port, _HOP.get())

    def _open_socket(self, info: Any) -> socket.socket:
        family, kind, proto, _, sockaddr = info
        return self._open_checked(_HOP.get(), family, kind, proto, str(sockaddr[0]))

    async def _lookup_admitted(self, host: str, port: int, hop: _Hop) -> list[str]:
        """Look a name up, once a hop, and check all its addresses.

        One closed address refuses the whole name: DNS rebinding begins with a mixed answer.
        """
        if hop.addresses is None:
            try:
                async with asyncio.timeout(self.limits.connect):
                    addresses = await self._lookup(host, port)
            except (OSError, UnicodeError):  # a TimeoutError is an OSError
                addresses = []
            admitted = hop.proxy or all(self.guard.admits(a, host) for a in addresses)
            if not addresses or not admitted:
                raise OSError("refused")
            hop.addresses = list(dict.fromkeys(addresses))
        return hop.addresses

    def _open_checked(
        self, hop: _Hop, family: int, kind: int, proto: int, address: str
    ) -> socket.socket:
        """Make a socket after the last check, on the address that is about to be connected to."""
        if hop.addresses is not None and address not in hop.addresses:
            raise OSError("refused")
        if hop.proxy is None and not self.guard.admits(address, hop.host):
            raise OSError("refused")
        return self._make_socket(family, kind, proto)

    async def _read_response(self, response: Any) -> PageResponse:
        # Their bytes have been counted as they came: `BoundedProtocol`.
        if len(response.raw_headers) > self.limits.header_fields:
            raise TooLarge(msg("the answer has too many headers"))
        names = dict.fromkeys(name.lower() for name in response.headers)
        headers = {n: ", ".join(response.headers.getall(n)) for n in names}
        page = PageResponse(str(response.url), response.status, headers)
        if page.status in REDIRECTS and "location" in headers:
            return replace(page, location=_absolute(response.url, headers["location"]))
        body = await read_body(
            response.content.readany,
            encoding=headers.get("content-encoding", ""),
            length=response.content_length,
            limits=self.limits,
            cut=None if page.status < 400 else ERROR_BYTES,
        )
        if error := response.content.exception():  # over a bound, with the very last bytes
            raise error
        return replace(page, body=body)


def _absolute(base: URL, location: str) -> str:
    from yarl import URL

    try:
        return str(base.join(URL(well_formed(location))))
    except UNPARSABLE:
        raise AddressRefused(msg("the page leads to what is not a web address")) from None


def _host_of(proxy: str | None) -> str | None:
    from yarl import URL

    return None if proxy is None else URL(proxy).raw_host

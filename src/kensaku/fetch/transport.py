"""The one door to the web: every page, robots.txt, sitemap and browser byte comes through here.

    text → parse → Guard.target → one lookup, every address through Guard.admits
         → the socket, whose very address is checked again → Answer

One hop at a time: a redirect is an answer, and its target knocks at the same door. No cookies, no
credentials, no proxy but the operator's. Why it is built so: docs/decisions/one-door.md.
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
from kensaku.fetch.decode import accepted
from kensaku.fetch.guard import Guard, refused, well_formed
from kensaku.fetch.limits import FetchLimits
from kensaku.transport.http import import_sessions
from kensaku.transport.per_loop import PerLoop

if TYPE_CHECKING:
    from yarl import URL

Lookup = Callable[[str, int], Awaitable[list[str]]]
MakeSocket = Callable[[int, int, int], socket.socket]

REDIRECTS = frozenset({301, 302, 303, 307, 308})
UNPARSABLE = (ValueError, TypeError, LookupError)  # yarl 1.25 raises IndexError for "http://[]a@"
LOOKUPS = 32  # names that are looked up at the same time
ERROR_BYTES = 256 * 1024  # of a page that is an error: enough to know a challenge


@dataclass(frozen=True, slots=True)
class Answer:
    """What one hop gave. Header names are in lower case; repeated ones are joined by commas."""

    url: str
    status: int
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(default=b"", repr=False)
    location: str | None = None  # where a redirect leads, as a whole URL


@dataclass(slots=True)
class _Hop:
    """What one request may connect to. It travels in the context, down to the socket."""

    host: str
    proxy: str | None = None  # the host that is connected to instead, by the operator's will
    addresses: list[str] | None = None  # what the one lookup gave, all of it admitted


_HOP: ContextVar[_Hop] = ContextVar("kensaku-hop")


class Door(PerLoop[Any]):
    """The guarded way to a page.

    `lookup` and `make_socket` stand in for the system's resolver and sockets in tests: the checks
    are made on what the first gives, and before the second is called.
    """

    def __init__(
        self,
        guard: Guard | None = None,
        limits: FetchLimits | None = None,
        *,
        user_agent: str = "Kensaku",
        proxy: str | None = None,
        lookup: Lookup | None = None,
        make_socket: MakeSocket | None = None,
    ) -> None:
        super().__init__()
        self.guard = guard or Guard()
        self.limits = limits or FetchLimits()
        self.user_agent = user_agent
        self.proxy = proxy or None
        self._lookup = lookup or self._ask_system
        self._lookups = ThreadPoolExecutor(LOOKUPS, thread_name_prefix="kensaku-lookup")
        self._make_socket = make_socket or socket.socket

    def parse(self, text: str) -> URL:
        """The URL that will be connected to, checked. This object is used, not its text again."""
        from yarl import URL

        try:
            url = URL(well_formed(text)).with_fragment(None)
            if url.scheme in ("http", "https") and (url.raw_user or url.raw_password):
                url = url.with_user(None)  # we have no credentials to give, and take none
            self.guard.target(url.scheme, url.raw_host, url.port, proxied=self.proxy is not None)
        except UNPARSABLE:
            raise AddressRefused("this is not a web address") from None
        return url

    async def get(self, text: str, headers: Mapping[str, str] | None = None) -> Answer:
        """One GET, and the whole of its answer. Raises `FetchError`; an error status does not."""
        url, limits = self.parse(text), self.limits
        session = await self._session()
        hop = _Hop(url.raw_host or "", _host_of(self.proxy))
        token = _HOP.set(hop)
        try:
            async with asyncio.timeout(limits.connect + limits.first_byte):
                response = await session.get(
                    url, headers=headers, allow_redirects=False, proxy=self.proxy
                )
            async with response:
                return await self._answer(response)
        except KensakuError:
            raise
        except Exception as error:
            from kensaku.transport.sessions import page_error

            never_found = isinstance(error, TimeoutError) and hop.addresses is None
            raise (refused() if never_found else page_error(error)) from None
        finally:
            _HOP.reset(token)

    async def tunnel(
        self, host: str, port: int, scheme: str
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A bare connection to a host, under the same checks: what the browser is given."""
        target = self.guard.target(scheme, host.lower().strip("[]"), port, proxied=False)
        name, hop = target.host, _Hop(target.host)
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(self.limits.connect):
                for address in [name] if target.address else await self._find(name, port, hop):
                    family = socket.AF_INET6 if ":" in address else socket.AF_INET
                    sock = self._checked(hop, family, socket.SOCK_STREAM, 0, address)
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
        """Close the connections. The door can be used again: it opens new ones."""
        await super().close()
        self._lookups.shutdown(wait=False, cancel_futures=True)
        self._lookups = ThreadPoolExecutor(LOOKUPS, thread_name_prefix="kensaku-lookup")

    async def _ask_system(self, host: str, port: int) -> list[str]:
        loop = asyncio.get_running_loop()
        if loop.getaddrinfo.__module__ == "asyncio.base_events":
            # As it does, but in threads of our own: a name server that is slow on purpose must not
            # take those that the rest of the process works with.
            found = await loop.run_in_executor(
                self._lookups, partial(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM)
            )
        else:  # a loop with a resolver of its own
            found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        return [str(sockaddr[0]) for *_, sockaddr in found]

    async def _make(self) -> Any:
        sessions = await import_sessions()
        headers = {
            "User-Agent": self.user_agent,
            "Accept": "text/html,application/xhtml+xml,*/*;q=0.8",
            "Accept-Encoding": accepted(),
        }
        return sessions.page_session(self.limits, headers, self._resolve, self._open_socket)

    async def _resolve(self, host: str, port: int) -> list[str]:
        return await self._find(host, port, _HOP.get())

    def _open_socket(self, info: Any) -> socket.socket:
        family, kind, proto, _, sockaddr = info
        return self._checked(_HOP.get(), family, kind, proto, str(sockaddr[0]))

    async def _find(self, host: str, port: int, hop: _Hop) -> list[str]:
        """All addresses of a name: looked up once a hop, and all of them must pass.

        A name with one closed address is refused whole: it is how rebinding begins.
        """
        if hop.addresses is None:
            try:
                async with asyncio.timeout(self.limits.connect):
                    found = await self._lookup(host, port)
            except (OSError, UnicodeError):  # a TimeoutError is an OSError
                found = []
            if not found or not (hop.proxy or all(self.guard.admits(a, host) for a in found)):
                raise OSError("refused")
            hop.addresses = list(dict.fromkeys(found))
        return hop.addresses

    def _checked(self, hop: _Hop, family: int, kind: int, proto: int, to: str) -> socket.socket:
        """The last check, on the address that is about to be connected to."""
        if hop.addresses is not None and to not in hop.addresses:
            raise OSError("refused")
        if hop.proxy is None and not self.guard.admits(to, hop.host):
            raise OSError("refused")
        return self._make_socket(family, kind, proto)

    async def _answer(self, response: Any) -> Answer:
        size = sum(len(n) + len(v) for n, v in response.raw_headers)
        many = len(response.raw_headers) > self.limits.header_fields
        if many or size > self.limits.header_bytes:
            raise TooLarge("the answer has too many headers")
        names = dict.fromkeys(name.lower() for name in response.headers)
        headers = {n: ", ".join(response.headers.getall(n)) for n in names}
        made = Answer(str(response.url), response.status, headers)
        if made.status in REDIRECTS and "location" in headers:
            return replace(made, location=_absolute(response.url, headers["location"]))
        body = await read_body(
            response.content.readany,
            encoding=headers.get("content-encoding", ""),
            length=response.content_length,
            limits=self.limits,
            cut=None if made.status < 400 else ERROR_BYTES,
        )
        return replace(made, body=body)


def _absolute(base: URL, location: str) -> str:
    from yarl import URL

    try:
        return str(base.join(URL(well_formed(location))))
    except UNPARSABLE:
        raise AddressRefused("the page leads to what is not a web address") from None


def _host_of(proxy: str | None) -> str | None:
    from yarl import URL

    return None if proxy is None else URL(proxy).raw_host

"""A small web on loopback: raw asyncio servers, a resolver and sockets that lead to them.

The sockets are the oracle: they note the address that was about to be connected to, and only then
go to the fake server, so "public" addresses can be reached without a network.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

from kensaku.fetch.limits import FetchLimits
from kensaku.fetch.transport import PageTransport
from kensaku.transport.guard import AddressGuard

Handler = Callable[[asyncio.StreamWriter, "Request"], Awaitable[None]]
Page = bytes | str | Handler | tuple[int, Mapping[str, str], bytes]


class Request:
    """One request as it came in."""

    gone: Callable[[], Awaitable[bytes]]  # returns when the client hangs up

    def __init__(self, head: bytes) -> None:
        lines = head.decode("latin-1").split("\r\n")
        self.method, self.target, _ = lines[0].split(" ", 2)
        pairs = [line.partition(":") for line in lines[1:] if line]
        self.headers = {n.strip().lower(): v.strip() for n, _, v in pairs}
        self.host = self.headers.get("host", "")
        self.path = self.target.partition("?")[0]


def whole(status: int, headers: Mapping[str, str], body: bytes) -> bytes:
    """An answer with its head."""
    names = {"Content-Type": "text/html; charset=utf-8", "Content-Length": str(len(body))}
    names |= dict(headers)
    head = "".join(f"{n}: {v}\r\n" for n, v in names.items() if v is not None)
    return f"HTTP/1.1 {status} Status\r\n{head}\r\n".encode("latin-1") + body


class Web:
    """Pages by `host/path` or `/path`; everything that came in is in `seen`."""

    def __init__(self, pages: Mapping[str, Page] | None = None) -> None:
        self.pages: dict[str, Page] = dict(pages or {})
        self.seen: list[Request] = []
        self.dialled: list[str] = []  # every address that a socket was to be connected to
        self.names: dict[str, Any] = {}  # name → addresses, or a callable that gives them
        self.lookups: list[str] = []
        self.port = 0
        self.open = 0
        self._transports: list[PageTransport] = []
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Web:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        for transport in self._transports:
            await transport.close()
        self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()

    def asked(self, path: str) -> list[Request]:
        return [r for r in self.seen if r.path == path]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        self.open += 1
        try:
            while True:
                request = Request(await reader.readuntil(b"\r\n\r\n"))
                request.gone = reader.read
                self.seen.append(request)
                await self._reply(writer, request)
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self.open -= 1
            writer.transport.abort()

    async def _reply(self, writer: asyncio.StreamWriter, request: Request) -> None:
        page = self.pages.get(request.host + request.path)
        if page is None:
            page = self.pages.get(request.path, (404, {}, b"nothing here"))
        if callable(page):
            await page(writer, request)
        elif isinstance(page, tuple):
            writer.write(whole(*page))
        else:
            writer.write(whole(200, {}, page.encode() if isinstance(page, str) else page))
        await writer.drain()

    async def lookup(self, host: str, port: int) -> list[str]:
        self.lookups.append(host)
        found = self.names.get(host)
        if callable(found):
            found = found()
        if not found:
            raise socket.gaierror(socket.EAI_NONAME, "no such name")
        return list(found)

    def make_socket(self, family: int, kind: int, proto: int) -> socket.socket:
        web = self

        class Rerouted(socket.socket):
            def connect(self, address: Any) -> None:
                web.dialled.append(address[0])
                there = "127.0.0.1" if self.family == socket.AF_INET else "::ffff:127.0.0.1"
                super().connect((there, web.port))

        return Rerouted(family, kind, proto)

    def transport(
        self,
        limits: FetchLimits | None = None,
        allow: Iterable[str] = (),
        ports: Iterable[int] | None = (80, 443, 8080, 8443),
        **options: Any,
    ) -> PageTransport:
        """A transport whose every socket ends here, whatever address it was to be connected to."""
        guard = AddressGuard.allowing(allow, ports)
        transport = PageTransport(
            guard, limits, lookup=self.lookup, make_socket=self.make_socket, **options
        )
        self._transports.append(transport)
        return transport


def reset(writer: asyncio.StreamWriter) -> None:
    """Break the connection off with RST."""
    sock = writer.get_extra_info("socket")
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


def sends(*parts, pause=0.0, end="close"):
    """A server that writes these bytes, and then closes, hangs or resets."""

    async def handler(writer, request):
        for part in parts:
            writer.write(part)
            await writer.drain()
            await asyncio.sleep(pause)
        if end == "reset":
            reset(writer)
        elif end == "hang":
            await request.gone()
        writer.transport.abort() if end == "abort" else writer.close()

    return handler

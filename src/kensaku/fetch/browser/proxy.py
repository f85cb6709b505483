"""The browser's only network: a proxy on loopback that connects through the page transport.

    browser → CONNECT host:port, or GET http://host/… → PageTransport.tunnel → counted bytes

A browser that looks names up or connects by itself would bypass every check. Chromium is told that
no name exists, and that all traffic, also to loopback, goes to this proxy. One proxy serves one
page, requires a secret, and is closed with the page.
"""

from __future__ import annotations

import asyncio
import re
import secrets
from base64 import b64encode
from typing import TYPE_CHECKING

from kensaku.errors import FetchError

if TYPE_CHECKING:
    from kensaku.fetch.transport import PageTransport

MAX_HEAD = 64 * 1024
_STEP = 64 * 1024
_REFUSED = b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
_AUTHENTICATE = (
    b"HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=kensaku\r\n"
    b"Content-Length: 0\r\nConnection: close\r\n\r\n"
)
_LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*(\d{1,12})[ \t]*(?=\r\n)", re.IGNORECASE)
_HOP_BY_HOP = re.compile(
    rb"\r\n(?:proxy-[\w-]+|connection|keep-alive|upgrade):[^\r\n]*(?=\r\n)", re.IGNORECASE
)


class Proxy:
    """A proxy for one page; after `budget` bytes it closes every connection."""

    def __init__(self, transport: PageTransport, budget: int) -> None:
        self.username, self.password = "kensaku", secrets.token_urlsafe(24)
        self.spent = 0
        self.refused: set[str] = set()  # hosts that the guard refused
        self._transport, self._budget = transport, budget
        token = b64encode(f"{self.username}:{self.password}".encode()).decode()
        self._credentials = f"\r\nproxy-authorization: basic {token}\r\n".lower().encode()
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def address(self) -> str:
        """The URL at which it listens."""
        host, port = self._server.sockets[0].getsockname()[:2]
        return f"http://{host}:{port}"

    async def __aenter__(self) -> Proxy:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=MAX_HEAD)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        try:
            async with asyncio.timeout(self._transport.limits.total):
                await self._request(reader, writer)
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass  # either side closed, or took too long: the browser sees a closed connection
        except asyncio.CancelledError:
            pass  # the page is done; only `__aexit__` awaits this task
        finally:
            writer.transport.abort()

    async def _request(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        if self._credentials not in head.lower():
            writer.write(_AUTHENTICATE)
            await writer.drain()
            return
        method, _, rest = head.partition(b" ")
        target = rest.partition(b" ")[0].decode("latin-1")
        try:
            if method == b"CONNECT":
                host, _, port = target.rpartition(":")
                out = await self._connect(host, int(port) if port.isdecimal() else 0)
            else:
                url = self._transport.check_url(target).parsed
                out = await self._connect(url.raw_host or "", url.port or 80)
        except FetchError:
            writer.write(_REFUSED)
            await writer.drain()
            return
        try:
            if method == b"CONNECT":
                writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
                await self._tunnel(reader, writer, *out)
            else:
                line = b"%s %s HTTP/1.1" % (method, url.raw_path_qs.encode("ascii"))
                await self._forward(line, head, reader, writer, *out)
        finally:
            out[1].transport.abort()

    async def _connect(
        self, host: str, port: int
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        try:
            return await self._transport.tunnel(host, port, "https")
        except FetchError:
            self.refused.add(host.lower().strip("[]"))
            raise

    async def _forward(
        self,
        line: bytes,
        head: bytes,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        far: asyncio.StreamReader,
        to_far: asyncio.StreamWriter,
    ) -> None:
        """Carry one request and close: a second request may be for another host."""
        fields = _HOP_BY_HOP.sub(b"", head[head.index(b"\r\n") : -2])
        to_far.write(line + fields + b"Connection: close\r\n\r\n")
        length = _LENGTH.search(head)
        if length is not None:
            await self._copy(reader, to_far, int(length[1]))
        response = await far.readuntil(b"\r\n\r\n")
        self.count(len(response))
        writer.write(_HOP_BY_HOP.sub(b"", response[:-2]) + b"Connection: close\r\n\r\n")
        await self._copy(far, writer, _body_length(line, response))
        await writer.drain()

    async def _tunnel(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        far: asyncio.StreamReader,
        to_far: asyncio.StreamWriter,
    ) -> None:
        copies = {
            asyncio.create_task(self._copy(reader, to_far)),
            asyncio.create_task(self._copy(far, writer)),
        }
        try:
            await asyncio.wait(copies, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for copy in copies:
                copy.cancel()
            await asyncio.gather(*copies, return_exceptions=True)

    async def _copy(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        most: int | None = None,
    ) -> None:
        while most is None or most > 0:
            data = await reader.read(_STEP if most is None else min(_STEP, most))
            if not data:
                return
            self.count(len(data))
            most = None if most is None else most - len(data)
            writer.write(data)
            await writer.drain()

    def count(self, size: int) -> None:
        """Count bytes of the page. Raises `ConnectionAbortedError` when it has had its share."""
        self.spent += size
        if self.spent > self._budget:
            raise ConnectionAbortedError("the page has had its bytes")


def _body_length(line: bytes, head: bytes) -> int | None:
    """Return the length of a response's body; None means until the server closes."""
    status = head.split(b" ", 2)[1:2]
    if line.startswith(b"HEAD ") or status in ([b"204"], [b"304"]):
        return 0
    length = _LENGTH.search(head)
    if length is None or b"\r\ntransfer-encoding:" in head.lower():
        return None
    return int(length[1])

"""The only network a browser has: a proxy on loopback that goes out through the door.

    browser → CONNECT host:port, or GET http://host/… → Door.tunnel → bytes, counted, both ways

A browser that looks names up or connects by itself would go past every check. This one is told
that no name exists, and that all traffic, also to loopback, goes to a port where we listen.
One proxy serves one page, knows a secret, and is gone with it.
"""

from __future__ import annotations

import asyncio
import re
import secrets
from base64 import b64encode
from typing import TYPE_CHECKING

from kensaku.errors import FetchError

if TYPE_CHECKING:
    from kensaku.fetch.transport import Door

MAX_HEAD = 64 * 1024
_STEP = 64 * 1024
_REFUSED = b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
_WHO = (
    b"HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=kensaku\r\n"
    b"Content-Length: 0\r\nConnection: close\r\n\r\n"
)
_LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*(\d{1,12})[ \t]*(?=\r\n)", re.IGNORECASE)
_OURS = re.compile(
    rb"\r\n(?:proxy-[\w-]+|connection|keep-alive|upgrade):[^\r\n]*(?=\r\n)", re.IGNORECASE
)


class Proxy:
    """A proxy for one page: at most `budget` bytes from the web, then nothing more."""

    def __init__(self, door: Door, budget: int) -> None:
        self.username, self.password = "kensaku", secrets.token_urlsafe(24)
        self.spent = 0
        self.refused: set[str] = set()  # hosts that the guard turned away
        self._door, self._budget = door, budget
        given = b64encode(f"{self.username}:{self.password}".encode()).decode()
        self._pass = f"\r\nproxy-authorization: basic {given}\r\n".lower().encode()
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def address(self) -> str:
        """Where it listens."""
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
            async with asyncio.timeout(self._door.limits.total):
                await self._request(reader, writer)
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass  # either side hung up, or took too long: the browser sees a closed connection
        except asyncio.CancelledError:
            pass  # the page is done; nobody awaits this task but `__aexit__`
        finally:
            writer.transport.abort()

    async def _request(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        if self._pass not in head.lower():
            writer.write(_WHO)
            await writer.drain()
            return
        method, _, rest = head.partition(b" ")
        target = rest.partition(b" ")[0].decode("latin-1")
        try:
            if method == b"CONNECT":
                host, _, port = target.rpartition(":")
                out = await self._out(host, int(port) if port.isdecimal() else 0)
            else:
                url = self._door.parse(target)
                out = await self._out(url.raw_host or "", url.port or 80)
        except FetchError:
            writer.write(_REFUSED)
            await writer.drain()
            return
        try:
            if method == b"CONNECT":
                writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
                await self._both(reader, writer, *out)
            else:
                line = b"%s %s HTTP/1.1" % (method, url.raw_path_qs.encode("ascii"))
                await self._plain(line, head, reader, writer, *out)
        finally:
            out[1].transport.abort()

    async def _out(self, host: str, port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        try:
            return await self._door.tunnel(host, port, "https")
        except FetchError:
            self.refused.add(host.lower().strip("[]"))
            raise

    async def _plain(
        self,
        line: bytes,
        head: bytes,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        far: asyncio.StreamReader,
        to_far: asyncio.StreamWriter,
    ) -> None:
        """One request, one answer, and the end: a second request may be for another host."""
        fields = _OURS.sub(b"", head[head.index(b"\r\n") : -2])
        to_far.write(line + fields + b"Connection: close\r\n\r\n")
        length = _LENGTH.search(head)
        if length is not None:
            await self._copy(reader, to_far, int(length[1]))
        answer = await far.readuntil(b"\r\n\r\n")
        self._count(len(answer))
        writer.write(_OURS.sub(b"", answer[:-2]) + b"Connection: close\r\n\r\n")
        await self._copy(far, writer, _body_length(line, answer))
        await writer.drain()

    async def _both(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        far: asyncio.StreamReader,
        to_far: asyncio.StreamWriter,
    ) -> None:
        ways = {
            asyncio.create_task(self._copy(reader, to_far)),
            asyncio.create_task(self._copy(far, writer)),
        }
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)

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
            self._count(len(data))
            most = None if most is None else most - len(data)
            writer.write(data)
            await writer.drain()

    def _count(self, size: int) -> None:
        self.spent += size
        if self.spent > self._budget:
            raise ConnectionAbortedError("the page has had its bytes")


def _body_length(line: bytes, answer: bytes) -> int | None:
    """How much follows an answer's head; None: until the server closes."""
    status = answer.split(b" ", 2)[1:2]
    if line.startswith(b"HEAD ") or status in ([b"204"], [b"304"]):
        return 0
    length = _LENGTH.search(answer)
    if length is None or b"\r\ntransfer-encoding:" in answer.lower():
        return None
    return int(length[1])

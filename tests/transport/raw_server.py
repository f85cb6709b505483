"""A server that sends exactly the bytes it is told to, below every HTTP library."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from types import TracebackType

Script = Callable[[asyncio.StreamWriter], Awaitable[None]]


class RawServer:
    """`/odd` is answered by the script, `/plain/<n>` by a proper reply that repeats the path.

    A script that returns leaves the connection open; one that closes the writer ends it.
    """

    def __init__(self, script: Script | None = None) -> None:
        self.script = script
        self.requests: list[str] = []  # "POST /odd", in the order of arrival
        self.heads: list[bytes] = []
        self.bodies: list[bytes] = []
        self.writers: list[asyncio.StreamWriter] = []
        self._tasks: list[asyncio.Task[None] | None] = []

    @property
    def connections(self) -> int:
        return len(self.writers)

    async def __aenter__(self) -> RawServer:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.close()
        for writer in self.writers:
            writer.transport.abort()
        await asyncio.gather(*filter(None, self._tasks))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.writers.append(writer)
        self._tasks.append(asyncio.current_task())
        with suppress(OSError, asyncio.IncompleteReadError):
            while not writer.is_closing():
                head = await reader.readuntil(b"\r\n\r\n")
                length = re.search(rb"(?i)content-length: (\d+)", head)
                self.bodies.append(await reader.readexactly(int(length[1])) if length else b"")
                method, path = head.decode("latin-1").split(" ")[:2]
                self.requests.append(f"{method} {path}")
                self.heads.append(head)
                if path.startswith("/plain") or self.script is None:
                    writer.write(reply(path.encode()))
                else:
                    await self.script(writer)


def reply(body: bytes = b"{}", headers: bytes = b"", status: bytes = b"200 OK") -> bytes:
    """A proper reply; `headers` are whole lines."""
    length = b"Content-Length: %d\r\n\r\n" % len(body)
    return b"HTTP/1.1 " + status + b"\r\n" + headers + length + body


def sends(*pieces: bytes, close: bool = False) -> Script:
    """A script: each piece in a turn of its own, then, with `close`, the end of the connection."""

    async def script(writer: asyncio.StreamWriter) -> None:
        for piece in pieces:
            writer.write(piece)
            await asyncio.sleep(0)
        if close:
            writer.close()

    return script


def sends_forever(begin: bytes, more: bytes) -> Script:
    """A script without an end: it stops when the client closes the connection."""

    async def script(writer: asyncio.StreamWriter) -> None:
        writer.write(begin)
        while not writer.is_closing():
            writer.write(more)
            await writer.drain()
            await asyncio.sleep(0)

    return script

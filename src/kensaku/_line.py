"""Connections to providers: HTTP/1.1 over kept sockets, and nothing that a search does not need.

    host → an idle line, or a new one → request bytes → head and body → Reply, the line kept

A search is one small request and one JSON body. A general HTTP client spends more on its own
machinery than everything else in a search costs together (`bench/speed.py`); the parsing, where
mistakes are dangerous, is llhttp's, which Node.js trusts. Redirects, cookies, proxies and
HTTP/2 are not here: `transport/http.py` has a general client for what needs them.
"""

from __future__ import annotations

import asyncio
import ssl
import zlib
from collections import deque
from collections.abc import Mapping
from functools import cache
from typing import Any

import httptools

ParserError = httptools.HttpParserError
MAX_BYTES = 16 * 2**20
MAX_HEAD_BYTES = 64 * 2**10
BUFFER_BYTES = 64 * 2**10  # what is read at once; made once, for the system clears a new one
IDLE_SECONDS = 15.0  # servers close idle connections after some tens of seconds


class BrokenLine(Exception):
    """The connection ended before the reply did. `unused`: before any of it came."""

    def __init__(self, unused: bool) -> None:
        super().__init__("the connection broke off")
        self.unused = unused


class TooMuch(Exception):
    """The reply is over a bound."""


class Line(asyncio.BufferedProtocol):
    """One connection, one exchange at a time. `buffer` is where replies come in; it may be shared
    by the lines of one event loop, for what is in it is read at once."""

    def __init__(self, buffer: memoryview) -> None:
        self.open = True
        self.idle_since = 0.0
        self._buffer = buffer
        self._parser = httptools.HttpResponseParser(self)
        self._transport: asyncio.Transport | None = None
        self._reply: asyncio.Future[tuple[int, dict[str, str], bytes]] | None = None

    async def exchange(self, message: bytes) -> tuple[int, dict[str, str], bytes]:
        """Send a request and wait for the whole reply. Cancelling closes the connection."""
        transport = self._transport
        if transport is None or not self.open:
            raise BrokenLine(unused=True)
        self._headers: dict[str, str] = {}
        self._parts: list[bytes] = []
        self._size = self._head = 0
        self._came = False
        self._reply = asyncio.get_running_loop().create_future()
        transport.write(message)
        try:
            return await self._reply
        except BaseException:
            self.close()
            raise
        finally:
            self._reply = None

    def close(self) -> None:
        """End it now."""
        self.open = False
        if self._transport is not None:
            self._transport.abort()

    # --- what the transport says

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport  # type: ignore[assignment]

    def get_buffer(self, sizehint: int) -> memoryview:
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        if self._reply is None:  # nobody asked: this is not a line to keep
            self.close()
            return
        self._came = True
        try:
            self._parser.feed_data(self._buffer[:nbytes])
        except (TooMuch, httptools.HttpParserError, ValueError) as error:
            self._fail(getattr(error, "__context__", None) or error)

    def eof_received(self) -> bool:
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        self.open = False
        if self._reply is not None and not self._reply.done():
            # A reply without a length ends with the connection.
            if exc is None and self._until_close:
                self._finish()
            else:
                self._fail(BrokenLine(unused=not self._came))

    # --- what the parser says

    def on_message_begin(self) -> None:
        if self._reply is None or self._reply.done():
            self.open = False  # more than was asked for: what follows could be anything

    def on_header(self, name: bytes, value: bytes) -> None:
        self._head += len(name) + len(value)
        if self._head > MAX_HEAD_BYTES or len(self._headers) > 200:
            raise TooMuch("the head of the reply is too large")
        key = name.decode("latin-1").lower()
        text = value.decode("latin-1")
        self._headers[key] = f"{self._headers[key]}, {text}" if key in self._headers else text

    def on_body(self, part: bytes) -> None:
        self._size += len(part)
        if self._size > MAX_BYTES:
            raise TooMuch("the reply is too large")
        self._parts.append(part)

    def on_message_complete(self) -> None:
        if self._parser.get_status_code() >= 200:
            self._finish()
        else:  # 100 Continue and its like are no replies
            self._headers.clear()
            self._parts.clear()

    # --- the end of an exchange

    @property
    def _until_close(self) -> bool:
        headers = self._headers
        return (
            self._came
            and "content-length" not in headers
            and ("chunked" not in headers.get("transfer-encoding", ""))
        )

    def _finish(self) -> None:
        reply = self._reply
        if reply is None or reply.done():
            return
        if not self._parser.should_keep_alive():
            self.close()
        status = self._parser.get_status_code()
        body = self._parts[0] if len(self._parts) == 1 else b"".join(self._parts)
        try:
            reply.set_result((status, self._headers, _decoded(self._headers, body)))
        except (TooMuch, zlib.error, ValueError) as error:
            self._fail(error)

    def _fail(self, error: BaseException) -> None:
        if self._reply is not None and not self._reply.done():
            self._reply.set_exception(error)
        self.close()


class Lines:
    """The lines of one event loop, by host. At most `most` to one host at a time."""

    def __init__(self, most: int, connect_seconds: float) -> None:
        self._idle: dict[tuple[str, int, bool], deque[Line]] = {}
        self._turns: dict[tuple[str, int, bool], asyncio.Semaphore] = {}
        self._most, self._connect_seconds = most, connect_seconds
        self._buffer = memoryview(bytearray(BUFFER_BYTES))

    async def exchange(
        self, host: str, port: int, secure: bool, message: bytes
    ) -> tuple[int, dict[str, str], bytes]:
        """One request, one reply. When a kept line turns out to have been closed by the other side
        meanwhile, the request goes out again on another: a search changes nothing there."""
        place = (host, port, secure)
        turns = self._turns.get(place)
        if turns is None:
            turns = self._turns[place] = asyncio.Semaphore(self._most)
            self._idle[place] = deque()
        await turns.acquire()
        try:
            while True:
                line, kept = self._kept(place), True
                if line is None:
                    line, kept = await self._connected(host, port, secure), False
                try:
                    reply = await line.exchange(message)
                except BrokenLine as broken:
                    if kept and broken.unused:
                        continue
                    raise
                if line.open:
                    line.idle_since = asyncio.get_running_loop().time()
                    self._idle[place].append(line)
                return reply
        finally:
            turns.release()

    async def close(self) -> None:
        """End all lines that nobody uses."""
        for lines in self._idle.values():
            while lines:
                lines.pop().close()
        for _ in range(2):  # a socket is let go of in the next turns of the loop
            await asyncio.sleep(0)

    def _kept(self, place: tuple[str, int, bool]) -> Line | None:
        idle = self._idle[place]
        now = asyncio.get_running_loop().time()
        while idle:
            line = idle.pop()  # the newest is the surest
            if line.open and now - line.idle_since < IDLE_SECONDS:
                return line
            line.close()
        return None

    async def _connected(self, host: str, port: int, secure: bool) -> Line:
        loop = asyncio.get_running_loop()
        context = await asyncio.to_thread(tls_context) if secure else None
        async with asyncio.timeout(self._connect_seconds):
            _, line = await loop.create_connection(
                lambda: Line(self._buffer),
                host,
                port,
                ssl=context,
                server_hostname=host if secure else None,
                # Calling off a race of addresses leaves the winner's socket open (Python 3.11), so
                # there is one only where there can be several.
                happy_eyeballs_delay=None if _is_literal(host) else 0.25,
            )
        return line


def _is_literal(host: str) -> bool:
    return ":" in host or host.replace(".", "").isdigit()


@cache
def tls_context() -> ssl.SSLContext:
    """The one context of the process: making it takes tens of milliseconds."""
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    return context


def _decoded(headers: Mapping[str, str], body: bytes) -> bytes:
    encoding = headers.get("content-encoding", "").strip().lower()
    if encoding in ("", "identity"):
        return body
    if encoding not in ("gzip", "x-gzip", "deflate"):
        raise ValueError("an encoding that was not asked for")
    inflater: Any = zlib.decompressobj(wbits=47 if "gzip" in encoding else 15)
    whole: bytes = inflater.decompress(body, MAX_BYTES + 1)
    if len(whole) > MAX_BYTES:
        raise TooMuch("the reply is too large")
    if not inflater.eof:
        raise zlib.error("the reply broke off")
    return whole

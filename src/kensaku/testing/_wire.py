"""Just enough HTTP/1.1 for a fast fake: keep-alive, Content-Length, one request at a time.

bytes → ReceivedRequest → upstream.respond() → bytes, half of them, a reset, or silence
"""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Protocol
from urllib.parse import parse_qsl, unquote

from kensaku.testing.faults import Fault


class ReceivedRequest:
    """One request as it arrived. Headers and body are parsed when they are read."""

    __slots__ = ("body", "head", "method", "provider", "target")

    def __init__(self, head: bytes, body: bytes) -> None:
        self.head = head
        self.body = body
        line = head[: head.index(b"\r\n")].decode("latin-1")
        self.method, self.target, _ = line.split(" ", 2)
        self.provider = self.target[1:].split("?", 1)[0].split("/", 1)[0]

    def __repr__(self) -> str:
        return f"<{self.method} {self.path}>"

    @property
    def path(self) -> str:
        """The path without the query, decoded."""
        return unquote(self.target.partition("?")[0])

    @property
    def params(self) -> dict[str, str]:
        """The query, decoded; of a repeated name the last."""
        return dict(self.param_list)

    @property
    def param_list(self) -> list[tuple[str, str]]:
        """The query, decoded, in order."""
        return parse_qsl(self.target.partition("?")[2], keep_blank_values=True)

    @property
    def headers(self) -> dict[str, str]:
        """The headers, names in lower case."""
        lines = self.head.decode("latin-1").split("\r\n")[1:]
        pairs = (line.partition(":") for line in lines if line)
        return {name.strip().lower(): value.strip() for name, _, value in pairs}

    @property
    def json(self) -> Any:
        """The body as JSON; None when there is none."""
        return json.loads(self.body) if self.body else None

    @property
    def form(self) -> dict[str, str]:
        """The body as an HTML form."""
        return dict(parse_qsl(self.body.decode(), keep_blank_values=True))


class RequestHandler(Protocol):
    """Decides what is sent back."""

    def connection_opened(self, connection: Connection) -> None: ...
    def connection_closed(self, connection: Connection) -> None: ...
    def respond(self, request: ReceivedRequest) -> tuple[bytes, Fault | None]: ...


def reply(
    status: int, body: bytes, content_type: str, headers: Mapping[str, str] | None = None
) -> bytes:
    """Write a whole response, head and body."""
    names = {"Content-Type": content_type, "Content-Length": str(len(body)), **(headers or {})}
    try:
        reason = HTTPStatus(status).phrase
    except ValueError:
        reason = "Refused"
    head = "".join(f"{name}: {value}\r\n" for name, value in names.items())
    return f"HTTP/1.1 {status} {reason}\r\n{head}\r\n".encode("latin-1") + body


class Connection(asyncio.Protocol):
    """One connection."""

    def __init__(self, handler: RequestHandler) -> None:
        self._handler = handler
        self._buffer = bytearray()
        self._busy = False
        self.transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self._handler.connection_opened(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._handler.connection_closed(self)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        self._next()

    def _next(self) -> None:
        while not self._busy and (request := self._take()):
            whole, fault = self._handler.respond(request)
            if fault is None:
                self.transport.write(whole)
            else:
                self._busy = True
                asyncio.get_running_loop().call_later(fault.delay, self._fail, whole, fault)

    def _take(self) -> ReceivedRequest | None:
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            return None
        head = bytes(self._buffer[: end + 2])
        start, size = end + 4, _length(head)
        if len(self._buffer) < start + size:
            return None
        body = bytes(self._buffer[start : start + size])
        del self._buffer[: start + size]
        return ReceivedRequest(head, body)

    def _fail(self, whole: bytes, fault: Fault) -> None:
        if self.transport.is_closing() or fault.end == "hang":
            return
        if fault.end == "reset":
            _reset(self.transport)
        elif fault.end == "half":
            body = whole.index(b"\r\n\r\n") + 4
            self.transport.write(whole[: (body + len(whole)) // 2])
            self.transport.close()
        else:
            self.transport.write(whole)
            self._busy = False
            self._next()


def _length(head: bytes) -> int:
    at = head.lower().find(b"\r\ncontent-length:")
    return 0 if at < 0 else int(head[at + 17 : head.index(b"\r\n", at + 2)])


def _reset(transport: asyncio.Transport) -> None:
    # Closing with a linger time of zero sends RST instead of FIN.
    sock = transport.get_extra_info("socket")
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    transport.abort()

"""HTTP/1.1 by httptools, with bounds that httptools and uvicorn do not have.

head   at most MAX_HEAD bytes, in HEAD_SECONDS    → 431, 408
body   in BODY_SECONDS                            → 408
connections of one peer, and in all (`connections.py`) → 503
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from kensaku.transport.connections import Connections

MAX_HEAD = 128 * 1024  # bytes that are held; the application takes less (entry.MAX_HEADERS)
HEAD_SECONDS = 15.0
BODY_SECONDS = 60.0
LINGER = 2.0  # seconds in which a refused client may read why: closing at once would reset it


class BoundedProtocol(HttpToolsProtocol):
    """One connection."""

    _head: int | None = 0  # bytes of a head that is not complete; None: there is none
    _refused = False
    _timer: asyncio.TimerHandle | None = None
    _peer = ""

    def __init__(self, *args: Any, bounds: Connections | None = None, **more: Any) -> None:
        super().__init__(*args, **more)
        self._bounds = bounds or Connections()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take the connection, if there is room."""
        super().connection_made(transport)
        self._peer = self.client[0] if self.client else ""
        if self._bounds.admit(self, self._peer):
            self._set_timer(HEAD_SECONDS)
        else:
            self._refuse(b"503 Service Unavailable", linger=0.0)

    def connection_lost(self, exc: Exception | None) -> None:
        """Count it no more."""
        self._stop_timer()
        self._bounds.remove(self, self._peer)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse, unless the head is over the bound."""
        if self._refused:
            return
        super().data_received(data)
        if self._head is not None:
            self._head += len(data)
            if self._head > MAX_HEAD:
                self._refuse(b"431 Request Header Fields Too Large")
                return
        is_idle = self.cycle is None or self.cycle.response_complete
        if self._timer is None and (is_idle or self._head is not None):
            self._set_timer(HEAD_SECONDS)  # blank lines, too, are the beginning of a head

    def on_message_begin(self) -> None:
        """A head begins."""
        self._head = 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """The head is complete, and the body begins."""
        self._head = None
        self._set_timer(BODY_SECONDS)
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """The request is complete."""
        self._stop_timer()
        super().on_message_complete()
        if not self.cycle.response_complete:
            self._bounds.work(self, self._peer)
        elif self.timeout_keep_alive_task is None:  # its reply did not wait for the body
            self.timeout_keep_alive_task = self.loop.call_later(
                self.timeout_keep_alive, self.timeout_keep_alive_handler
            )

    def on_response_complete(self) -> None:
        """The connection waits for the next request."""
        self._bounds.wait(self, self._peer)
        super().on_response_complete()

    def end(self) -> None:
        """Make room for another connection."""
        self._refuse(b"408 Request Timeout", linger=0.0)

    def _is_late(self) -> None:
        self._timer = None
        if self._head is not None and self.cycle and not self.cycle.response_complete:
            self._set_timer(HEAD_SECONDS)  # the head of the next request, before this is answered
            return
        self._bounds.warn(
            "a request did not come within %g s for its head, or %g s for its body",
            HEAD_SECONDS,
            BODY_SECONDS,
        )
        self._refuse(b"408 Request Timeout")

    def _refuse(self, status: bytes, linger: float = LINGER) -> None:
        """Say why, unless a reply has begun, and close."""
        self._refused = True
        if self.transport.is_closing():
            return
        cycle = self.cycle
        if not cycle or cycle.response_complete or not cycle.response_started:
            head = b"HTTP/1.1 %s\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
            self.transport.write(head % status)
        if linger:
            self.loop.call_later(linger, self.transport.close)
        else:
            self.transport.close()

    def _set_timer(self, seconds: float) -> None:
        self._stop_timer()
        self._timer = self.loop.call_later(seconds, self._is_late)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

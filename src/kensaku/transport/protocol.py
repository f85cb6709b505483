"""HTTP/1.1 by httptools, with a bound on the head of a request: httptools itself has none."""

from __future__ import annotations

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MAX_HEAD = 512 * 1024  # bytes that are held; the application takes less (entry.MAX_HEADERS)
LINGER = 2.0  # seconds in which a refused client may read why: closing at once would reset it
REFUSAL = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\n"
    b"content-length: 0\r\nconnection: close\r\n\r\n"
)


class BoundedProtocol(HttpToolsProtocol):
    """Answers 431 to a head without an end."""

    _head: int | None = 0  # bytes of a head that is not complete; None: there is none
    _refused = False

    def data_received(self, data: bytes) -> None:
        """Parse, unless the head is over the bound."""
        if self._refused:
            return
        super().data_received(data)
        if self._head is None:
            return
        self._head += len(data)
        if self._head > MAX_HEAD and not self.transport.is_closing():
            self._refused = True
            self.transport.write(REFUSAL)
            self.loop.call_later(LINGER, self.transport.close)

    def on_message_begin(self) -> None:
        """A head begins."""
        self._head = 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """The head is complete."""
        self._head = None
        super().on_headers_complete()

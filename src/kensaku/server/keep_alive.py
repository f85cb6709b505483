"""Keep streams open while they have nothing to say: proxies close idle connections.

    send → a stream of events? → a comment after every 15 seconds in which nothing was sent

Clients of server-sent events ignore comments. Each message of a stream holds whole frames, so a
comment between two of them breaks none.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.types import Message, Send

SECONDS = 15.0  # nginx, Traefik and load balancers wait 30 to 60
COMMENT = b": keep-alive\n\n"
_EVENTS = b"text/event-stream"


class KeepAlive:
    """The `send` of one response."""

    __slots__ = ("_beating", "_send", "_sending", "_sent")

    def __init__(self, send: Send) -> None:
        self._send = send
        self._sending = asyncio.Lock()
        self._beating: asyncio.Task[None] | None = None
        self._sent = 0.0

    async def __call__(self, message: Message) -> None:
        if self._beating is not None:
            await self._put(message)
            if not message.get("more_body"):
                self._beating.cancel()
            return
        await self._send(message)
        if message["type"] == "http.response.start" and _is_stream(message):
            self._sent = asyncio.get_running_loop().time()
            self._beating = asyncio.create_task(self._beat())

    async def close(self) -> None:
        """Send no more comments."""
        if self._beating is not None:
            self._beating.cancel()
            await asyncio.gather(self._beating, return_exceptions=True)

    async def _put(self, message: Message) -> None:
        async with self._sending:
            await self._send(message)
        self._sent = asyncio.get_running_loop().time()

    async def _beat(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            left = self._sent + SECONDS - loop.time()
            if left > 0:
                await asyncio.sleep(left)
            else:
                await self._put({"type": "http.response.body", "body": COMMENT, "more_body": True})


def _is_stream(message: Message) -> bool:
    headers = message.get("headers", ())
    return any(n.lower() == b"content-type" and v.startswith(_EVENTS) for n, v in headers)

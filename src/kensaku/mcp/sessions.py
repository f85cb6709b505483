"""A cap on the sessions of the MCP server: when it is reached, the oldest idle one is ended.

    a new session → one too many → DELETE the one that was used longest ago and is idle
    all are busy  → 503

A client that is ended gets 404 with its next request, and initializes again: the protocol says so.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

from kensaku._logger import get_logger

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

SESSION_HEADER = b"mcp-session-id"

log = get_logger("kensaku.mcp")


class SessionLimit:
    """Count the sessions that the application opens, and end some of them."""

    def __init__(self, app: ASGIApp, max_sessions: int) -> None:
        self._app, self._max = app, max_sessions
        self._busy: OrderedDict[bytes, int] = OrderedDict()  # id → open requests; last used last

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        session = next((v for n, v in scope["headers"] if n == SESSION_HEADER), None)
        if session is None and len(self._busy) >= self._max and all(self._busy.values()):
            await _refuse(send)
            return
        if session is not None and session in self._busy:
            self._busy[session] += 1
            self._busy.move_to_end(session)
        ended = False

        async def watch(message: Message) -> None:
            nonlocal ended
            if message["type"] == "http.response.start":
                ended = message["status"] == 404 or scope["method"] == "DELETE"
                for name, value in message.get("headers", []):
                    if name.lower() == SESSION_HEADER:
                        self._busy.setdefault(value, 0)
            await send(message)

        try:
            await self._app(scope, receive, watch)
        finally:
            if session is not None and session in self._busy:
                self._busy[session] -= 1
                if ended:
                    del self._busy[session]
        await self._end_oldest(scope)

    async def _end_oldest(self, scope: Scope) -> None:
        """End idle sessions until there are no more than allowed."""
        while len(self._busy) > self._max:
            session = next((s for s, busy in self._busy.items() if not busy), None)
            if session is None:
                return
            del self._busy[session]
            log.warning("more than %d sessions: the oldest idle one was ended", self._max)
            kept = [(n, v) for n, v in scope["headers"] if n in (b"host", b"authorization")]
            headers = [*kept, (SESSION_HEADER, session)]
            await self._app({**scope, "method": "DELETE", "headers": headers}, _no_body, _ignore)


async def _no_body() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


async def _ignore(message: Message) -> None:
    return None


async def _refuse(send: Send) -> None:
    body = b'{"error": "all sessions of this server are busy; try again later"}'
    headers = [(b"content-type", b"application/json"), (b"retry-after", b"10")]
    await send({"type": "http.response.start", "status": 503, "headers": headers})
    await send({"type": "http.response.body", "body": body})

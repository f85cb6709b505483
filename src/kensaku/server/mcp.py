"""MCP over Streamable HTTP on the server's port: Tavily's tools and ours, for each tenant.

    key → principal → the tenant's own MCP server, with its own sessions

A session belongs to the tenant that opened it: another one does not find it.
"""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

from kensaku.errors import KensakuError
from kensaku.server.endpoint import status_of
from kensaku.server.http import ClientDisconnected, encode, headers_of, read_body, reply

if TYPE_CHECKING:
    from starlette.types import Message, Receive, Scope, Send

    from kensaku.mcp.http import McpApp
    from kensaku.server.state import State

PATH = "/mcp"


class McpEndpoint:
    """All tenants' MCP servers under one path."""

    name = "mcp"

    def __init__(self, state: State) -> None:
        self._state = state
        self._apps: dict[str, McpApp] = {}
        self._running: list[asyncio.Task[None]] = []
        self._lock, self._closing = asyncio.Lock(), asyncio.Event()
        state.on_close(self.close)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = headers_of(scope)
        try:
            if scope["method"] == "POST":
                raw = await read_body(receive)
                async with self._state.request(scope, self.name, headers, {}) as session:
                    await session.check_limits(searches=_calls_in(raw))
                    session.outcome = "found"
                    again = _replay(raw, receive)
                    await self._serve(session.principal.tenant, scope, again, send)
            else:  # a stream of notifications stays open for hours, and takes no slot
                principal = await self._state.principal(scope, headers, {})
                await self._serve(principal.tenant, scope, receive, send)
        except ClientDisconnected:
            return
        except KensakuError as error:
            status, more = status_of(error)
            if status == 401:
                more = [*more, ("www-authenticate", "Bearer")]
            await reply(send, status, encode({"error": str(error)}), headers=more)

    async def close(self) -> None:
        """End all sessions."""
        self._closing.set()
        await asyncio.gather(*self._running, return_exceptions=True)

    async def _serve(self, tenant: str, scope: Scope, receive: Receive, send: Send) -> None:
        async with self._lock:
            if tenant not in self._apps:
                self._apps[tenant] = await self._start(tenant)
        await self._apps[tenant]({**scope, "path": PATH, "root_path": ""}, receive, send)

    async def _start(self, tenant: str) -> McpApp:
        from kensaku.mcp.http import http_app
        from kensaku.mcp.server import make_server
        from kensaku.server.tavily_mcp import TOOLS
        from kensaku.tools.registry import DEFAULT

        client = self._state.client_of_tenant(tenant)
        tools = [*DEFAULT, *(kind(client) for kind in TOOLS)]
        app, ready = http_app(make_server(tools, client=client), hosts=None), asyncio.Event()

        async def run() -> None:  # in a task of its own, as a task group wants it
            async with app.run():
                ready.set()
                await self._closing.wait()

        self._running.append(asyncio.create_task(run()))
        await ready.wait()
        return app


def _calls_in(raw: bytes) -> int:
    """How many tools a message calls: each counts as a search of the key."""
    try:
        sent = json.loads(raw)
    except (ValueError, RecursionError):
        return 0  # the protocol's server says what is wrong
    messages = sent if isinstance(sent, list) else [sent]
    return sum(isinstance(m, dict) and m.get("method") == "tools/call" for m in messages)


def _replay(raw: bytes, receive: Receive) -> Receive:
    """Give the body that was read once more, and then what the client does next."""
    sent = False

    async def replay() -> Message:
        nonlocal sent
        if sent:
            return await receive()
        sent = True
        return {"type": "http.request", "body": raw, "more_body": False}

    return replay

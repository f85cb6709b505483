"""MCP over Streamable HTTP on the server's port, for each tenant.

    /mcp            web_search, web_extract, web_context
    /tavily/mcp     the five tools of Tavily's own server, by their names: it is replaced by the URL
    /connector/mcp  search and fetch, as connectors of ChatGPT and deep research call them

    key → principal → the tenant's own MCP server, with its own sessions

A session belongs to the tenant that opened it: another one does not find it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from kensaku.foreign_json import decode_json
from kensaku.server.auth import BEARER, KEY_HEADERS, Principal, Unauthorized
from kensaku.server.http import Whole, encode, status_of
from kensaku.server.request import Request
from kensaku.server.wires.base import Asked, Endpoint, Wire

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from kensaku.errors import KensakuError
    from kensaku.mcp.http import McpApp
    from kensaku.server.state import State
    from kensaku.tools.base import BaseTool

PATH, TAVILY, CONNECTORS = "/mcp", "/tavily/mcp", "/connector/mcp"


PATHS = (PATH, TAVILY, CONNECTORS)
RESOURCE_METADATA = "/.well-known/oauth-protected-resource"


class McpRequest(Request):
    """A request with a key, or with a token of OAuth that stands for one."""

    async def identify(self) -> None:
        """Find out who asks. A token counts at the path that it was given for, and nowhere else."""
        token, base = BEARER.find(self.headers, {}, {}), self.public_url
        if base and token and await self.state.needs_key():
            from kensaku.server.oauth import PREFIX, OAuth

            if token.startswith(PREFIX):
                key = await OAuth(self.state, base).key_of(token, base + self.endpoint.path)
                if key is None:
                    raise Unauthorized("Unauthorized: the token is unknown, or has expired.")
                self.principal = Principal.of(key)
                return
        await super().identify()


class Mcp(Wire):
    name = ""
    label = "MCP"
    docs = "https://modelcontextprotocol.io"
    client = "claude mcp add --transport http kensaku {url}/mcp"
    prefixes = ("",)
    keys = KEY_HEADERS
    request = McpRequest

    def __init__(self) -> None:
        self._apps: dict[tuple[str, str], McpApp] = {}  # by path and tenant
        self._running: list[asyncio.Task[None]] = []
        self._lock, self._closing = asyncio.Lock(), asyncio.Event()

    def endpoints(self) -> Sequence[Endpoint]:
        # A stream of notifications stays open for hours, and takes no slot.
        found = []
        for path in PATHS:
            do = partial(self._serve, path)
            found.append(Endpoint("POST", path, takes_bytes=True, do=do, cost=_calls_in))
            found += [
                Endpoint(method, path, takes_bytes=True, do=do, is_admitted=False)
                for method in ("GET", "DELETE")
            ]
        return found

    def refuse(self, request: Request | None, error: KensakuError) -> ASGIApp:
        """Say to who has no key where tokens are to be had, if there are any."""
        if request is None or not request.public_url or not isinstance(error, Unauthorized):
            return super().refuse(request, error)
        metadata = f"{request.public_url}{RESOURCE_METADATA}{request.endpoint.path}"
        challenge = ("www-authenticate", f'Bearer resource_metadata="{metadata}"')
        status, headers = status_of(error)
        return Whole(encode(self.error(status, str(error))), status, [*headers, challenge])

    async def _serve(self, path: str, request: Request, asked: Asked) -> ASGIApp:
        """Return the tenant's server, as the response."""
        name = (path, request.principal.tenant)
        async with self._lock:
            if not self._apps:
                request.state.on_close(self._close)
            if name not in self._apps:
                self._apps[name] = await self._start(request.state, *name)
        app = self._apps[name]

        welcome = request.state.settings.cors_origins
        is_welcome = "*" in welcome or request.headers.get("origin") in welcome

        async def answer(scope: Scope, receive: Receive, send: Send) -> None:
            inner = {**scope, "path": PATH, "root_path": ""}
            if is_welcome:  # the protocol's server would refuse another origin
                inner["headers"] = [(n, v) for n, v in scope["headers"] if n != b"origin"]
            await app(inner, replay(asked.raw, receive), send)

        return answer

    async def _start(self, state: State, path: str, tenant: str) -> McpApp:
        from kensaku.mcp.http import http_app
        from kensaku.mcp.server import make_server
        from kensaku.server.tavily_mcp import TOOLS
        from kensaku.tools.registry import CONNECTOR, DEFAULT

        client = state.client_of_tenant(tenant)
        offered: dict[str, Iterable[str | BaseTool]] = {
            PATH: DEFAULT,
            TAVILY: [kind(client) for kind in TOOLS],
            CONNECTORS: CONNECTOR,
        }
        app = http_app(make_server(offered[path], client=client), hosts=None)
        ready = asyncio.Event()

        async def run() -> None:  # in a task of its own, as a task group wants it
            async with app.run():
                ready.set()
                await self._closing.wait()

        self._running.append(asyncio.create_task(run()))
        await ready.wait()
        return app

    async def _close(self) -> None:
        """End all sessions."""
        self._closing.set()
        await asyncio.gather(*self._running, return_exceptions=True)


def _calls_in(asked: Asked) -> int:
    """How many tools a message calls: each counts as a search of the key."""
    try:
        sent = decode_json(asked.raw)
    except ValueError:
        return 0  # the protocol's server says what is wrong
    messages = sent if isinstance(sent, list) else [sent]
    return sum(isinstance(m, dict) and m.get("method") == "tools/call" for m in messages)


def replay(raw: bytes, receive: Receive) -> Receive:
    """Give the body that was read once more, and then what the client does next."""
    sent = False

    async def again() -> Message:
        nonlocal sent
        if sent:
            return await receive()
        sent = True
        return {"type": "http.request", "body": raw, "more_body": False}

    return again

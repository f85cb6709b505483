"""The MCP server over Streamable HTTP, behind access checks.

    Host (421) → Origin (403) → token (401) → all sessions busy (503) → body (413)
    → session (404) → the server

Without a token it listens on loopback only.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings

from kensaku.errors import UsageError
from kensaku.mcp._sdk import run_sessions
from kensaku.mcp.sessions import SESSION_HEADER, SessionLimit
from kensaku.messages import msg
from kensaku.transport.listen import is_loopback, listen, serve, url_of, with_brackets

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

PORT = 8788
PATH = "/mcp"
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
MAX_BODY = 4 * 1024 * 1024
IDLE = 1800.0  # seconds after which a session that nobody uses ends
MAX_SESSIONS = 256  # beyond which the oldest idle one is ended
MIN_TOKEN = 16


def http_app(
    server: Server[Any],
    *,
    hosts: Sequence[str] | None = LOOPBACK,
    token: str | None = None,
) -> McpApp:
    """Return the server as an ASGI application under `/mcp` that answers to these hosts only.

    `hosts` None: whoever mounts it has checked the host.
    """
    from starlette.applications import Starlette
    from starlette.routing import Route

    manager = StreamableHTTPSessionManager(
        server,
        security_settings=_security(hosts),
        session_idle_timeout=IDLE,
        max_request_body_size=MAX_BODY,
    )

    run = run_sessions(manager, server)

    class Endpoint:  # a class: Starlette passes it the raw request, whatever the method
        async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
            await manager.handle_request(scope, receive, send)
            _forget_ended(manager)

    app = Starlette(routes=[Route(PATH, Endpoint())], lifespan=lambda _: run())
    return McpApp(SessionLimit(app, MAX_SESSIONS), hosts, token, run=run)


def _security(hosts: Sequence[str] | None) -> TransportSecuritySettings:
    if hosts is None:
        return TransportSecuritySettings(enable_dns_rebinding_protection=False)
    ports = [f"{h}:*" for h in hosts]
    origins = [f"{s}://{h}" for s in ("http", "https") for h in (*hosts, *ports)]
    return TransportSecuritySettings(allowed_hosts=[*hosts, *ports], allowed_origins=origins)


def _forget_ended(manager: StreamableHTTPSessionManager) -> None:
    """Drop the sessions that have ended: the SDK keeps them."""
    sessions = manager._server_instances
    for ended in [name for name, session in sessions.items() if session.is_terminated]:
        del sessions[ended]


class McpApp:
    """The application. It refuses requests for another host, from a foreign origin, without the
    token if there is one, or in a session that this server did not open."""

    def __init__(
        self,
        app: ASGIApp,
        hosts: Sequence[str] | None,
        token: str | None,
        run: Callable[[], AbstractAsyncContextManager[None]],
    ) -> None:
        """`run` is what the lifespan does, for who has none: sessions live inside it."""
        self._app, self.run = app, run
        self._hosts = None if hosts is None else {h.lower() for h in hosts}
        self._token = None if token is None else _digest(token.encode())
        self._secret = secrets.token_bytes(32)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        headers: list[tuple[bytes, bytes]] = scope["headers"]
        if refusal := self._refusal(headers):
            await _refuse(send, *refusal)
            return
        verified = [(n, self._verified(n, v)) for n, v in headers]
        await self._app({**scope, "headers": verified}, receive, self._signing(send))

    def _verified(self, name: bytes, value: bytes) -> bytes:
        """Return a header as the SDK takes it: it compares host names letter by letter."""
        if name == SESSION_HEADER:
            return self._verify(value)
        if name == b"host":
            host = _host_of(value.decode("latin-1"))
            port = value.rpartition(b":")[2]
            return host.encode("latin-1") + (b":" + port if port.isdigit() else b"")
        return value.lower() if name == b"origin" else value

    def _refusal(self, headers: list[tuple[bytes, bytes]]) -> tuple[int, str] | None:
        host, origin = _all(headers, b"host"), _all(headers, b"origin")
        name = _host_of(host[0]) if len(host) == 1 else ""
        if not name or (self._hosts is not None and name not in self._hosts):
            return 421, "this server does not answer to that host name"
        if any(not self._is_own(o, name) for o in origin):
            return 403, "this server takes no requests from pages of that origin"
        if self._token is not None and not self._has_token(_all(headers, b"authorization")):
            return 401, "this server needs its token: Authorization: Bearer …"
        return None

    def _is_own(self, origin: str, host: str) -> bool:
        scheme, _, rest = origin.partition("://")
        known = self._hosts if self._hosts is not None else {host}
        return scheme in ("http", "https") and _host_of(rest) in known

    def _has_token(self, values: list[str]) -> bool:
        scheme, _, token = (values[0] if len(values) == 1 else "").partition(" ")
        same = hmac.compare_digest(_digest(token.strip().encode("latin-1")), self._token or b"")
        return same and scheme.lower() == "bearer"

    # The SDK's session ids are UUIDs: 122 random bits. They get a signature, which is compared in
    # constant time, so that nobody can make one up.

    def _sign(self, session: bytes) -> bytes:
        return session + b"-" + self._signature(session)

    def _verify(self, signed: bytes) -> bytes:
        session, _, signature = signed.rpartition(b"-")
        valid = hmac.compare_digest(signature, self._signature(session))
        return session if valid else b"unknown"

    def _signature(self, session: bytes) -> bytes:
        return hmac.new(self._secret, session, hashlib.sha256).hexdigest().encode()

    def _signing(self, send: Send) -> Send:
        async def send_signed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = [
                    (n, self._sign(v) if n.lower() == SESSION_HEADER else v)
                    for n, v in message.get("headers", [])
                ]
                message = {**message, "headers": headers}
            await send(message)

        return send_signed


def _all(headers: list[tuple[bytes, bytes]], name: bytes) -> list[str]:
    return [v.decode("latin-1") for n, v in headers if n == name]


def _host_of(authority: str) -> str:
    """Return the host of `[::1]:80` as `[::1]`; "" for what is not a host and perhaps a port."""
    try:
        parts = urlsplit(f"//{authority}")
        valid = parts.port is None or parts.port > 0
    except ValueError:
        return ""
    if not valid or parts.path or parts.query or parts.fragment or "@" in authority:
        return ""
    name = (parts.hostname or "").removesuffix(".")  # in lower case; a final dot is the DNS root
    return f"[{name}]" if ":" in name else name


def _digest(token: bytes) -> bytes:
    return hashlib.sha256(token).digest()


async def _refuse(send: Send, status: int, why: str) -> None:
    body = f'{{"error": "{why}"}}'.encode()
    headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def hosts_for(host: str, more: Iterable[str] = ()) -> list[str]:
    """Return the names under which a server bound to `host` answers. A wildcard is not a name."""
    bound = [] if host in ("", "0.0.0.0", "::", "[::]") else [host]
    return list(
        dict.fromkeys([*LOOPBACK, *(_host_of(with_brackets(h)) or h for h in (*bound, *more))])
    )


async def serve_http(
    server: Server[Any],
    host: str = "127.0.0.1",
    port: int = PORT,
    *,
    token: str | None = None,
    allow_hosts: Iterable[str] = (),
    ready: Callable[[str], None] = lambda url: None,
) -> None:
    """Serve over Streamable HTTP. Raises `UsageError` when it may not or cannot listen there."""
    if token is None and not is_loopback(host):
        raise UsageError(
            msg("on {host} other machines could use this server", host=host),
            remedy=msg("set KENSAKU_MCP_TOKEN or give --token-file"),
        )
    if token is not None and len(token) < MIN_TOKEN:
        raise UsageError(
            msg(
                "the token has {count} characters; it must have at least {min_token}",
                count=len(token),
                min_token=MIN_TOKEN,
            ),
            remedy=msg("make one with: openssl rand -hex 32"),
        )
    app = http_app(server, hosts=hosts_for(host, allow_hosts), token=token)
    with listen(host, port) as listener:
        url = url_of(host, listener) + PATH
        await serve(app, listener, ready=lambda: ready(url), drain_seconds=3)

"""Listen on an address, and serve an application there until a signal comes."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from kensaku.errors import UsageError, system_reason
from kensaku.messages import msg
from kensaku.transport.connections import PER_PEER, Connections, raise_descriptors

if TYPE_CHECKING:
    import uvicorn
    from starlette.types import ASGIApp

# Seconds that an idle connection is kept: longer than clients (httpx 5, aiohttp 15) and load
# balancers (60) do, so that they close it. Who closes first may reset a request on its way.
KEEP_ALIVE = 75


@lru_cache(maxsize=1_024)  # asked twice for every request
def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server on that host."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"


MAX_PORT = 65_535


def with_brackets(host: str) -> str:
    """An address as a URL writes it."""
    return f"[{host}]" if host.count(":") > 1 and not host.startswith("[") else host


def listen(host: str, port: int) -> socket.socket:
    """Open the port. Raises `UsageError`."""
    name = host.strip("[]")
    family = socket.AF_INET6 if ":" in name else socket.AF_INET
    if not 0 <= port <= MAX_PORT:
        raise UsageError(
            msg("the port is {port}; it must be from 0 to {most}", port=port, most=MAX_PORT),
            remedy=msg("choose another port with --port"),
        )
    try:
        return socket.create_server((name, port), family=family, backlog=2_048)
    except OSError as error:
        known = error.errno and error.errno > 0
        why = system_reason(error) if known else msg("no such address")
        raise UsageError(
            msg("cannot listen on {host}:{port}: {why}", host=host, port=port, why=why),
            remedy=msg("choose another port with --port"),
        ) from None


def url_of(host: str, listener: socket.socket) -> str:
    """The address of a server that listens."""
    return f"http://{with_brackets(host)}:{listener.getsockname()[1]}"


def make_config(
    app: ASGIApp, drain_seconds: int = 0, connections_per_peer: int = PER_PEER
) -> uvicorn.Config:
    """How uvicorn serves an application here."""
    import uvicorn

    try:
        from kensaku.transport.protocol import BoundedProtocol
    except ImportError:  # without httptools: h11, which has a bound of its own
        http: Any = "auto"
    else:
        http = partial(BoundedProtocol, bounds=Connections(connections_per_peer))
    return uvicorn.Config(
        app, http=http, log_config=None, access_log=False, server_header=False, lifespan="on",
        timeout_graceful_shutdown=drain_seconds or None, proxy_headers=False, ws="none",
        timeout_keep_alive=KEEP_ALIVE,
    )  # fmt: skip


async def serve(
    app: ASGIApp,
    listener: socket.socket,
    *,
    ready: Callable[[], None],
    drain_seconds: int,
    connections_per_peer: int = PER_PEER,
) -> bool:
    """Serve until Ctrl-C or SIGTERM, then let requests end. False: it could not start."""
    import uvicorn

    raise_descriptors()

    class Server(uvicorn.Server):
        async def startup(self, sockets: Any = None) -> None:
            await super().startup(sockets)
            if self.started:
                ready()

    server = Server(make_config(app, drain_seconds, connections_per_peer))
    await server.serve(sockets=[listener])
    return server.started

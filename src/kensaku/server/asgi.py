"""The application: every route in one table.

Entry → Starlette → wires | system endpoints | MCP | page
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from kensaku.config.settings import Settings
from kensaku.errors import KensakuError, MissingExtra

try:
    from starlette.applications import Starlette
    from starlette.exceptions import HTTPException
    from starlette.requests import Request
    from starlette.responses import JSONResponse, Response
    from starlette.routing import BaseRoute, Route
except ImportError:
    raise MissingExtra("Starlette, which the server needs,", "server") from None

from kensaku.server import agui, openai, openapi, system, tavily_account
from kensaku.server.endpoint import WireEndpoint, status_of
from kensaku.server.entry import CLIENT_GONE, Entry
from kensaku.server.http import ClientDisconnected
from kensaku.server.mcp import PATH, McpEndpoint
from kensaku.server.page.routes import routes as page_routes
from kensaku.server.state import State
from kensaku.server.wires import load_wires

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from kensaku.client import Kensaku


def app(
    settings: Settings | None = None,
    *,
    client: Kensaku | None = None,
    hosts: Iterable[str] = (),
) -> Entry:
    """Return the server as an ASGI application, to run by itself or to mount in another one.

    A `client` of your own is used, and not closed. `hosts` are names that the server answers to
    while it has no keys, besides those of this machine.
    """
    state = State(settings or Settings.load(), client=client, hosts=hosts)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        await state.start()
        yield
        await state.close()

    inner = Starlette(
        routes=[
            *wire_routes(state),
            *tavily_account.routes(state),
            *openai.routes(state),
            *agui.routes(state),
            Route(PATH, McpEndpoint(state), methods=["GET", "POST", "DELETE"]),
            *system.routes(state),
            *openapi.routes(),
            *page_routes(state),
        ],
        lifespan=lifespan,
        exception_handlers={
            HTTPException: _refuse,
            KensakuError: _refuse_call,
            ClientDisconnected: _end,
            Exception: _fail,
        },
    )
    return Entry(inner, state, exact_endpoints(inner.routes))


def wire_routes(state: State) -> list[BaseRoute]:
    """Every endpoint of every wire under its prefix, and at the root by the first that has it."""
    routes: dict[tuple[str, str], BaseRoute] = {}
    for wire in load_wires():
        for endpoint in wire.endpoints():
            handler = WireEndpoint(state, wire, endpoint)
            paths = [f"/{wire.name}{endpoint.path}"]
            if wire.at_root and endpoint.path.strip("/"):  # / itself is the page
                paths.append(endpoint.path)
            for path in paths:
                route = Route(path, handler, methods=[endpoint.method])
                routes.setdefault((endpoint.method, path), route)
    return list(routes.values())


def exact_endpoints(routes: Iterable[BaseRoute]) -> dict[tuple[str, str], ASGIApp]:
    """The endpoints of wires whose path has no parameter, by method and path.

    They answer every error themselves; so a request can go to them without Starlette.
    """
    found: dict[tuple[str, str], ASGIApp] = {}
    for route in routes:
        if isinstance(route, Route) and not route.param_convertors:
            for method in (route.methods or set()) - {"HEAD"}:
                found.setdefault((method, route.path), route.endpoint)
    return {at: app for at, app in found.items() if isinstance(app, WireEndpoint)}


async def _refuse(request: Request, error: Any) -> Response:
    body = {"detail": {"error": str(error.detail)}}
    return JSONResponse(body, error.status_code, headers=error.headers)


async def _refuse_call(request: Request, error: Any) -> Response:
    status, headers = status_of(error)
    return JSONResponse({"detail": {"error": str(error)}}, status, headers=dict(headers))


async def _end(request: Request, error: Any) -> Response:
    return Response(status_code=CLIENT_GONE)  # nobody reads it


async def _fail(request: Request, error: Any) -> Response:
    """A defect of ours, without a word about it: the entry logs it. Clients want JSON."""
    detail = f"Internal Server Error (request {request.scope['state']['request_id']})"
    return JSONResponse({"detail": {"error": detail}}, 500)

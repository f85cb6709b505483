"""The application: every surface in one table.

Entry → Starlette's router → ServedEndpoint, of a wire | the page | the system | a static file
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from kensaku.config.settings import Settings
from kensaku.errors import MissingExtra

try:
    from starlette.routing import BaseRoute, Route, Router
except ImportError:
    raise MissingExtra("Starlette", "server") from None

from kensaku.server.endpoint import ServedEndpoint
from kensaku.server.entry import Entry
from kensaku.server.page.wires import PAGE_WIRES, static_files
from kensaku.server.state import State
from kensaku.server.system import System
from kensaku.server.wires import load_wires

if TYPE_CHECKING:
    from kensaku.client import Kensaku
    from kensaku.server.wires.base import Wire


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
    async def lifespan(_: object) -> AsyncIterator[None]:
        await state.start()
        yield
        await state.close()

    surfaces = load_surfaces()
    table = [*routes(state, surfaces), static_files()]
    return Entry(Router(table, lifespan=lifespan), state, surfaces)


def load_surfaces() -> list[Wire]:
    """Everything that the server speaks. The first surface that has a path serves it."""
    wires = [*load_wires(), *(kind() for kind in PAGE_WIRES)]
    return [*wires, System(wires)]


def routes(state: State, surfaces: Sequence[Wire]) -> list[BaseRoute]:
    """Every endpoint of every surface under each of its prefixes."""
    found: dict[tuple[str, str], BaseRoute] = {}
    for wire in surfaces:
        for endpoint in wire.endpoints():
            served = ServedEndpoint(state, wire, endpoint)
            for prefix in wire.prefixes:
                if not prefix and wire.at_root and not endpoint.path.strip("/"):
                    continue  # / itself is the page
                path = f"{prefix}{endpoint.path}"
                route = Route(path, served, methods=[endpoint.method])
                found.setdefault((endpoint.method, path), route)
    return list(found.values())

"""What an operator asks the server: is it alive, is it ready, what has it done, what can it do."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
import time
from collections.abc import Awaitable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.responses import HTMLResponse, JSONResponse, Response

from kensaku import __version__
from kensaku.errors import KensakuError
from kensaku.messages import msg
from kensaku.server.auth import KEY_HEADERS
from kensaku.server.disk import DiskFull, disk_faults
from kensaku.server.openapi import document, operations
from kensaku.server.page.render import environment
from kensaku.server.page.request import theme_of
from kensaku.server.page.viewer import cookies_of
from kensaku.server.wires.base import Asked, Endpoint, Wire

if TYPE_CHECKING:
    from kensaku.server.request import Request
    from kensaku.server.state import State

CHECK_SECONDS = 2.0
MIN_FREE = 32 * 2**20  # bytes; below them the next job or document may not fit
FRESH_SECONDS = 1.0  # in which probes share an answer: who probes needs no key, and it writes
DOCS_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'"
)


class System(Wire):
    """Probes, metrics, and the description of all surfaces."""

    name, label = "", "Server"
    prefixes = ("",)
    keys = KEY_HEADERS

    def __init__(self, surfaces: Sequence[Wire]) -> None:
        self._surfaces = [*surfaces, self]

    def endpoints(self) -> Sequence[Endpoint]:
        probes = {"/healthz": ("Is it alive?", healthz), "/readyz": ("Is it ready?", readyz)}
        described = {"/openapi.json": self._openapi, "/docs": self._docs}
        return [
            *(
                Endpoint("GET", path, summary=about, do=do, is_open=True, is_admitted=False)
                for path, (about, do) in probes.items()
            ),
            *(
                Endpoint("GET", path, do=do, is_open=True, is_admitted=False)
                for path, do in described.items()
            ),
            Endpoint("GET", "/metrics", do=metrics, is_admins=True, is_admitted=False),
        ]

    def error(self, status: int, message: str) -> Any:
        return {"detail": {"error": message}}

    async def _openapi(self, request: Request, asked: Asked) -> Any:
        return document(self._surfaces, request.root)

    async def _docs(self, request: Request, asked: Asked) -> Response:
        values = {
            "groups": operations(document(self._surfaces)),
            "theme": theme_of(cookies_of(request.headers)),
            "version": __version__,
        }
        html = environment().get_template("docs.html").render(values)
        return HTMLResponse(html, headers={"content-security-policy": DOCS_POLICY})


async def healthz(request: Request, asked: Asked) -> Any:
    """Say that the process answers."""
    return {"status": "ok"}


async def readyz(request: Request, asked: Asked) -> Response:
    """Say whether the server can do its work."""
    checks = await _checks_of(request.state)
    ready = all(said == "ok" for said in checks.values())
    status = "ok" if ready else "unavailable"
    return JSONResponse({"status": status, "checks": checks}, 200 if ready else 503)


async def _checks_of(state: State) -> dict[str, str]:
    """The checks of a moment ago, or new ones. One probe checks for all that wait."""
    if state.draining:
        return {"server": "it is about to stop"}
    async with state.probing:
        if state.probed is None or time.monotonic() >= state.probed[1]:
            state.probed = (await check(state), time.monotonic() + FRESH_SECONDS)
        return state.probed[0]


async def metrics(request: Request, asked: Asked) -> Response:
    """Return what Prometheus scrapes."""
    body, media_type = request.state.metrics.render()
    return Response(body, media_type=media_type)


async def check(state: State) -> dict[str, str]:
    """Write to the database, the shared store and the disk, and look at the index.

    Each is "ok", or what is wrong.
    """
    looks: dict[str, Awaitable[Any]] = {
        "database": _check_database(state),
        "store": state.client.resources.store.check(),
        "disk": asyncio.to_thread(_check_disk, state.settings.home),
        "index": state.client.index.collections(),
    }
    return dict(zip(looks, await asyncio.gather(*map(_said, looks.values())), strict=True))


async def _check_database(state: State) -> None:
    await state.start()
    await state.database.check()


def _check_disk(home: Path) -> None:
    """Write a small file. Raises `DiskFull`, or `OSError`."""
    with disk_faults():
        with tempfile.TemporaryFile(dir=home) as file:
            file.write(bytes(4096))
            file.flush()
        if (free := shutil.disk_usage(home).free) < MIN_FREE:
            raise DiskFull(
                msg("the disk of KENSAKU_HOME has {free:.0f} MB left", free=free / 2**20)
            )


async def _said(look: Awaitable[Any]) -> str:
    try:
        async with asyncio.timeout(CHECK_SECONDS):
            await look
    except KensakuError as error:
        return str(error)
    except TimeoutError:
        return f"it did not answer within {CHECK_SECONDS:g} s"
    except Exception as error:  # of a driver: its text may hold an address
        return type(error).__name__
    return "ok"

"""What an operator asks the server: is it alive, is it ready."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from kensaku.errors import KensakuError
from kensaku.server.http import headers_of

if TYPE_CHECKING:
    from kensaku.server.state import State

CHECK_SECONDS = 2.0


def routes(state: State) -> list[BaseRoute]:
    """The routes of this file."""

    async def healthz(_: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def readyz(_: Request) -> Response:
        checks = await check(state)
        ready = all(said == "ok" for said in checks.values())
        status = "ok" if ready else "unavailable"
        return JSONResponse({"status": status, "checks": checks}, 200 if ready else 503)

    async def metrics(request: Request) -> Response:
        principal = await state.principal(request.scope, headers_of(request.scope), {})
        if not principal.admin:
            return JSONResponse({"detail": {"error": "this key may not read the metrics"}}, 403)
        body, media_type = state.metrics.render()
        return Response(body, media_type=media_type)

    return [Route("/healthz", healthz), Route("/readyz", readyz), Route("/metrics", metrics)]


async def check(state: State) -> dict[str, str]:
    """Look at the database, the shared store and the index; "ok", or what is wrong."""
    if state.draining:
        return {"server": "it is about to stop"}
    resources: Any = state.client.resources
    looks: dict[str, Awaitable[Any]] = {
        "database": _look_at_database(state),
        "store": resources.store.get(["ready"]),
        "index": state.client.index.collections(),
    }
    return dict(zip(looks, await asyncio.gather(*map(_said, looks.values())), strict=True))


async def _look_at_database(state: State) -> None:
    await state.start()
    await state.database.ping()


async def _said(look: Awaitable[Any]) -> str:
    try:
        async with asyncio.timeout(CHECK_SECONDS):
            await look
    except KensakuError as error:
        return error.message
    except TimeoutError:
        return f"it did not answer within {CHECK_SECONDS:g} s"
    except OSError as error:
        return type(error).__name__
    return "ok"

"""Receive a channel's updates over HTTP: bounded bodies, one path, nothing else.

This uses aiohttp as a server. It sends nothing: all that we fetch goes through `transport/`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from kensaku._logger import get_logger
from kensaku.transport.listen import listen, url_of

log = get_logger("kensaku.assistant.channels")

MAX_BODY = 2**20
BODY_SECONDS = 10.0
STOP_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Received:
    """A request. The names of headers are in lower case."""

    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Sent:
    """The response to it."""

    status: int = 200
    body: str = ""
    content_type: str = "text/plain"


Handle = Callable[[Received], Awaitable[Sent]]


async def serve_webhook(
    handle: Handle, host: str, port: int, path: str, ready: Callable[[str], None]
) -> None:
    """Serve POST requests to `path` until cancelled. Raises `UsageError` if the port is taken."""
    from aiohttp import web

    async def answer(request: web.Request) -> web.Response:
        try:
            async with asyncio.timeout(BODY_SECONDS):
                body = await request.read()
        except TimeoutError:
            return web.Response(status=408)
        headers = {name.lower(): value for name, value in request.headers.items()}
        try:
            sent = await handle(Received(headers, body))
        except Exception as error:  # the service sends it again
            log.error("an update was not taken: %s", type(error).__name__, exc_info=error)
            return web.Response(status=500)
        return web.Response(status=sent.status, text=sent.body, content_type=sent.content_type)

    app = web.Application(client_max_size=MAX_BODY)
    app.router.add_post(path, answer)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=STOP_SECONDS)
    with listen(host, port) as listener:
        await runner.setup()
        try:
            await web.SockSite(runner, listener).start()
            ready(url_of(host, listener))
            await asyncio.Event().wait()
        finally:
            await runner.cleanup()  # before the socket is closed: its number is used again

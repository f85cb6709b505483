"""Serve searches over HTTP: the APIs of Tavily and others, MCP, and a web page.

Clients only need another base URL. Until a key exists, the server accepts only local requests:
anyone on this machine may search, and the link that is printed opens the rest. Create the first key
with `kensaku keys create NAME --admin`.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kensaku.cli._terminal import print_message, t
from kensaku.config.settings import Settings
from kensaku.errors import UsageError
from kensaku.messages import msg
from kensaku.transport.listen import is_loopback, listen, serve, url_of

if TYPE_CHECKING:
    from kensaku.server.state import State

USAGE = "[--host HOST] [--port PORT] [options]"
EXTRA = "server"
DRAIN_SECONDS = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the address and the log."""
    add = parser.add_argument
    add("--host", default="127.0.0.1", metavar="HOST",
        help="address to listen on (default 127.0.0.1); others need a key")  # fmt: skip
    add("--port", type=int, default=8787, metavar="PORT",
        help="port to listen on (default 8787); 0 for any")  # fmt: skip
    add("--allow-host", action="append", default=[], metavar="NAME",
        help="another host name that clients use; repeatable")  # fmt: skip
    add("--root-path", metavar="PATH",
        help="path under which a reverse proxy serves it, as /search")  # fmt: skip
    add("--route", metavar="NAMES", help="providers to ask, separated by commas")
    add("--log-level", choices=("debug", "info", "warning"), default="info", metavar="LEVEL",
        help="debug (with queries), info (default: a line per request), warning")  # fmt: skip
    add("--config", type=Path, metavar="FILE", help="read settings from this file")


def new_event_loop() -> asyncio.AbstractEventLoop:
    """The event loop to serve in: uvloop's, where there is one."""
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop()
    loop: asyncio.AbstractEventLoop = uvloop.new_event_loop()
    return loop


async def run(args: argparse.Namespace) -> int:
    """Serve until Ctrl-C or SIGTERM; then finish what is under way."""
    from sse_starlette.sse import AppStatus

    from kensaku.server.asgi import app
    from kensaku.server.logs import configure_logging

    settings = _settings(args)
    configure_logging(settings, args.log_level.upper())
    # Streams may end like other requests, instead of being cut at the first signal.
    AppStatus.disable_automatic_graceful_drain()  # type: ignore[no-untyped-call]
    served = app(settings, hosts=args.allow_host)
    try:
        await served.state.start()  # what is wrong is one sentence; uvicorn shows a traceback
        is_open = await _check_exposure(served.state, args.host)
        with listen(args.host, args.port) as listener:
            url = url_of(args.host, listener)

            def ready() -> None:
                _greet(url, served.state if is_open else None)
                served.state.fill_index()

            started = await serve(
                served,
                listener,
                ready=ready,
                drain_seconds=DRAIN_SECONDS,
                connections_per_peer=settings.connections_per_peer,
            )
    finally:
        await served.state.close()
    return 0 if started else 1


def _settings(args: argparse.Namespace) -> Settings:
    given = {"route": args.route, "root_path": args.root_path}
    more: dict[str, Any] = {name: value for name, value in given.items() if value}
    return Settings.load(args.config, **more)


async def _check_exposure(state: State, host: str) -> bool:
    """Whether the server has no keys yet. Then it may be reached from this machine only."""
    is_open = not await state.keys.required()
    if is_open and not is_loopback(host):
        raise UsageError(
            msg("on {host} other machines could use this server, and it has no keys", host=host),
            remedy=msg("create one first: kensaku keys create NAME"),
        )
    return is_open


def _greet(url: str, open_state: State | None) -> None:
    """Say where the server is; with `open_state`, that it has no keys, and how to own it."""
    from kensaku.server.token import FILE

    gc.freeze()  # the collector need not scan the loaded modules again and again
    print_message(t("kensaku serve: {url}", url=url))
    if open_state is None:
        return
    # The token is shown to a person, and to no log.
    token = open_state.token if sys.stderr.isatty() else f"$(cat {open_state.settings.home / FILE})"
    page = f"{url}/page/open?token={token}"
    print_message(t("kensaku serve: your page: {page}", page=page))
    print_message(
        t(
            "kensaku serve: no key was created yet, so only local searches are accepted, with any "
            "key or none, and only the link above may change anything; before a proxy or other "
            "machines use it, create a key: kensaku keys create NAME --admin"
        )
    )

"""What `kensaku slack` and `kensaku telegram` share: options, a log without secrets, an end."""

from __future__ import annotations

import argparse
import asyncio
import logging
import signal
import sys
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kensaku.config.settings import secrets_in
from kensaku.log_redaction import Redaction

if TYPE_CHECKING:
    from kensaku.config.settings import Settings

QUIET = ("aiosqlite", "alembic", "sqlalchemy")  # they write statements at INFO


def add_channel_options(parser: argparse.ArgumentParser) -> None:
    """Add the address to listen on, the log and the settings file."""
    add = parser.add_argument
    add("--host", default="127.0.0.1", metavar="HOST",
        help="address to listen on (default 127.0.0.1)")  # fmt: skip
    add("--log-level", choices=("debug", "info", "warning"), default="warning", metavar="LEVEL",
        help="debug (with messages), info or warning (the default)")  # fmt: skip
    add("--config", type=Path, metavar="FILE", help="read settings from this file")


@contextmanager
def log_to_stderr(settings: Settings, level: str) -> Iterator[None]:
    """Write what this process logs to stderr."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    handler.addFilter(Redaction(secrets_in(settings), tracebacks=True))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(level.upper())
    for name in QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)
    try:
        yield
    finally:
        root.removeHandler(handler)


async def run_until_stopped(work: Coroutine[Any, Any, None]) -> int:
    """Run until Ctrl-C or SIGTERM. Both are a good end."""
    task = asyncio.ensure_future(work)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, task.cancel)
    try:
        await task
    except asyncio.CancelledError:
        return 0
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)
    return 0

"""A client at work for a command: it tells of long work on stderr, and leaves no bar behind."""

from __future__ import annotations

import argparse
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from kensaku.cli._options import settings_of
from kensaku.cli._terminal import Progress

if TYPE_CHECKING:
    from kensaku.client import Kensaku


@asynccontextmanager
async def client(args: argparse.Namespace) -> AsyncIterator[Kensaku]:
    """The client that the options describe, closed at the end."""
    from kensaku.client import Kensaku

    bar = Progress()
    try:
        async with Kensaku(settings_of(args)) as k:
            k.progress = bar
            yield k
    finally:
        bar.end()


def counted(n: int, noun: str) -> str:
    """`1 page`, `2 pages`."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"

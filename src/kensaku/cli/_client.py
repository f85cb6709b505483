"""The client of a command: it reports long work on stderr."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from kensaku.cli._terminal import ProgressBar

if TYPE_CHECKING:
    from kensaku.client import Kensaku
    from kensaku.config.settings import Settings
    from kensaku.testing.cassette import Cassette


@asynccontextmanager
async def open_client(
    settings: Settings, cassette: Cassette | None = None
) -> AsyncIterator[Kensaku]:
    """Open a client with a progress bar; close both at the end."""
    from kensaku.client import Kensaku

    bar = ProgressBar()
    try:
        async with Kensaku(settings, cassette=cassette, progress=bar) as k:
            yield k
    finally:
        bar.clear()

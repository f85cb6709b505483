"""Keep a collection equal to a folder: look, take in what changed, take out what is gone, wait."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from kensaku.cli._ingest import Shelf, Stamp, Tally
from kensaku.cli._terminal import tell

if TYPE_CHECKING:
    from kensaku.client import Kensaku


async def watch(
    k: Kensaku,
    root: Path,
    collection: str,
    *,
    seconds: float | None,
    show: Callable[[Tally], None],
) -> None:
    """Look every so many seconds until Ctrl-C; once, when there is no number.

    What is new or changed is known by time and size. The first look compares with the index.
    """
    shelf = Shelf(k, collection)
    known: dict[Path, Stamp] | None = None
    try:
        while True:
            tally, files = await _pass(shelf, root, known)
            if known is None or tally.changed or tally.failed:
                if known is not None:
                    tally.skipped.clear()  # they were told the first time
                show(tally)
                sys.stdout.flush()  # whoever reads this in a pipe wants to know now
            if seconds is None:
                return
            if known is None:
                tell(f"watching {root}; Ctrl-C ends it")
            known = files
            await asyncio.sleep(seconds)
    except asyncio.CancelledError:
        if seconds is None:
            raise
        tell("no longer watching; what was told is in the index")


async def _pass(
    shelf: Shelf, root: Path, known: dict[Path, Stamp] | None
) -> tuple[Tally, dict[Path, Stamp]]:
    if known is not None and not await asyncio.to_thread(root.is_dir):
        return Tally(), known  # moved away or unmounted: it may come back
    return await shelf.put_folder(root, known)

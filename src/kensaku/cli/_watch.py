"""Keep a collection equal to a folder: scan, add what changed, delete what is gone, wait."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from kensaku.cli._ingest import CollectionWriter, IngestResult
from kensaku.cli._scan import ALL, FileStamp, Patterns
from kensaku.cli._terminal import print_message, t

if TYPE_CHECKING:
    from kensaku.client import Kensaku


async def watch(
    k: Kensaku,
    root: Path,
    collection: str,
    *,
    interval: float | None,
    patterns: Patterns = ALL,
    report: Callable[[IngestResult], None],
) -> None:
    """Scan the folder every `interval` seconds until Ctrl-C; once if it is None.

    The first scan compares the folder with the index, later ones with the scan before.
    """
    writer = CollectionWriter(k, collection, patterns)
    files: dict[Path, FileStamp] | None = None
    try:
        while True:
            first, (result, files) = files is None, await _scan(writer, root, files)
            if not first:
                result.skipped.clear()  # reported after the first scan
            if first or result.changed or result.failed:
                report(result)
                sys.stdout.flush()  # a reader of a pipe gets it now
            if interval is None:
                return
            if first:
                print_message(t("watching {root}; Ctrl-C ends it", root=root))
            await asyncio.sleep(interval)
    except asyncio.CancelledError:
        if interval is None:
            raise
        print_message(t("no longer watching; what was told is in the index"))


async def _scan(
    writer: CollectionWriter, root: Path, files: dict[Path, FileStamp] | None
) -> tuple[IngestResult, dict[Path, FileStamp]]:
    if files is not None and not await asyncio.to_thread(root.is_dir):
        return IngestResult(), files  # moved or unmounted: it may come back
    return await writer.sync_folder(root, files)

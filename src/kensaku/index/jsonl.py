"""A collection as a file: one JSON object a line, `collection` and the document's fields."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Iterator
from itertools import groupby, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kensaku.errors import IndexFault
from kensaku.index.errors import faults
from kensaku.models import Document

if TYPE_CHECKING:
    from kensaku.index import Index
    from kensaku.index.results import Added
    from kensaku.index.worker.client import Line

STEP = 500
_FIELDS = ("url", "title", "text", "published", "language", "metadata")


async def export(index: Index, line: Line, path: Path, collection: str | None) -> int:
    """Write documents beside `path` and rename: it is complete or not there."""
    names = [collection] if collection else await index.collections()
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    written = 0
    try:
        with faults(f"the export {path}"):
            await asyncio.to_thread(_create, partial)
        for name in names:
            after = None
            while True:
                page = await line.call("documents", collection=name, after=after)
                lines = [
                    json.dumps({"collection": name, **d}, ensure_ascii=False, default=str)
                    for d in page["documents"]
                ]
                with faults(f"the export {path}"):
                    await asyncio.to_thread(_append, partial, lines)
                written += len(lines)
                after = page["after"]
                if after is None:
                    break
        with faults(f"the export {path}"):
            await asyncio.to_thread(partial.replace, path)
    finally:
        await asyncio.to_thread(partial.unlink, missing_ok=True)
    return written


async def import_(
    index: Index, path: Path, collection: str | None, progress: Callable[[int, int], None] | None
) -> Added:
    """Add a file's documents, step by step: it may be larger than memory."""
    from kensaku.index.results import Added

    total = Added()
    rows = _rows(path)
    while step := await asyncio.to_thread(lambda: list(islice(rows, STEP))):
        for name, group in groupby(step, key=lambda row: row[0]):
            found = [document for _, document in group]
            total += await index.add(found, collection=collection or name)
        if progress:
            progress(total.seen, total.seen)
    return total


def _create(path: Path) -> None:
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600))


def _append(path: Path, lines: list[str]) -> None:
    with path.open("a", encoding="utf-8", errors="surrogatepass") as file:
        file.writelines(f"{line}\n" for line in lines)


def _rows(path: Path) -> Iterator[tuple[str, Document]]:
    with faults(f"the import {path}"), path.open(encoding="utf-8", errors="surrogatepass") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                yield _row(path, number, line)


def _row(path: Path, number: int, line: str) -> tuple[str, Document]:
    try:
        row: dict[str, Any] = json.loads(line)
        known = {name: row[name] for name in _FIELDS if row.get(name) is not None}
        return str(row.get("collection") or "default"), Document(**known)
    except (ValueError, TypeError, AttributeError) as error:
        raise IndexFault(
            f"line {number} of {path} is not a document",
            remedy='write one JSON object a line, with "url", "title" and "text"',
        ) from error

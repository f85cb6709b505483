"""Export and import: one JSON object a line, `collection` and the fields of a document."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import asdict
from itertools import groupby, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kensaku.errors import IndexFault
from kensaku.foreign_json import decode_json
from kensaku.index.errors import translate_errors
from kensaku.index.results import AddResult
from kensaku.messages import msg
from kensaku.models import Document, Progress, ProgressEvent

if TYPE_CHECKING:
    from kensaku.index import Index
    from kensaku.index.namespace import NamespacedClient

BATCH = 500  # lines that are read, and added, together
FROM_FILES = "its documents were read from its files, and deleted ones may be among them"
_FIELDS = ("url", "title", "text", "published", "language", "metadata", "headings")


async def export_jsonl(
    client: NamespacedClient,
    path: Path,
    collection: str | None,
    salvage: Callable[[str], None] | None,
    shard_of: Callable[[str], Path | None],
) -> int:
    """Write documents to a temporary file beside `path` and rename it when it is complete.

    `salvage` is called with what cannot be read, which is left out; without it that is an error.
    A collection that does not open is then read from its files, which are in `shard_of(name)`.
    """
    names = [collection] if collection else list(await client.call("collections"))
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    written = 0
    try:
        with translate_errors(f"the export {path}"):
            await asyncio.to_thread(_create, partial)
        for name in names:
            before = await asyncio.to_thread(partial.stat)
            try:
                written += await _export_collection(client, name, partial, path, salvage)
            except IndexFault as fault:
                shard = shard_of(name)
                if salvage is None or shard is None:
                    raise
                salvage(f"{fault.message}; {FROM_FILES}")
                with translate_errors(f"the export {path}"):
                    await asyncio.to_thread(os.truncate, partial, before.st_size)
                    saved, lost = await asyncio.to_thread(_salvage, shard, name, partial)
                written += saved
                for url in lost:
                    salvage(f"{name}: {url}")
        with translate_errors(f"the export {path}"):
            await asyncio.to_thread(partial.replace, path)
    finally:
        await asyncio.to_thread(partial.unlink, missing_ok=True)
    return written


def _salvage(shard: Path, collection: str, partial: Path) -> tuple[int, list[str]]:
    """Write the documents that a collection's files hold; return how many, and which are lost."""
    from kensaku.index.salvage import salvage_documents

    written, lost = 0, list[str]()
    for found in salvage_documents(shard):
        if isinstance(found, str):
            lost.append(found)
        else:
            _append(partial, [_line(collection, asdict(found))])
            written += 1
    return written, lost


def _line(collection: str, document: dict[str, Any]) -> str:
    row = {"collection": collection, **document}
    if not row["headings"]:
        del row["headings"]
    return json.dumps(row, ensure_ascii=False, default=str)


async def _export_collection(
    client: NamespacedClient,
    name: str,
    partial: Path,
    path: Path,
    salvage: Callable[[str], None] | None,
) -> int:
    written = 0
    after = None
    while True:
        page = await client.call(
            "documents", collection=name, after=after, salvage=salvage is not None
        )
        for lost in page["damaged"]:
            if salvage is not None:
                salvage(f"{name}: {lost}")
        lines = [_line(name, document) for document in page["documents"]]
        with translate_errors(f"the export {path}"):
            await asyncio.to_thread(_append, partial, lines)
        written += len(lines)
        after = page["after"]
        if after is None:
            return written


async def import_jsonl(
    index: Index, path: Path, collection: str | None, progress: Progress | None
) -> AddResult:
    """Add a file's documents batch by batch: it may be larger than memory."""
    result = AddResult()
    rows = _rows(path)
    while batch := await asyncio.to_thread(lambda: list(islice(rows, BATCH))):
        for name, group in groupby(batch, key=lambda row: row[0]):
            documents = [document for _, document in group]
            result += await index.add(documents, collection=collection or name)
        if progress:
            progress(ProgressEvent("importing", result.total))
    return result


def _create(path: Path) -> None:
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600))


def _append(path: Path, lines: list[str]) -> None:
    with path.open("a", encoding="utf-8", errors="surrogatepass") as file:
        file.writelines(f"{line}\n" for line in lines)


def _rows(path: Path) -> Iterator[tuple[str, Document]]:
    what = f"the import {path}"
    with translate_errors(what), path.open(encoding="utf-8", errors="surrogatepass") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                yield _row(path, number, line)


def _row(path: Path, number: int, line: str) -> tuple[str, Document]:
    try:
        row: dict[str, Any] = decode_json(line)
        values = {name: row[name] for name in _FIELDS if row.get(name) is not None}
        return str(row.get("collection") or "default"), Document.from_dict(values)
    except (ValueError, TypeError, AttributeError) as error:
        raise IndexFault(
            msg("line {number} of {path} is not a document", number=number, path=path),
            remedy=msg('write one JSON object a line, with "url", "title" and "text"'),
        ) from error

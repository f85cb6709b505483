"""The view Collections: what is in the local index; one of them with its documents."""

from __future__ import annotations

import asyncio
import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kensaku.errors import UnknownName
from kensaku.server.page import snippets
from kensaku.server.page.results import safe_link

if TYPE_CHECKING:
    from kensaku.index import Index
    from kensaku.index.results import CollectionStats
    from kensaku.server.page.request import PageRequest

MAX_LISTED = 500  # documents: the index has no call that lists them, so all of them are exported


@dataclass(frozen=True, slots=True)
class DocumentView:
    """A document of a collection."""

    url: str
    link: str
    title: str


async def show(page: PageRequest) -> dict[str, Any]:
    """The values of `collections.html`."""
    index, name = page.client.index, page.params.get("name", "")
    stats = await index.stats()
    if not name:
        rows = sorted(stats.items(), key=lambda item: item[0].lower())
        return {"rows": rows, "name": "", "use": snippets.for_collections(page)}
    if name not in stats:
        raise UnknownName("collection", name, stats)
    return {
        "rows": [],
        "name": name,
        "stats": stats[name],
        "documents": await _documents(index, name, stats[name]),
        "use": snippets.for_collections(page, name),
    }


async def _documents(index: Index, name: str, stats: CollectionStats) -> list[DocumentView] | None:
    """The documents of a collection; None when there are too many, or they cannot be read."""
    if stats["documents"] > MAX_LISTED or stats["foreign"] or stats["problem"]:
        return None
    with tempfile.TemporaryDirectory(prefix="kensaku-") as folder:
        file = Path(folder, "documents.jsonl")
        await index.export_jsonl(file, name, salvage=lambda _: None)
        return await asyncio.to_thread(_read, file)


def _read(file: Path) -> list[DocumentView]:
    found = []
    with file.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            values = json.loads(line)
            url, title = str(values["url"]), str(values.get("title") or "")
            found.append(DocumentView(url, safe_link(url), title or url))
    return sorted(found, key=lambda d: d.title.lower())

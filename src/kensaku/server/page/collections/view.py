"""Collections: what is in the local index; one of them with its documents.

Add files and pages, delete documents, delete a collection.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from kensaku.errors import InvalidQuery, UnknownName, Unparsable
from kensaku.index.results import to_document
from kensaku.messages import msg
from kensaku.server.page import snippets
from kensaku.server.page.results import safe_link
from kensaku.server.page.tabs import api, one_search, text_in
from kensaku.text.collection_names import check_collection_name

if TYPE_CHECKING:
    from kensaku.index import AddResult, Index
    from kensaku.index.results import CollectionStats
    from kensaku.server.page.request import PageRequest
    from kensaku.server.wires.base import Asked

MAX_LISTED = 500  # documents: the index has no call that lists them, so all of them are exported
MAX_FILE = 20 * 2**20
SECONDS = 30.0
# Types that the first bytes of a file do not show; all other text is read as it is.
TYPES = {
    ".md": "text/markdown", ".markdown": "text/markdown", ".htm": "text/html",
    ".html": "text/html", ".xhtml": "text/html", ".csv": "text/csv",
    ".tsv": "text/tab-separated-values", ".json": "application/json",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class DocumentView:
    """A document of a collection."""

    url: str
    link: str
    title: str


async def show(page: PageRequest, asked: Asked) -> dict[str, Any]:
    """The values of `collections.html`."""
    index, name = page.client.index, page.params.get("name", "")
    stats = await index.stats()
    if not name:
        rows = sorted(stats.items(), key=lambda item: item[0].lower())
        return {"rows": rows, "name": "", "use": snippets.for_collections(page)}
    if name not in stats:
        raise UnknownName(msg("collection"), name, stats)
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


async def listed(page: PageRequest, asked: Asked) -> dict[str, Any]:
    """List every collection: its size, its languages, its problem."""
    return {"collections": await page.client.index.stats()}


async def add_file(page: PageRequest, asked: Asked) -> dict[str, Any]:
    """Index the file that is the body; `name` in the address is what it is called."""
    name = page.params.get("name", "").strip()[:300]
    if not name or not asked.raw:
        raise InvalidQuery(msg("a file needs a name and a content"))
    collection = check_collection_name(asked.path["name"])
    parser = page.client.resources.reader().parser
    kind = TYPES.get(PurePath(name).suffix.lower(), "text/plain")
    read = await parser.extract(asked.raw, url=name, content_type=kind)
    if not read.text.strip():
        raise Unparsable("; ".join(read.notes) or "no text can be had from it")
    url = f"upload:///{quote(name)}"
    document = replace(to_document(read), url=url, title=read.title or name)
    added = await page.client.index.add([document], collection)
    return _counts(page, added, name)


async def add_page(page: PageRequest, asked: Asked) -> dict[str, Any]:
    """Fetch the page at `url`, and index it."""
    collection, url = check_collection_name(asked.path["name"]), text_in(asked, "url", 8_000)
    done = await page.client.extract([url], timeout=SECONDS)
    if done.failed:
        raise done.failed[0].error
    read = done.results[0]
    if read.needs_browser or not read.text.strip():
        raise Unparsable("; ".join(read.notes) or "it has no text")
    added = await page.client.index.add([read], collection)
    return {**_counts(page, added, url), "said": page.t("Kept in {name}", name=collection)}


async def delete_page(page: PageRequest, asked: Asked) -> dict[str, Any]:
    """Delete the document with this `url`."""
    collection = await _known(page, asked)
    return {"deleted": await page.client.index.delete(text_in(asked, "url", 8_000), collection)}


async def delete(page: PageRequest, asked: Asked) -> dict[str, Any]:
    """Delete a collection with all its documents."""
    collection = await _known(page, asked)
    await page.client.index.drop(collection)
    return {"deleted": collection}


async def _known(page: PageRequest, asked: Asked) -> str:
    """The name of a collection that is there. Raises `InvalidQuery`."""
    name = asked.path["name"]
    if name not in await page.client.index.collections():
        raise InvalidQuery(msg("there is no collection {name!r}", name=name[:80]))
    return name


def _counts(page: PageRequest, added: AddResult, name: str) -> dict[str, Any]:
    t = page.t
    if added.added:
        what, said = "added", t("added")
    elif added.updated:
        what, said = "updated", t("updated")
    else:
        what, said = "unchanged", t("unchanged")
    return {"name": name, "result": what, "said": said}


ENDPOINTS = [
    api("GET", "/api/collections", listed),
    api("POST", "/api/collections/{name}/files", add_file, takes_bytes=True, max_body=MAX_FILE),
    api("POST", "/api/collections/{name}/documents", add_page, cost=one_search),
    api("DELETE", "/api/collections/{name}/documents", delete_page),
    api("DELETE", "/api/collections/{name}", delete),
]

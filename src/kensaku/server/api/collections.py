"""Collections: add files and pages, delete documents, delete a collection."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from kensaku.errors import InvalidQuery, Unparsable
from kensaku.models import Document
from kensaku.server.api.base import Call, Endpoint
from kensaku.text.collection_names import check_collection_name

if TYPE_CHECKING:
    from kensaku.index import AddResult

MAX_FILE = 20 * 2**20
SECONDS = 30.0
# Types that the first bytes of a file do not show; all other text is read as it is.
TYPES = {
    ".md": "text/markdown", ".markdown": "text/markdown", ".htm": "text/html",
    ".html": "text/html", ".xhtml": "text/html", ".csv": "text/csv",
    ".tsv": "text/tab-separated-values", ".json": "application/json",
}  # fmt: skip


async def listed(call: Call) -> dict[str, Any]:
    """Every collection: its size, its languages, its problem."""
    return {"collections": await call.client.index.stats()}


async def add_file(call: Call) -> dict[str, Any]:
    """Index the file that is the body; `name` in the address is what it is called."""
    name = call.page.params.get("name", "").strip()[:300]
    if not name or not call.raw:
        raise InvalidQuery("a file needs a name and a content")
    collection = check_collection_name(call.path["name"])
    parser = call.client.resources.reader().parser
    kind = TYPES.get(PurePath(name).suffix.lower(), "text/plain")
    page = await parser.extract(call.raw, url=name, content_type=kind)
    if not page.text.strip():
        raise Unparsable("; ".join(page.notes) or "no text can be had from it")
    document = Document(
        url=f"upload:///{quote(name)}",
        title=page.title or name,
        text=page.markdown or page.text,
        published=page.published,
        language=page.language,
    )
    added = await call.client.index.add([document], collection)
    return _counts(call, added, name)


async def add_page(call: Call) -> dict[str, Any]:
    """Fetch the page at `url`, and index it."""
    collection, url = check_collection_name(call.path["name"]), call.text("url", 8_000)
    done = await call.client.extract([url], timeout=SECONDS)
    if done.failed:
        raise done.failed[0].error
    page = done.results[0]
    if page.needs_browser or not page.text.strip():
        raise Unparsable("; ".join(page.notes) or "it has no text")
    added = await call.client.index.add([page], collection)
    return {**_counts(call, added, url), "said": call.page.t("Kept in {name}", name=collection)}


async def delete_page(call: Call) -> dict[str, Any]:
    """Delete the document with this `url`."""
    collection = await _known(call)
    return {"deleted": await call.client.index.delete(call.text("url", 8_000), collection)}


async def delete(call: Call) -> dict[str, Any]:
    """Delete a collection with all its documents."""
    collection = await _known(call)
    await call.client.index.drop(collection)
    return {"deleted": collection}


async def _known(call: Call) -> str:
    """The name of a collection that is there. Raises `InvalidQuery`."""
    name = call.path["name"]
    if name not in await call.client.index.collections():
        raise InvalidQuery(f"there is no collection {name[:80]!r}")
    return name


def _counts(call: Call, added: AddResult, name: str) -> dict[str, Any]:
    t = call.page.t
    if added.added:
        what, said = "added", t("added")
    elif added.updated:
        what, said = "updated", t("updated")
    else:
        what, said = "unchanged", t("unchanged")
    return {"name": name, "result": what, "said": said}


ENDPOINTS = [
    Endpoint("GET", "/api/collections", listed),
    Endpoint("POST", "/api/collections/{name}/files", add_file, raw=True, max_body=MAX_FILE),
    Endpoint("POST", "/api/collections/{name}/documents", add_page),
    Endpoint("DELETE", "/api/collections/{name}/documents", delete_page),
    Endpoint("DELETE", "/api/collections/{name}", delete),
]

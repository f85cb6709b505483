"""The calls that a client can make, by name: plain values in, plain values out.

The same table serves the worker process (over a socket) and a thread (for a Qdrant server), so
that both behave alike.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from kensaku.index.collections import Collections
from kensaku.index.integrity import check, export_page
from kensaku.index.request import SearchRequest
from kensaku.index.results import CheckResult, CollectionStats, SearchResult
from kensaku.index.search import search
from kensaku.index.worker.protocol import unpack_vector
from kensaku.models import Document

Values = dict[str, Any]


def dispatch(collections: Collections, call: str, arguments: Values) -> Any:
    """Run the call of that name and return its result."""
    return _CALLS[call](collections, **arguments)


def _add(
    collections: Collections,
    collection: str,
    documents: list[Values],
    vectors: dict[str, list[str | None]] | None = None,
    model: str = "",
    flush: bool = True,
    longer: float = 1.0,
) -> dict[str, int]:
    unpacked = {url: [unpack_vector(v) for v in packed] for url, packed in (vectors or {}).items()}
    read = [Document.from_dict(d) for d in documents]
    return collections.add(collection, read, unpacked, model=model, flush=flush, longer=longer)


def _check(collections: Collections, collection: str | None) -> dict[str, CheckResult]:
    names = [collection] if collection else collections.names()
    return {name: check(collections, name) for name in names}


def _search(collections: Collections, request: Values) -> SearchResult:
    return search(collections, SearchRequest.from_wire(request))


def _documents(
    collections: Collections, collection: str, after: str | None, salvage: bool
) -> Values:
    documents, damaged, after = export_page(collections, collection, after, salvage)
    return {"documents": [asdict(d) for d in documents], "damaged": damaged, "after": after}


def _get(collections: Collections, collection: str, url: str) -> Values | None:
    document = collections.get(collection, url)
    return None if document is None else asdict(document)


def _stats(collections: Collections) -> dict[str, CollectionStats]:
    names = [*collections.names(), *collections.foreign_names()]
    return {name: collections.stats(name) for name in names}


def _optimize(collections: Collections, collection: str | None) -> None:
    for name in [collection] if collection else collections.names():
        collections.optimize(name)


def _snapshot(collections: Collections, directory: str) -> None:
    collections.engine.snapshot(Path(directory))


_CALLS: dict[str, Callable[..., Any]] = {
    "add": _add,
    "changed": lambda collections, collection, revisions: collections.changed_urls(
        collection, revisions
    ),
    "check": _check,
    "collections": lambda collections: collections.names(),
    "delete": lambda collections, collection, urls: collections.delete(collection, urls),
    "documents": _documents,
    "drop": lambda collections, collection: collections.drop(collection),
    "foreign": lambda collections: collections.foreign_names(),
    "get": _get,
    "optimize": _optimize,
    "search": _search,
    "snapshot": _snapshot,
    "stats": _stats,
}

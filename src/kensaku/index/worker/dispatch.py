"""What can be asked of an index, by name: plain values in, plain values out.

The same table serves a worker process (over a socket) and a thread (a cluster), so that both
behave alike.
"""

from __future__ import annotations

from array import array
from base64 import b64decode, b64encode
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from kensaku.index.collections import Store
from kensaku.index.engines.base import Where
from kensaku.index.search import Request, search
from kensaku.models import Document

Values = dict[str, Any]


def answer(store: Store, call: str, given: Values) -> Any:
    """Do what `call` names."""
    return _CALLS[call](store, **given)


def pack(vector: Sequence[float] | None) -> str | None:
    """A vector as text: four bytes a number, base64."""
    return None if vector is None else b64encode(array("f", vector).tobytes()).decode()


def unpack(text: str | None) -> array[float] | None:
    """The vector that was packed."""
    return None if text is None else array("f", b64decode(text))


def _add(
    store: Store,
    collection: str,
    documents: list[Values],
    vectors: dict[str, list[str | None]] | None = None,
    model: str = "",
    flush: bool = True,
) -> dict[str, int]:
    known = {url: [unpack(v) for v in packed] for url, packed in (vectors or {}).items()}
    return store.add(
        collection, [Document(**d) for d in documents], known, model=model, flush=flush
    )


def _search(store: Store, **given: Any) -> list[Values]:
    names = given.pop("collections")
    asked: Values = given.pop("where")
    where: Values = {k: tuple(v) if isinstance(v, list) else v for k, v in asked.items()}
    return search(
        store,
        Request(
            collections=None if names is None else tuple(names),
            where=Where(**where),
            vector=unpack(given.pop("vector")),
            **given,
        ),
    )


def _documents(store: Store, collection: str, after: str | None) -> Values:
    found, after = store.documents(collection, after)
    return {"documents": [asdict(d) for d in found], "after": after}


def _stats(store: Store) -> dict[str, Values]:
    return {name: store.stats(name) for name in store.collections()}


def _optimize(store: Store, collection: str | None) -> None:
    for name in [collection] if collection else store.collections():
        store.optimize(name)


def _snapshot(store: Store, directory: str) -> None:
    store.engine.snapshot(Path(directory))


_CALLS: dict[str, Callable[..., Any]] = {
    "add": _add,
    "changed": lambda store, collection, revisions: store.changed(collection, revisions),
    "collections": lambda store: store.collections(),
    "delete": lambda store, collection, urls: store.delete(collection, urls),
    "documents": _documents,
    "drop": lambda store, collection: store.drop(collection),
    "optimize": _optimize,
    "search": _search,
    "snapshot": _snapshot,
    "stats": _stats,
}

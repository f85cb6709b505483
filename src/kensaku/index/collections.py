"""Collections of documents on any engine.

    add: documents → changed ones → passages → terms → entries → engine

Synchronous: this runs beside the engine, in the worker process or in a thread.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from kensaku.errors import IndexFault, InvalidQuery, UnknownName
from kensaku.index.engines.base import META_ID, Engine, Entry, Payload
from kensaku.index.entries import (
    PreparedDocument,
    document_id,
    entry_id,
    make_entries,
    prepare,
    rebuild_document,
    revision,
)
from kensaku.index.errors import damage_fault
from kensaku.index.meta import READABLE, CollectionMeta, DocumentRecord
from kensaku.index.results import CollectionStats, damaged_stats
from kensaku.index.weights import reweigh
from kensaku.messages import msg
from kensaku.models import Document
from kensaku.text.collection_names import check_collection_name

Vectors = Sequence[Sequence[float] | None]


class Collections:
    """Collections of documents on an engine."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._meta: dict[str, CollectionMeta] = {}
        self._faults: dict[str, IndexFault] = {}  # documents that were lost, by collection

    def names(self) -> list[str]:
        """Return the names of all collections."""
        return self.engine.collections()

    def foreign_names(self) -> list[str]:
        """Return the names of other applications' collections that can be searched."""
        foreign = self.engine.foreign
        own = set(self.names()) if foreign else set()
        return [n for n in foreign.names() if n not in own] if foreign else []

    def is_foreign(self, collection: str) -> bool:
        """Whether a collection is another application's."""
        return collection not in self._meta and collection in self.foreign_names()

    def changed_urls(self, collection: str, revisions: Mapping[str, str]) -> list[str]:
        """Return which of these URLs are new or have another revision."""
        if collection not in self.engine.collections():
            return list(revisions)
        return _changed(revisions, self._heads(collection, revisions))

    def add(
        self,
        collection: str,
        documents: Sequence[Document],
        vectors: Mapping[str, Vectors] | None = None,
        *,
        model: str = "",
        flush: bool = True,
        longer: float = 1.0,
    ) -> dict[str, int]:
        """Store documents; skip those that are already stored unchanged.

        `vectors` are embeddings that the caller made, by URL, one for each passage. `longer` says
        how much longer the passages of all documents that are to come are than those of these.
        """
        check_collection_name(collection)
        latest = {d.url: d for d in documents}
        revisions = {url: revision(d, model) for url, d in latest.items()}
        meta = self._open_or_create(collection, model, _dimensions(vectors))
        stored = self._heads(collection, latest) if meta.passages else {}
        changed = _changed(revisions, stored)
        prepared = [prepare(latest[url], revisions[url]) for url in changed]
        if prepared:
            if not meta.average:
                lengths = [t.length for p in prepared for t in p.terms]
                meta.average = longer * max(1.0, sum(lengths) / len(lengths))
            self._write(collection, meta, prepared, stored, vectors or {}, flush)
        elif flush:
            self.engine.write(collection, ())  # flushes the batches before this one
        if flush and self._meta[collection].reweigh_at_once:
            reweigh(self.engine, collection, self._meta[collection])
        updated = sum(url in stored for url in changed)
        return {
            "added": len(changed) - updated,
            "updated": updated,
            "unchanged": len(latest) - len(changed),
        }

    def delete(self, collection: str, urls: Sequence[str]) -> int:
        """Delete documents; return how many there were."""
        self._require(collection)
        meta = self.meta(collection)
        stored = self._heads(collection, urls)
        if not stored:
            return 0
        now = replace(meta)
        now.count(self._records(collection, stored), -1)
        removed = [i for u, h in stored.items() for i in _entry_ids(u, h)]
        self.engine.write(collection, [now.to_entry()], removed)
        self._meta[collection] = now
        return len(stored)

    def get(self, collection: str, url: str) -> Document | None:
        """Return the document with this URL, or None."""
        self._require(collection)
        id = document_id(url)
        head = self.engine.get(collection, [entry_id(id, 0)]).get(entry_id(id, 0))
        return self.document(collection, id, head) if head else None

    def document(self, collection: str, id: str, head: Payload) -> Document:
        """Load the other entries of the document that begins with `head`."""
        rest = [entry_id(id, part) for part in range(1, head.get("parts", 1))]
        payloads = self.engine.get(collection, rest) if rest else {}
        return rebuild_document([head, *(payloads[i] for i in rest if i in payloads)])

    def stats(self, collection: str) -> CollectionStats:
        """Count what a collection holds."""
        if self.engine.foreign is not None and self.is_foreign(collection):
            return self.engine.foreign.stats(collection)
        try:
            meta = self.meta(collection)
            passages = self.engine.count_passages(collection)
            documents = self._count_documents(collection, meta, passages)
        except IndexFault as fault:
            return damaged_stats(fault.message)
        lost = self._faults.get(collection)
        return {
            "documents": documents,
            "passages": passages,
            "languages": sorted(meta.languages),
            "model": meta.model or None,
            "average_terms": round(meta.current_average, 1),
            "disk": self.engine.disk_bytes(collection),
            "foreign": False,
            "problem": None if lost is None else lost.message,
        }

    def optimize(self, collection: str) -> None:
        """Recompute outdated weights and let the engine reorganise its files."""
        meta = self.meta(collection)
        if meta.outdated:
            reweigh(self.engine, collection, meta)
        self.engine.optimize(collection)

    def drop(self, collection: str) -> None:
        """Delete a collection."""
        self._require(collection)
        self._meta.pop(collection, None)
        self._faults.pop(collection, None)
        self.engine.drop(collection)

    def close(self) -> None:
        """Close the engine."""
        self.engine.close()

    def meta(self, collection: str) -> CollectionMeta:
        """Return the metadata of a collection; it is read once."""
        self._require(collection)
        meta = self._meta.get(collection)
        if meta is None:
            meta = self._meta[collection] = self._load_meta(collection)
        return meta

    def fault(self, collection: str) -> IndexFault | None:
        """Return what is wrong with a collection that can be searched but has lost documents."""
        return self._faults.get(collection)

    def _load_meta(self, collection: str) -> CollectionMeta:
        payload = self.engine.get(collection, [META_ID]).get(META_ID, {})
        if payload.get("format", READABLE[-1]) not in READABLE:
            raise IndexFault(
                msg(
                    "collection {collection!r} was written by another version of Kensaku",
                    collection=collection,
                ),
                remedy=msg("export it there and import it here"),
            )
        meta = CollectionMeta.from_payload(payload)
        if self._counts_are_exact(meta):
            passages = self.engine.count_passages(collection)
            if not payload and passages:
                raise damage_fault(collection, "its record is missing")
            if passages < meta.passages:
                lost = self._describe_loss(collection, meta, passages)
                self._faults[collection] = damage_fault(collection, lost)
        return meta

    def _counts_are_exact(self, meta: CollectionMeta) -> bool:
        # Other machines write to a server's collection, too.
        return self.engine.foreign is None and meta.counted

    def _count_documents(self, collection: str, meta: CollectionMeta, passages: int) -> int:
        if self._counts_are_exact(meta) and passages == meta.passages:
            return meta.documents  # the engine would read every passage
        return self.engine.count_documents(collection)

    def _describe_loss(self, collection: str, meta: CollectionMeta, passages: int) -> str:
        documents = self.engine.count_documents(collection)
        if documents < meta.documents:
            return f"{meta.documents - documents:,} of {meta.documents:,} documents are missing"
        return f"{meta.passages - passages:,} of {meta.passages:,} passages are missing"

    def _require(self, collection: str) -> None:
        if collection not in self._meta:
            names = self.engine.collections()
            if collection not in names:
                self._refuse_foreign(collection)
                raise UnknownName(msg("collection"), collection, names)

    def _refuse_foreign(self, collection: str) -> None:
        if self.is_foreign(collection):
            raise IndexFault(
                msg(
                    "collection {collection!r} was made by another application, and is only "
                    "searched",
                    collection=collection,
                ),
                remedy=msg("choose another name"),
            )

    def _open_or_create(self, collection: str, model: str, dimensions: int) -> CollectionMeta:
        if collection not in self.engine.collections():
            self._meta.pop(collection, None)
            self._refuse_foreign(collection)
            self.engine.create(collection, dimensions or None)
            self._meta[collection] = CollectionMeta(model=model, dimensions=dimensions)
        meta = self.meta(collection)
        if not meta.dimensions and dimensions:
            self.engine.add_vectors(collection, dimensions)
            meta.model, meta.dimensions = model, dimensions
        if dimensions and (meta.model, meta.dimensions) != (model, dimensions):
            raise IndexFault(
                msg(
                    "collection {collection!r} holds vectors of {model} ({dimensions} numbers "
                    "each), not of {model2} ({dimensions2})",
                    collection=collection,
                    model=meta.model,
                    dimensions=meta.dimensions,
                    model2=model,
                    dimensions2=dimensions,
                ),
                remedy=msg("use that model, or drop the collection and add its documents again"),
            )
        return meta

    def _heads(self, collection: str, urls: Iterable[str]) -> dict[str, Payload]:
        ids = {entry_id(document_id(url), 0): url for url in urls}
        heads = self.engine.get(collection, list(ids), ["rev", "parts", "terms", "language"])
        return {ids[id]: payload for id, payload in heads.items()}

    def _records(self, collection: str, heads: Mapping[str, Payload]) -> Iterable[DocumentRecord]:
        for url, head in heads.items():
            id = document_id(url)
            if "terms" not in head:  # of format 2
                whole = self.engine.get(collection, [entry_id(id, 0)])[entry_id(id, 0)]
                read = prepare(self.document(collection, id, whole), "")
                head = head | {"terms": read.record.terms}
            parts, terms = head.get("parts", 1), head["terms"]
            yield DocumentRecord(id, head["rev"], parts, terms, head["language"])

    def _write(
        self,
        collection: str,
        meta: CollectionMeta,
        prepared: Sequence[PreparedDocument],
        stored: Mapping[str, Payload],
        vectors: Mapping[str, Vectors],
        flush: bool,
    ) -> None:
        now = replace(meta)
        urls = [p.document.url for p in prepared]
        replaced = {url: stored[url] for url in urls if url in stored}
        now.count(self._records(collection, replaced), -1)
        now.count(p.record for p in prepared)
        batch: list[Entry] = []
        old_ids: list[str] = []
        for one in prepared:
            url = one.document.url
            _check_vectors(one, vectors.get(url), now.dimensions)
            batch += make_entries(one, now.average, vectors.get(url))
            old_ids += _entry_ids(url, stored.get(url))
        new_ids = {entry.id for entry in batch}
        batch.append(now.to_entry())
        removed = [i for i in old_ids if i not in new_ids]
        self.engine.write(collection, batch, removed, flush=flush)
        self._meta[collection] = now


def _changed(revisions: Mapping[str, str], stored: Mapping[str, Payload]) -> list[str]:
    return [url for url, rev in revisions.items() if stored.get(url, {}).get("rev") != rev]


def _check_vectors(prepared: PreparedDocument, vectors: Vectors | None, dimensions: int) -> None:
    url = prepared.document.url[:80]
    if vectors is not None and len(vectors) != len(prepared.passages):
        raise InvalidQuery(
            msg(
                "{url} has {count} passages, but {count2} vectors",
                url=url,
                count=len(prepared.passages),
                count2=len(vectors),
            )
        )
    if any(v is not None and len(v) != dimensions for v in vectors or ()):
        raise IndexFault(
            msg(
                "a vector of {url} does not have {dimensions} numbers",
                url=url,
                dimensions=dimensions,
            ),
            remedy=msg("use the embedding model that the collection was made with"),
        )


def _entry_ids(url: str, head: Payload | None) -> list[str]:
    if head is None:
        return []
    return [entry_id(document_id(url), part) for part in range(head.get("parts", 1))]


def _dimensions(vectors: Mapping[str, Vectors] | None) -> int:
    for of_document in (vectors or {}).values():
        for vector in of_document:
            if vector is not None:
                return len(vector)
    return 0

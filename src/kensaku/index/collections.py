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
    bm25_weights,
    document_id,
    document_of,
    entry_id,
    make_entries,
    passage_terms,
    prepare,
    rebuild_document,
    revision,
)
from kensaku.index.meta import FORMAT, CollectionMeta
from kensaku.index.names import check_collection_name
from kensaku.index.results import CollectionStats
from kensaku.models import Document

REWEIGH_AT_ONCE = 5_000  # up to so many passages, outdated weights are not left to optimize()

Vectors = Sequence[Sequence[float] | None]


class Collections:
    """Collections of documents on an engine."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._meta: dict[str, CollectionMeta] = {}

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
    ) -> dict[str, int]:
        """Store documents; leave those alone that are stored already, word for word.

        `vectors` are embeddings that the caller made, by URL, one for each passage.
        """
        check_collection_name(collection)
        latest = {d.url: d for d in documents}
        revisions = {url: revision(d, model) for url, d in latest.items()}
        meta = self._open_or_create(collection, model, _dimensions(vectors))
        stored = self._heads(collection, latest) if meta.passages else {}
        changed = _changed(revisions, stored)
        prepared = [prepare(latest[url], revisions[url]) for url in changed]
        if prepared:
            self._write(collection, meta, prepared, stored, vectors or {}, flush)
        elif flush:
            self.engine.write(collection, ())  # flushes the batches before this one
        updated = sum(url in stored for url in changed)
        return {
            "added": len(changed) - updated,
            "updated": updated,
            "unchanged": len(latest) - len(changed),
        }

    def delete(self, collection: str, urls: Sequence[str]) -> int:
        """Delete documents; return how many there were."""
        self._require(collection)
        stored = self._heads(collection, urls)
        self.engine.write(collection, (), [i for u, h in stored.items() for i in _entry_ids(u, h)])
        return len(stored)

    def documents(
        self, collection: str, after: str | None = None, limit: int = 500
    ) -> tuple[list[Document], str | None]:
        """Return a page of whole documents, and the offset of the next page; None at the end."""
        self._require(collection)
        page, after = self.engine.scroll(collection, after, limit)
        heads = [(id, payload) for id, payload in page if "url" in payload]
        return [self._document(collection, document_of(id), head) for id, head in heads], after

    def _document(self, collection: str, id: str, head: Payload) -> Document:
        """Load the other entries of the document that begins with `head`."""
        rest = [entry_id(id, part) for part in range(1, head.get("parts", 1))]
        payloads = self.engine.get(collection, rest) if rest else {}
        return rebuild_document([head, *(payloads[i] for i in rest if i in payloads)])

    def stats(self, collection: str) -> CollectionStats:
        """Count what a collection holds."""
        if self.engine.foreign is not None and self.is_foreign(collection):
            return self.engine.foreign.stats(collection)
        meta = self.meta(collection)
        documents, passages = self.engine.count(collection)
        return {
            "documents": documents,
            "passages": passages,
            "languages": list(meta.languages),
            "model": meta.model or None,
            "average_terms": round(meta.current_average, 1),
            "foreign": False,
        }

    def optimize(self, collection: str) -> None:
        """Recompute outdated weights and let the engine reorganise its files."""
        meta = self.meta(collection)
        if meta.passages and meta.outdated:
            self._reweigh(collection, meta)
        self.engine.optimize(collection)

    def drop(self, collection: str) -> None:
        """Delete a collection."""
        self._require(collection)
        self._meta.pop(collection, None)
        self.engine.drop(collection)

    def close(self) -> None:
        """Close the engine."""
        self.engine.close()

    def meta(self, collection: str) -> CollectionMeta:
        """Return the metadata of a collection; it is read once."""
        self._require(collection)
        meta = self._meta.get(collection)
        if meta is None:
            payload = self.engine.get(collection, [META_ID]).get(META_ID, {})
            if payload.get("format", FORMAT) != FORMAT:
                raise IndexFault(
                    f"collection {collection!r} was written by another version of Kensaku",
                    remedy="export it there and import it here",
                )
            names = CollectionMeta.__dataclass_fields__
            meta = CollectionMeta(**{n: v for n, v in payload.items() if n in names})
            self._meta[collection] = meta
        return meta

    def _require(self, collection: str) -> None:
        if collection not in self._meta:
            names = self.engine.collections()
            if collection not in names:
                self._refuse_foreign(collection)
                raise UnknownName("collection", collection, names or ["(there is none yet)"])

    def _refuse_foreign(self, collection: str) -> None:
        if self.is_foreign(collection):
            raise IndexFault(
                f"collection {collection!r} was made by another application, and is only searched",
                remedy="choose another name",
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
                f"collection {collection!r} holds vectors of {meta.model} "
                f"({meta.dimensions} numbers each), not of {model} ({dimensions})",
                remedy="use that model, or drop the collection and add its documents again",
            )
        return meta

    def _heads(self, collection: str, urls: Iterable[str]) -> dict[str, Payload]:
        ids = {entry_id(document_id(url), 0): url for url in urls}
        heads = self.engine.get(collection, list(ids), ["rev", "parts"])
        return {ids[id]: payload for id, payload in heads.items()}

    def _write(
        self,
        collection: str,
        meta: CollectionMeta,
        prepared: Sequence[PreparedDocument],
        stored: Mapping[str, Payload],
        vectors: Mapping[str, Vectors],
        flush: bool,
    ) -> None:
        now = replace(meta, languages=sorted({*meta.languages, *(p.language for p in prepared)}))
        now.passages += sum(len(p.terms) for p in prepared)
        now.length += sum(t.length for p in prepared for t in p.terms)
        now.average = meta.average or now.current_average
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
        if now.outdated and now.passages <= REWEIGH_AT_ONCE:
            self._reweigh(collection, now)

    def _reweigh(self, collection: str, meta: CollectionMeta) -> None:
        """Recompute all weights with the current average length."""
        average = meta.current_average
        after = None
        while True:
            page, after = self.engine.scroll(collection, after, 1_000)
            titles = self._titles(collection, page)
            batch = []
            for id, payload in page:
                language = payload["language"]
                terms = passage_terms(
                    titles[document_of(id)], payload.get("heading", ""), payload["text"], language
                )
                weights = bm25_weights(terms, average, language)
                batch.append(Entry(id, {}, [*terms.words, *terms.pairs], weights))
            if batch:
                self.engine.update_weights(collection, batch)
            if after is None:
                break
        meta.average = average
        self.engine.write(collection, [meta.to_entry()])

    def _titles(self, collection: str, page: Sequence[tuple[str, Payload]]) -> dict[str, str]:
        on_page = {document_of(id): p["title"] for id, p in page if "title" in p}
        missing = {document_of(id) for id, _ in page} - on_page.keys()
        heads = self.engine.get(collection, [entry_id(d, 0) for d in missing], ["title"])
        loaded = {document_of(id): p.get("title", "") for id, p in heads.items()}
        return dict.fromkeys(missing, "") | loaded | on_page


def _changed(revisions: Mapping[str, str], stored: Mapping[str, Payload]) -> list[str]:
    return [url for url, rev in revisions.items() if stored.get(url, {}).get("rev") != rev]


def _check_vectors(prepared: PreparedDocument, vectors: Vectors | None, dimensions: int) -> None:
    url = prepared.document.url[:80]
    if vectors is not None and len(vectors) != len(prepared.passages):
        raise InvalidQuery(
            f"{url} has {len(prepared.passages)} passages, but {len(vectors)} vectors"
        )
    if any(v is not None and len(v) != dimensions for v in vectors or ()):
        raise IndexFault(
            f"a vector of {url} does not have {dimensions} numbers",
            remedy="use the embedding model that the collection was made with",
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

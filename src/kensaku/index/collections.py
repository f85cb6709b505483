"""Documents in, ranked results out, on any engine: all that is ours about the index.

    add:    documents → changed ones → passages → terms → entries → engine
    search: query → terms (and vector) → engine → fuse → documents → results

Synchronous: it runs beside the engine, in the worker process or in a thread.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from kensaku.errors import IndexFault, InvalidQuery, UnknownName
from kensaku.index.engines.base import META_ID, Engine, Entry, Payload, check_name
from kensaku.index.entries import (
    Prepared,
    document_id,
    document_of,
    entries,
    entry_id,
    passage_terms,
    prepare,
    rebuild,
    revision,
    weigh,
)
from kensaku.models import Document

FORMAT = 2  # of what is stored; a later one says how to come from an earlier one
DRIFT = 1.2  # when the average length is off by this factor, weights are computed anew
REWEIGH_AT_ONCE = 5_000  # passages; a larger collection waits for optimize()
_PRIOR = (20, 100.0)  # so many passages of so many terms, before any is known

Vectors = Sequence[Sequence[float] | None]


@dataclass(slots=True)
class Meta:
    """What a collection knows about itself; stored as an entry of it."""

    average: float = 0.0  # the length that the stored weights were computed with
    passages: int = 0  # how many were ever written …
    length: int = 0  # … and how many terms they had together
    languages: list[str] = field(default_factory=list)
    model: str = ""
    dimensions: int = 0
    format: int = FORMAT

    @property
    def wanted(self) -> float:
        """The average length as it is now."""
        count, length = _PRIOR
        return (count * length + self.length) / (count + self.passages)

    @property
    def drifted(self) -> bool:
        """Whether the stored weights are off."""
        return abs(math.log(self.wanted / self.average)) > math.log(DRIFT)


class Store:
    """Collections of documents on an engine."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._meta: dict[str, Meta] = {}

    def collections(self) -> list[str]:
        """The names of all collections."""
        return self.engine.collections()

    def changed(self, collection: str, revisions: Mapping[str, str]) -> list[str]:
        """Which of these addresses (with the hash of what they hold now) are new or different."""
        if collection not in self.engine.collections():
            return list(revisions)
        return _different(revisions, self._heads(collection, revisions))

    def add(
        self,
        collection: str,
        documents: Sequence[Document],
        vectors: Mapping[str, Vectors] | None = None,
        *,
        model: str = "",
        flush: bool = True,
    ) -> dict[str, int]:
        """Store documents; those that are stored already, word for word, are left alone.

        `vectors` are embeddings that were made elsewhere, by address, one for each passage.
        """
        check_name(collection)
        latest = {d.url: d for d in documents}
        revisions = {url: revision(d, model) for url, d in latest.items()}
        meta = self._open(collection, model, _dimensions(vectors))
        stored = self._heads(collection, latest) if meta.passages else {}
        todo = _different(revisions, stored)
        prepared = [prepare(latest[url], revisions[url]) for url in todo]
        if prepared:
            self._write(collection, meta, prepared, stored, vectors or {}, flush)
        elif flush:
            self.engine.write(collection, ())  # what the batches before left in the log
        updated = sum(url in stored for url in todo)
        return {
            "added": len(todo) - updated,
            "updated": updated,
            "unchanged": len(latest) - len(todo),
        }

    def delete(self, collection: str, urls: Sequence[str]) -> int:
        """Remove documents; how many there were."""
        self._known(collection)
        stored = self._heads(collection, urls)
        self.engine.write(collection, (), [i for u, h in stored.items() for i in _parts(u, h)])
        return len(stored)

    def documents(
        self, collection: str, after: str | None = None, limit: int = 500
    ) -> tuple[list[Document], str | None]:
        """Some documents of a collection, whole, and where to go on; None at the end."""
        self._known(collection)
        page, after = self.engine.scroll(collection, after, limit)
        heads = [(id, payload) for id, payload in page if "url" in payload]
        return [self.document(collection, id[:-4], head) for id, head in heads], after

    def document(self, collection: str, id: str, head: Payload) -> Document:
        """The document that `head` is the first entry of."""
        rest = [entry_id(id, part) for part in range(1, head.get("parts", 1))]
        payloads = self.engine.get(collection, rest) if rest else {}
        return rebuild([head, *(payloads[i] for i in rest if i in payloads)])

    def stats(self, collection: str) -> dict[str, Any]:
        """What there is in a collection."""
        meta = self.meta(collection)
        documents, passages = self.engine.count(collection)
        return {
            "documents": documents,
            "passages": passages,
            "languages": list(meta.languages),
            "model": meta.model or None,
            "average_terms": round(meta.wanted, 1),
        }

    def optimize(self, collection: str) -> None:
        """Bring weights and files up to date after much was written."""
        meta = self.meta(collection)
        if meta.passages and meta.drifted:
            self._reweigh(collection, meta)
        self.engine.optimize(collection)

    def drop(self, collection: str) -> None:
        """Remove a collection."""
        self._known(collection)
        self._meta.pop(collection, None)
        self.engine.drop(collection)

    def close(self) -> None:
        """Close the engine."""
        self.engine.close()

    def meta(self, collection: str) -> Meta:
        """What the collection knows about itself."""
        self._known(collection)
        known = self._meta.get(collection)
        if known is None:
            payload = self.engine.get(collection, [META_ID]).get(META_ID, {})
            if payload.get("format", FORMAT) != FORMAT:
                raise IndexFault(
                    f"collection {collection!r} was written by another version of Kensaku",
                    remedy="export it there and import it here",
                )
            names = Meta.__dataclass_fields__
            known = Meta(**{n: v for n, v in payload.items() if n in names})
            self._meta[collection] = known
        return known

    def _known(self, collection: str) -> None:
        if collection not in self._meta:
            names = self.engine.collections()
            if collection not in names:
                raise UnknownName("collection", collection, names or ["(there is none yet)"])

    def _open(self, collection: str, model: str, dimensions: int) -> Meta:
        if collection not in self.engine.collections():
            self._meta.pop(collection, None)
            self.engine.create(collection, dimensions or None)
            self._meta[collection] = Meta(model=model, dimensions=dimensions)
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
        found = self.engine.get(collection, list(ids), ["rev", "parts"])
        return {ids[id]: payload for id, payload in found.items()}

    def _write(
        self,
        collection: str,
        meta: Meta,
        prepared: Sequence[Prepared],
        stored: Mapping[str, Payload],
        vectors: Mapping[str, Vectors],
        flush: bool,
    ) -> None:
        now = replace(meta, languages=sorted({*meta.languages, *(p.language for p in prepared)}))
        now.passages += sum(len(p.terms) for p in prepared)
        now.length += sum(t.length for p in prepared for t in p.terms)
        now.average = meta.average or now.wanted
        batch = []
        for one in prepared:
            given = vectors.get(one.document.url)
            _fit(one, given, now.dimensions)
            batch += entries(one, now.average, given)
        kept = {entry.id for entry in batch}
        old = [
            i for one in prepared for i in _parts(one.document.url, stored.get(one.document.url))
        ]
        batch.append(_meta_entry(now))
        gone = [i for i in old if i not in kept]
        self.engine.write(collection, batch, gone, flush=flush)
        self._meta[collection] = now
        if now.drifted and now.passages <= REWEIGH_AT_ONCE:
            self._reweigh(collection, now)

    def _reweigh(self, collection: str, meta: Meta) -> None:
        """Compute all weights anew, with the average length as it is now."""
        average = meta.wanted
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
                weights = weigh(terms, average, language)
                batch.append(Entry(id, {}, [*terms.words, *terms.pairs], weights))
            if batch:
                self.engine.reweigh(collection, batch)
            if after is None:
                break
        meta.average = average
        self.engine.write(collection, [_meta_entry(meta)])

    def _titles(self, collection: str, page: Sequence[tuple[str, Payload]]) -> dict[str, str]:
        known = {document_of(id): p["title"] for id, p in page if "title" in p}
        missing = {document_of(id) for id, _ in page} - known.keys()
        heads = self.engine.get(collection, [entry_id(d, 0) for d in missing], ["title"])
        found = {document_of(id): p.get("title", "") for id, p in heads.items()}
        return dict.fromkeys(missing, "") | found | known


def _different(revisions: Mapping[str, str], stored: Mapping[str, Payload]) -> list[str]:
    return [url for url, rev in revisions.items() if stored.get(url, {}).get("rev") != rev]


def _fit(prepared: Prepared, vectors: Vectors | None, dimensions: int) -> None:
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


def _meta_entry(meta: Meta) -> Entry:
    return Entry(META_ID, {**asdict(meta), "part": -1})


def _parts(url: str, head: Payload | None) -> list[str]:
    if head is None:
        return []
    return [entry_id(document_id(url), part) for part in range(head.get("parts", 1))]


def _dimensions(vectors: Mapping[str, Vectors] | None) -> int:
    for given in (vectors or {}).values():
        for vector in given:
            if vector is not None:
                return len(vector)
    return 0

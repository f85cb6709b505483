"""The embedded engine: collections in a directory, by Qdrant Edge.

    <directory>/lock                    the process that has it open
    <directory>/collections/<name>/     one shard: write-ahead log and segments

Edge 0.9.0 holds the interpreter's lock during every call and allows its directory to one process,
so programs do not use this class directly: `worker/server.py` runs it in a process that all
programs of the machine share.
"""

from __future__ import annotations

import errno
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import qdrant_edge as edge

from kensaku.errors import IndexFault, UnknownName
from kensaku.index.engines.base import (
    DENSE,
    META_ID,
    WORDS,
    Entry,
    EntryFilter,
    Payload,
    ScoredEntry,
)
from kensaku.index.engines.compact import finish_rewrites, merge, rewrite
from kensaku.index.engines.points import sparse_vector, to_edge_filter, to_point, unpack_payload
from kensaku.index.engines.shard_config import load_shard, shard_config
from kensaku.index.errors import translate_errors
from kensaku.index.release_memory import release_mapped_pages
from kensaku.index.sparse_copy import allocated_bytes, copy_sparse
from kensaku.index.worker.lock import DirectoryLock
from kensaku.messages import msg
from kensaku.text.collection_names import check_collection_name

# Passages between two calls of optimize(): a second of work that keeps memory at a fifth. Twice as
# many make searches a third faster and the words on disk a seventh smaller, for 60 MB more memory.
OPTIMIZE_EVERY = 20_000
# Passages; smaller collections are filtered as fast without field indexes, in half the files.
FIELD_INDEX_FROM = 10_000
# Edge writes through memory maps: on a full disk that is not an error but the end of the process
# (SIGBUS). So nothing is written unless a log segment and a new segment fit on the disk.
MIN_FREE_BYTES = 80_000_000
FREE_BYTES_PER_PASSAGE = 20_000


class EmbeddedEngine:
    """The collections in one directory, each opened on first use."""

    foreign = None

    def __init__(self, directory: Path, *, lock: DirectoryLock | None = None) -> None:
        self._home = directory / "collections"
        with translate_errors(f"the index at {directory}"):
            directory.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._home.mkdir(exist_ok=True, mode=0o700)
        self._lock = lock or DirectoryLock(directory)
        if not self._lock.acquired:
            self._lock.acquire()
        self._shards: dict[str, Any] = {}
        self._pending: dict[str, int] = {}  # passages written since the last optimize()
        finish_rewrites(self._home)
        for leftover in self._home.glob(".trash-*"):
            shutil.rmtree(leftover, ignore_errors=True)

    def collections(self) -> list[str]:
        with translate_errors(f"the index at {self._home.parent}"):
            return sorted(p.name for p in self._home.iterdir() if (p / "edge_config.json").exists())

    def create(self, collection: str, dimensions: int | None) -> None:
        path = self._home / check_collection_name(collection)
        with translate_errors(f"collection {collection!r}"):
            self._require_free(MIN_FREE_BYTES)
            # Build the shard under another name and rename it: a crash leaves all of it or nothing.
            building = self._home / f".trash-{uuid4().hex}"
            building.mkdir(mode=0o700)
            shard = edge.EdgeShard.create(str(building), shard_config(dimensions))
            shard.close()
            building.rename(path)

    def add_vectors(self, collection: str, dimensions: int) -> None:
        with translate_errors(f"collection {collection!r}"):
            shard = self._shard(collection)
            shard.update(
                edge.UpdateOperation.create_dense_vector(
                    DENSE,
                    dimensions,
                    edge.Distance.Cosine,
                    datatype=edge.VectorStorageDatatype.Float16,
                )
            )
            shard.flush()

    def write(
        self,
        collection: str,
        entries: Sequence[Entry],
        remove: Sequence[str] = (),
        *,
        flush: bool = True,
    ) -> None:
        with self._shard_for_writing(collection) as shard:
            self._require_free(MIN_FREE_BYTES + FREE_BYTES_PER_PASSAGE * len(entries))
            if entries:
                shard.update(edge.UpdateOperation.upsert_points([to_point(e) for e in entries]))
            if remove:
                shard.update(edge.UpdateOperation.delete_points(list(remove)))
            if flush:
                shard.flush()
            self._pending[collection] += len(entries) + len(remove)
            if self._pending[collection] >= OPTIMIZE_EVERY:
                self._reorganise(collection)

    def update_weights(self, collection: str, entries: Sequence[Entry]) -> None:
        with self._shard_for_writing(collection) as shard:
            vectors = [edge.PointVectors(e.id, {WORDS: sparse_vector(e)}) for e in entries]
            shard.update(edge.UpdateOperation.update_vectors(vectors))
            shard.flush()

    def get(
        self, collection: str, ids: Sequence[str], fields: Sequence[str] | None = None
    ) -> dict[str, Payload]:
        with translate_errors(f"collection {collection!r}"):
            records = self._shard(collection).retrieve(list(ids), True, False)
            return {r.id.hex: unpack_payload(r.payload) for r in records}

    def search_terms(
        self, collection: str, terms: Mapping[int, float], limit: int, condition: EntryFilter
    ) -> list[ScoredEntry]:
        query = edge.SparseVector(list(terms), list(terms.values()))
        return self._query(collection, query, WORDS, limit, condition)

    def term_idf(self, collection: str, terms: Sequence[int]) -> dict[int, float]:
        found: dict[int, float] = {}
        with translate_errors(f"collection {collection!r}"):
            for term in terms:
                query = edge.Query.Nearest(edge.SparseVector([term], [1.0]), using=WORDS)
                request = edge.QueryRequest(limit=1, query=query, with_vector=[WORDS])
                for point in self._shard(collection).query(request):
                    stored = point.vector[WORDS]
                    found[term] = point.score / stored.values[stored.indices.index(term)]
        return found

    def search_vector(
        self, collection: str, vector: Sequence[float], limit: int, condition: EntryFilter
    ) -> list[ScoredEntry]:
        return self._query(collection, list(vector), DENSE, limit, condition)

    def get_vectors(self, collection: str, ids: Sequence[str]) -> dict[str, Sequence[float]]:
        with translate_errors(f"collection {collection!r}"):
            records = self._shard(collection).retrieve(list(ids), False, [DENSE])
            return {r.id.hex: r.vector[DENSE] for r in records if r.vector and DENSE in r.vector}

    def scroll(
        self, collection: str, after: str | None, limit: int
    ) -> tuple[list[tuple[str, Payload]], str | None]:
        with translate_errors(f"collection {collection!r}"):
            request = edge.ScrollRequest(offset=after, limit=limit, with_payload=True)
            records, more = self._shard(collection).scroll(request)
            page = [(r.id.hex, _readable(r.payload)) for r in records if r.id.hex != META_ID]
            return page, more.hex if more is not None else None

    def count_passages(self, collection: str) -> int:
        with translate_errors(f"collection {collection!r}"):
            shard = self._shard(collection)
            everything: int = shard.count(edge.CountRequest(exact=True))
            return everything - len(shard.retrieve([META_ID], False, False))

    def count_documents(self, collection: str) -> int:
        with translate_errors(f"collection {collection!r}"):
            # Edge reads every payload: seconds, and all the text becomes resident.
            heads = edge.Filter(must=[edge.IsEmptyCondition("part")])
            counted: int = self._shard(collection).count(
                edge.CountRequest(exact=True, filter=heads)
            )
            return counted

    def disk_bytes(self, collection: str) -> int | None:
        # Edge allocates its files in advance: their sizes are mostly holes.
        with translate_errors(f"collection {collection!r}"):
            return allocated_bytes(self._path(collection))

    def optimize(self, collection: str) -> None:
        self._reorganise(collection)
        path = self._path(collection)
        with translate_errors(f"collection {collection!r}"):
            self._require_free(2 * MIN_FREE_BYTES + allocated_bytes(path))
            self._unload(collection)
            merge(path)
            rewrite(path)

    def _reorganise(self, collection: str) -> None:
        with self._shard_for_writing(collection) as shard:
            self._require_free(2 * MIN_FREE_BYTES)
            info = shard.info()
            if info.points_count >= FIELD_INDEX_FROM and not info.payload_schema:
                for name, kind in _FIELD_INDEXES.items():
                    shard.update(edge.UpdateOperation.create_field_index(name, kind))
            shard.optimize()
            shard.flush()
            self._pending[collection] = 0
            release_mapped_pages(self._path(collection) / "wal")

    def snapshot(self, directory: Path) -> None:
        with translate_errors(f"the snapshot at {directory}"):
            directory.mkdir(parents=True, exist_ok=True, mode=0o700)
            for collection in self.collections():
                if collection in self._shards:
                    self._shards[collection].flush()
                target = directory / "collections" / collection
                shutil.copytree(self._home / collection, target, copy_function=copy_sparse)

    def drop(self, collection: str) -> None:
        path = self._path(collection)
        self._unload(collection)
        with translate_errors(f"collection {collection!r}"):
            trash = self._home / f".trash-{uuid4().hex}"
            path.rename(trash)
            shutil.rmtree(trash, ignore_errors=True)

    def close(self) -> None:
        for collection in list(self._shards):
            self._unload(collection)
        self._lock.release()

    def _require_free(self, size: int) -> None:
        if shutil.disk_usage(self._home).free < size:
            raise OSError(errno.ENOSPC, "No space left on device")

    def _path(self, collection: str) -> Path:
        path = self._home / check_collection_name(collection)
        if not (path / "edge_config.json").exists():
            raise UnknownName(msg("collection"), collection, self.collections())
        return path

    def _shard(self, collection: str) -> Any:
        shard = self._shards.get(collection)
        if shard is None:
            path = self._path(collection)
            shard = self._shards[collection] = load_shard(path)
            info = shard.info()
            self._pending[collection] = max(0, info.points_count - info.indexed_vectors_count)
            release_mapped_pages(path / "wal")
        return shard

    def _query(
        self, collection: str, query: Any, using: str, limit: int, condition: EntryFilter
    ) -> list[ScoredEntry]:
        with translate_errors(f"collection {collection!r}"):
            request = edge.QueryRequest(
                limit=limit,
                query=edge.Query.Nearest(query, using=using),
                filter=to_edge_filter(condition),
                with_payload=False,
            )
            return [ScoredEntry(p.id.hex, p.score) for p in self._shard(collection).query(request)]

    @contextmanager
    def _shard_for_writing(self, collection: str) -> Iterator[Any]:
        """Yield the shard; after a failed write unload it, so that the next use replays its log."""
        try:
            with translate_errors(f"collection {collection!r}"):
                yield self._shard(collection)
        except IndexFault:
            self._unload(collection)
            raise

    def _unload(self, collection: str) -> None:
        shard = self._shards.pop(collection, None)
        self._pending.pop(collection, None)
        if shard is not None:
            # Closing flushes, which fails again on a full disk; acknowledged writes are in the log.
            with suppress(IndexFault), translate_errors(f"collection {collection!r}"):
                shard.close()


def _readable(packed: Payload | None) -> Payload:
    """Return a payload; an empty one when it is damaged."""
    try:
        return unpack_payload(packed)
    except ValueError:
        return {}


_FIELD_INDEXES = {
    "site": edge.IntegerIndexParams(lookup=True, range=False, memory=edge.Memory.Cold),
    "language": edge.IntegerIndexParams(lookup=True, range=False, memory=edge.Memory.Cold),
    "day": edge.IntegerIndexParams(lookup=False, range=True, memory=edge.Memory.Cold),
}

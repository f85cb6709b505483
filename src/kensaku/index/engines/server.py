"""The server engine: collections on a Qdrant server or cluster (extra `qdrant`).

Terms travel as sparse vectors and the server multiplies by IDF, as the embedded engine does, so
both rank alike. Collections are called `<prefix><name>`. Other applications may use the server;
`foreign.py` searches their collections.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

from kensaku.errors import IndexFault, KensakuError, MissingExtra, UnknownName
from kensaku.index.engines.base import (
    DENSE,
    META_ID,
    WORDS,
    Entry,
    EntryFilter,
    Payload,
    ScoredEntry,
)
from kensaku.index.engines.foreign import ForeignCollections
from kensaku.index.errors import to_index_fault
from kensaku.index.payload import GUESS, PayloadFields
from kensaku.messages import msg
from kensaku.text.collection_names import check_collection_name

TIMEOUT = 60  # seconds for one request
MEMORY = ":memory:"


class ServerEngine:
    """The collections with our prefix on one server."""

    def __init__(
        self,
        url: str,
        *,
        api_key: str | None = None,
        prefix: str = "kensaku-",
        fields: PayloadFields = GUESS,
    ) -> None:
        try:
            import qdrant_client
        except ImportError as error:
            raise MissingExtra("qdrant-client", "qdrant") from error
        self._models: Any = qdrant_client.models
        self._prefix = prefix
        self._memory = url == MEMORY
        with self._translate_errors("the Qdrant server"):
            self._client: Any = (
                qdrant_client.QdrantClient(MEMORY)
                if self._memory
                else qdrant_client.QdrantClient(
                    url=url, api_key=api_key, timeout=TIMEOUT, check_compatibility=False
                )
            )
        self.foreign = ForeignCollections(self._client, self._translate_errors, prefix, fields)

    def collections(self) -> list[str]:
        with self._translate_errors("the Qdrant server"):
            names = [c.name for c in self._client.get_collections().collections]
        return sorted(n.removeprefix(self._prefix) for n in names if n.startswith(self._prefix))

    def create(self, collection: str, dimensions: int | None) -> None:
        m = self._models
        name = self._prefix + check_collection_name(collection)
        with self._translate_errors(collection):
            self._client.create_collection(
                name,
                vectors_config={DENSE: self._dense(dimensions)} if dimensions else {},
                sparse_vectors_config={
                    WORDS: m.SparseVectorParams(
                        modifier=m.Modifier.IDF,
                        index=m.SparseIndexParams(on_disk=True, datatype=m.Datatype.FLOAT16),
                    )
                },
                on_disk_payload=True,
            )
            if not self._memory:  # the client warns that they have no effect there
                for field, kind in _FIELD_INDEXES.items():
                    self._client.create_payload_index(name, field, m.PayloadSchemaType(kind))

    def add_vectors(self, collection: str, dimensions: int) -> None:
        raise IndexFault(
            msg(
                "collection {collection!r} on the server has no room for vectors",
                collection=collection,
            ),
            remedy=msg("export it, drop it, and import it with the embedding model set"),
        )

    def write(
        self,
        collection: str,
        entries: Sequence[Entry],
        remove: Sequence[str] = (),
        *,
        flush: bool = True,
    ) -> None:
        m = self._models
        name = self._name(collection)
        with self._translate_errors(collection):
            if entries:
                points = [
                    m.PointStruct(id=_uuid(e.id), vector=self._vectors(e), payload=e.payload)
                    for e in entries
                ]
                self._client.upsert(name, points, wait=True)
            if remove:
                removed = m.PointIdsList(points=[_uuid(i) for i in remove])
                self._client.delete(name, removed, wait=True)

    def update_weights(self, collection: str, entries: Sequence[Entry]) -> None:
        m = self._models
        points = [m.PointVectors(id=_uuid(e.id), vector=self._vectors(e)) for e in entries]
        with self._translate_errors(collection):
            self._client.update_vectors(self._name(collection), points, wait=True)

    def get(
        self, collection: str, ids: Sequence[str], fields: Sequence[str] | None = None
    ) -> dict[str, Payload]:
        payload = True if fields is None else list(fields)
        with self._translate_errors(collection):
            records = self._client.retrieve(
                self._name(collection), [_uuid(i) for i in ids], with_payload=payload
            )
        return {_hex(r.id): r.payload or {} for r in records}

    def search_terms(
        self, collection: str, terms: Mapping[int, float], limit: int, condition: EntryFilter
    ) -> list[ScoredEntry]:
        query = self._models.SparseVector(indices=list(terms), values=list(terms.values()))
        return self._query(collection, query, WORDS, limit, condition)

    def term_idf(self, collection: str, terms: Sequence[int]) -> dict[int, float]:
        m = self._models
        requests = [
            m.QueryRequest(
                query=m.SparseVector(indices=[term], values=[1.0]),
                using=WORDS,
                limit=1,
                with_vector=[WORDS],
            )
            for term in terms
        ]
        with self._translate_errors(collection):
            replies = self._client.query_batch_points(self._name(collection), requests)
        found: dict[int, float] = {}
        for term, reply in zip(terms, replies, strict=True):
            for point in reply.points:
                stored = point.vector[WORDS]
                found[term] = point.score / stored.values[stored.indices.index(term)]
        return found

    def search_vector(
        self, collection: str, vector: Sequence[float], limit: int, condition: EntryFilter
    ) -> list[ScoredEntry]:
        return self._query(collection, list(vector), DENSE, limit, condition)

    def get_vectors(self, collection: str, ids: Sequence[str]) -> dict[str, Sequence[float]]:
        with self._translate_errors(collection):
            records = self._client.retrieve(
                self._name(collection),
                [_uuid(i) for i in ids],
                with_payload=False,
                with_vectors=[DENSE],
            )
        return {_hex(r.id): r.vector[DENSE] for r in records if r.vector and DENSE in r.vector}

    def scroll(
        self, collection: str, after: str | None, limit: int
    ) -> tuple[list[tuple[str, Payload]], str | None]:
        with self._translate_errors(collection):
            records, more = self._client.scroll(
                self._name(collection), limit=limit, offset=after and _uuid(after)
            )
        page = [(_hex(r.id), r.payload or {}) for r in records if _hex(r.id) != META_ID]
        return page, _hex(more) if more is not None else None

    def count_passages(self, collection: str) -> int:
        with self._translate_errors(collection):
            everything = int(self._client.count(self._name(collection), exact=True).count)
        return everything - (META_ID in self.get(collection, [META_ID], ["format"]))

    def count_documents(self, collection: str) -> int:
        m = self._models
        heads = m.Filter(must=[m.IsEmptyCondition(is_empty=m.PayloadField(key="part"))])
        with self._translate_errors(collection):
            found = self._client.count(self._name(collection), count_filter=heads, exact=True)
        return int(found.count)

    def disk_bytes(self, collection: str) -> int | None:
        return None

    def optimize(self, collection: str) -> None:
        """Only check the name: a server optimises by itself."""
        self._name(collection)

    def snapshot(self, directory: Path) -> None:
        raise IndexFault(
            msg("a server's collections cannot be copied to a directory"),
            remedy=msg("use the server's own snapshots, or export to a file"),
        )

    def drop(self, collection: str) -> None:
        with self._translate_errors(collection):
            self._client.delete_collection(self._name(collection))

    def close(self) -> None:
        self._client.close()

    def _name(self, collection: str) -> str:
        return self._prefix + check_collection_name(collection)

    def _dense(self, dimensions: int) -> Any:
        m = self._models
        return m.VectorParams(
            size=dimensions,
            distance=m.Distance.COSINE,
            datatype=m.Datatype.FLOAT16,
            on_disk=True,
        )

    def _vectors(self, entry: Entry) -> dict[str, Any]:
        vectors: dict[str, Any] = {}
        if entry.terms:
            vectors[WORDS] = self._models.SparseVector(
                indices=list(entry.terms), values=list(entry.weights)
            )
        if entry.vector is not None:
            vectors[DENSE] = list(entry.vector)
        return vectors

    def _query(
        self, collection: str, query: Any, using: str, limit: int, condition: EntryFilter
    ) -> list[ScoredEntry]:
        with self._translate_errors(collection):
            reply = self._client.query_points(
                self._name(collection),
                query=query,
                using=using,
                limit=limit,
                query_filter=self._filter(condition),
                with_payload=False,
            )
        return [ScoredEntry(_hex(p.id), p.score) for p in reply.points]

    def _filter(self, condition: EntryFilter) -> Any:
        if not condition:
            return None
        m = self._models
        must: list[Any] = []
        if condition.sites:
            must.append(m.FieldCondition(key="site", match=m.MatchAny(any=list(condition.sites))))
        if condition.language:
            must.append(
                m.FieldCondition(key="language", match=m.MatchValue(value=condition.language))
            )
        if condition.first_day is not None or condition.last_day is not None:
            days = m.Range(gte=condition.first_day, lte=condition.last_day)
            must.append(m.FieldCondition(key="day", range=days))
        if condition.ids is not None:
            must.append(m.HasIdCondition(has_id=[_uuid(i) for i in condition.ids]))
        excluded = [m.FieldCondition(key="site", match=m.MatchAny(any=list(condition.not_sites)))]
        return m.Filter(must=must or None, must_not=excluded if condition.not_sites else None)

    @contextmanager
    def _translate_errors(self, collection: str) -> Iterator[None]:
        try:
            yield
        except KensakuError:
            raise
        except Exception as error:
            text = str(error).lower()
            if "not found" in text or "doesn't exist" in text:
                raise UnknownName(msg("collection"), collection, self.collections()) from error
            if "dimension" in text:
                raise to_index_fault(error, f"collection {collection!r}") from error
            raise IndexFault(
                msg(
                    "the Qdrant server could not do it ({name}: {error})",
                    name=type(error).__name__,
                    error=str(error)[:200],
                ),
                remedy=msg("check its address, key and log"),
            ) from error


_FIELD_INDEXES = {"site": "keyword", "language": "keyword", "day": "integer"}


def _uuid(id: str) -> str:
    return str(UUID(hex=id))


def _hex(id: str) -> str:
    return UUID(id).hex

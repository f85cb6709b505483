"""`Index`: named collections of documents, searched by words and by meaning.

    async with Index(path) as index:
        await index.add([Document(url="…", title="…", text="…")], collection="docs")
        hits = await index.search("…", collections="docs", max_results=5)

    add:    documents → (embedding model) → worker process → passages → terms → engine
    search: text → (embedding model) → worker process → engine → fuse → hits

The engine runs in a worker process that all programs of the machine share (`worker/server.py`), or
on a Qdrant server when there is a `url`. Nothing here blocks the event loop.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from kensaku.errors import ConfigError, IndexFault, ProviderError
from kensaku.index.embed.models import open_model
from kensaku.index.namespace import NamespacedClient, stored_name
from kensaku.index.payload import GUESS, PayloadFields
from kensaku.index.request import SearchRequest, make_filters
from kensaku.index.results import (
    AddResult,
    CheckResult,
    CollectionStats,
    Hits,
    SearchResult,
    to_document,
    to_hit,
    to_passage,
)
from kensaku.index.worker.client import open_client
from kensaku.messages import msg
from kensaku.models import Document, Page, Passage, Progress, ProgressEvent
from kensaku.observe import NO_OBSERVERS, Observers, observe
from kensaku.operations import IndexOperation
from kensaku.text.collection_names import check_collection_name
from kensaku.text.passages import MAX_CHARS

if TYPE_CHECKING:
    from kensaku.index.embed.endpoints import PostJson
    from kensaku.index.embed.models import EmbeddingModel
    from kensaku.index.request import SearchMode
    from kensaku.index.worker.client import IndexClient
    from kensaku.store import Store

BATCH = 500  # documents that are written, and acknowledged, together …
BATCH_CHARS = 1_000_000  # … unless they are long
BATCH_EMBEDDED = 64  # a model takes seconds for so many
IDLE_TIMEOUT = 2.0  # seconds


class Index:
    """The local index: documents in named collections, in a directory or on a Qdrant server."""

    def __init__(
        self,
        path: str | Path | None = None,
        *,
        url: str | None = None,
        api_key: str | None = None,
        model: str | EmbeddingModel | None = None,
        model_key: str | None = None,
        post: PostJson | None = None,
        cache: Store | None = None,
        idle_timeout: float = IDLE_TIMEOUT,
        fields: PayloadFields = GUESS,
        observers: Observers = NO_OBSERVERS,
        tenant: str = "",
    ) -> None:
        """Use the index in the directory `path`, or on the Qdrant server at `url`.

        `model` is the name of an embedding model (`embed/models.py` lists them) or an object of
        your own; without one the index searches by words only. `post` sends the requests of a
        remote model, and `cache` keeps the vectors of passages it has read. `fields` says how to
        read what other applications store on the server; by default it is guessed. `tenant` is
        whose collections these are. The worker process exits when no program has used it for
        `idle_timeout` seconds. Nothing is opened until the first call.
        """
        if (path is None) == (url is None):
            raise ConfigError(msg("an index has a directory or a url, and not both"))
        self._path = None if path is None else Path(path).expanduser().absolute()
        self._url = url
        self._api_key = api_key
        self._model_name = model
        self._model_key = model_key
        self._post = post
        self._cache = cache
        self._idle_timeout = idle_timeout
        self._fields = fields
        self._observers = observers
        self._tenant = tenant
        self._shared = self

    def for_tenant(self, tenant: str) -> Self:
        """Return the collections of a tenant in the same index. Close this one, not that."""
        twin = copy.copy(self)
        twin._tenant, twin._shared = tenant, self
        return twin

    async def __aenter__(self) -> Index:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def add(
        self,
        documents: Iterable[Document | Page],
        collection: str = "default",
        *,
        progress: Progress | None = None,
    ) -> AddResult:
        """Add documents to a collection; create the collection when it does not exist.

        A document replaces the one with the same URL; one that is stored already, word for word,
        is left alone. Documents that `progress` reports as done survive a killed process; when
        `add` returns, all of them survive a power failure.
        """
        pending = [to_document(source) for source in documents]
        with observe(self._observers, IndexOperation, "add", collection) as operation:
            result = await self._add(pending, collection, progress)
            operation.record(len(pending))
        return result

    async def _add(
        self, pending: Sequence[Document], collection: str, progress: Progress | None
    ) -> AddResult:
        result = AddResult()
        done = 0
        for batch in _batches(pending, BATCH_EMBEDDED if self._model_name else BATCH):
            longer = _passage_chars(pending) / _passage_chars(batch) if not done else 1.0
            done += len(batch)
            last = done == len(pending)
            try:
                result += await self._add_batch(batch, collection, flush=last, longer=longer)
            except ProviderError as error:
                raise _not_embedded(error, result, len(pending), collection) from error
            if progress:
                progress(
                    ProgressEvent(
                        msg("indexing {collection}", collection=collection), done, len(pending)
                    )
                )
        return result

    async def search(
        self,
        text: str,
        *,
        collections: str | Iterable[str] | None = None,
        max_results: int = 10,
        include_domains: Iterable[str] = (),
        exclude_domains: Iterable[str] = (),
        start_date: date | str | None = None,
        end_date: date | str | None = None,
        language: str | None = None,
        mode: SearchMode | None = None,
        mmr: float | None = None,
        freshness: float | None = None,
        distinct: bool = False,
        include_raw_content: bool = False,
    ) -> Hits:
        """Return the best documents for `text`, each with its best passage as `content`.

        Without `collections`, search all of them; `notes` of the result names those that are
        damaged and were left out. `include_raw_content` adds the whole stored text.
        `mode` None searches by words and by meaning when the collection has vectors of the model,
        else by words. `mmr` (0..1) trades relevance for variety: 1 is relevance alone. `freshness`
        is the age in days at which a page counts a quarter less. Of documents with the same text,
        `distinct` returns one, which lists the others in `explain.copies`.

        Scores are in 0..1 and order the hits of one search; they are no probabilities. By words
        the score is b / (b + 10) for a BM25 score b. In a hybrid search it is the fused rank (0..1
        among the candidates) times the strength of the best match on either side. A document whose
        whole title is in the query is lifted by a fifth of what it lacks to 1.
        """
        filters = make_filters(include_domains, exclude_domains, start_date, end_date, language)
        request = SearchRequest(
            text,
            collections=_names(collections),
            max_results=max_results,
            filters=filters,
            mode=mode,
            mmr=mmr,
            freshness=freshness,
            distinct=distinct,
            include_document=include_raw_content,
        )
        found = await self._search(request)
        hits = (to_hit(row, rank) for rank, row in enumerate(found["rows"], 1))
        return Hits(hits, found["notes"])

    async def passages(
        self,
        text: str,
        *,
        collections: str | Iterable[str] | None = None,
        max_results: int = 10,
        include_domains: Iterable[str] = (),
        exclude_domains: Iterable[str] = (),
        start_date: date | str | None = None,
        end_date: date | str | None = None,
        language: str | None = None,
        mode: SearchMode | None = None,
        mmr: float | None = None,
    ) -> list[Passage]:
        """Return the best passages for `text`; several may be of one document.

        The parameters are those of `search`.
        """
        filters = make_filters(include_domains, exclude_domains, start_date, end_date, language)
        request = SearchRequest(
            text,
            collections=_names(collections),
            max_results=max_results,
            filters=filters,
            mode=mode,
            mmr=mmr,
            by_passage=True,
        )
        return [to_passage(row) for row in (await self._search(request))["rows"]]

    async def get(self, url: str, collection: str | None = None) -> Document | None:
        """Return the document with this URL, of a collection or of the first that has it."""
        for name in [collection] if collection else await self.collections():
            if (found := await self._client.call("get", collection=name, url=url)) is not None:
                return Document.from_dict(found)
        return None

    async def delete(self, urls: str | Iterable[str], collection: str = "default") -> int:
        """Delete documents by URL; return how many there were."""
        wanted = [urls] if isinstance(urls, str) else list(urls)
        with observe(self._observers, IndexOperation, "delete", collection) as operation:
            deleted = int(await self._client.call("delete", collection=collection, urls=wanted))
            operation.record(deleted)
        return deleted

    async def collections(self) -> list[str]:
        """Return the names of all collections."""
        return list(await self._client.call("collections"))

    async def foreign_collections(self) -> list[str]:
        """Return the names of other applications' collections on the same Qdrant server.

        They are searched when a search names them, by the vectors of the embedding model, and
        never written to.
        """
        return list(await self._client.call("foreign"))

    async def stats(self) -> dict[str, CollectionStats]:
        """Return counts, languages, embedding model and problem of each collection."""
        return dict(await self._client.call("stats"))

    async def check(self, collection: str | None = None) -> dict[str, CheckResult]:
        """Read a collection, or all, and compare every document with what was stored."""
        return dict(await self._client.call("check", collection=collection))

    async def optimize(self, collection: str | None = None) -> None:
        """Reorganise a collection, or all, for faster search after many documents were added.

        The engine does it by itself every 20,000 passages.
        """
        await self._client.call("optimize", collection=collection)

    async def export_jsonl(
        self,
        path: str | Path,
        collection: str | None = None,
        *,
        salvage: Callable[[str], None] | None = None,
    ) -> int:
        """Write the documents of a collection, or of all, to a JSONL file; return how many.

        The file appears when it is complete. A damaged document is an error; with `salvage` it is
        left out, and `salvage` is called with its address. A collection that does not open is
        then read from its files, and `salvage` is called with what is wrong with it.
        """
        from kensaku.index.jsonl import export_jsonl

        return await export_jsonl(self._client, Path(path), collection, salvage, self._shard)

    async def import_jsonl(
        self, path: str | Path, collection: str | None = None, *, progress: Progress | None = None
    ) -> AddResult:
        """Add the documents of a JSONL file to `collection`, or to the collections it names."""
        from kensaku.index.jsonl import import_jsonl

        return await import_jsonl(self, Path(path), collection, progress)

    async def snapshot(self, directory: str | Path) -> None:
        """Copy the index to an empty directory, which `Index(directory)` opens."""
        await self._client.call("snapshot", directory=_absolute(directory))

    async def drop(self, collection: str) -> None:
        """Delete a collection with all its documents."""
        await self._client.call("drop", collection=collection)

    async def close(self) -> None:
        """Disconnect from the worker. The next call connects again."""
        if self._shared is not self:
            return
        client: IndexClient | None = self.__dict__.pop("_worker", None)
        if client is not None:
            await client.close()

    @property
    def _client(self) -> NamespacedClient:
        return NamespacedClient(self._shared._worker, self._tenant)

    @cached_property
    def _worker(self) -> IndexClient:
        return open_client(self._path, self._url, self._api_key, self._idle_timeout, self._fields)

    @cached_property
    def _model(self) -> EmbeddingModel | None:
        name = self._model_name or None
        if not isinstance(name, str):
            return name
        return open_model(name, post=self._post, key=self._model_key)

    def _shard(self, collection: str) -> Path | None:
        """Return where the files of a collection are; None on a server."""
        if self._path is None:
            return None
        stored = stored_name(collection, self._tenant)
        return self._path / "collections" / check_collection_name(stored)

    async def _add_batch(
        self, batch: Sequence[Document], collection: str, *, flush: bool, longer: float
    ) -> AddResult:
        embeddings: dict[str, Any] = {}
        if self._model is not None:
            from kensaku.index.embed.vectors import embed_documents

            embeddings = await embed_documents(
                self._client, self._model, batch, collection, self._cache
            )
        plain = [asdict(d) if d.metadata else _plain(d) for d in batch]
        counts = await self._client.call(
            "add",
            collection=collection,
            documents=plain,
            flush=flush,
            longer=longer,
            **embeddings,
        )
        return AddResult(**counts)

    async def _search(self, request: SearchRequest) -> SearchResult:
        where = ",".join(request.collections or ())
        with observe(self._observers, IndexOperation, "search", where, request.text) as operation:
            model, notes = self._model, list[str]()
            if model is not None:
                from kensaku.index.embed.vectors import embed_query

                # Collections of other applications are searched by vector in every language.
                needed = self._url is not None and request.collections is not None
                request, notes = await embed_query(request, model, needed=needed)
            found: SearchResult = await self._client.call("search", request=request.to_wire())
            found["notes"] = [*notes, *found["notes"]]
            operation.record(len(found["rows"]))
        return found


def _not_embedded(
    error: ProviderError, result: AddResult, count: int, collection: str
) -> IndexFault:
    return IndexFault(
        msg(
            "the embedding model failed ({why}); {done:,} of {count:,} documents are in collection "
            "{collection!r}",
            why=error.message,
            done=result.total,
            count=count,
            collection=collection,
        ),
        remedy=error.remedy
        or msg("add them again when it answers: what is embedded is not embedded again"),
    )


def _passage_chars(documents: Sequence[Document]) -> float:
    """Estimate the average length of the passages of documents, without splitting them."""
    chars = [len(d.text) + 1 for d in documents]
    return sum(chars) / sum(-(-n // MAX_CHARS) for n in chars)


def _names(collections: str | Iterable[str] | None) -> tuple[str, ...] | None:
    if collections is None:
        return None
    return (collections,) if isinstance(collections, str) else tuple(collections)


def _absolute(path: str | Path) -> str:
    return os.path.abspath(path)  # the worker may have another working directory


def _plain(document: Document) -> dict[str, Any]:
    # What `asdict` does, without its deep copies: it took as long as tokenising.
    return {name: getattr(document, name) for name in document.__slots__ if name != "metadata"}


def _batches(documents: Sequence[Document], size: int) -> Iterable[list[Document]]:
    batch: list[Document] = []
    chars = 0
    for document in documents:
        batch.append(document)
        chars += len(document.text)
        if len(batch) >= size or chars >= BATCH_CHARS:
            yield batch
            batch, chars = [], 0
    if batch:
        yield batch

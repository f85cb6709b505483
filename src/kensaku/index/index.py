"""The local index: documents in, hits out, without a network.

    async with Index(path) as index:
        await index.add([Document(url="…", title="…", text="…")], collection="docs")
        hits = await index.search("…", collections="docs", limit=5)

    add:    documents → (embedding model) → worker process → passages → terms → engine
    search: text → (embedding model) → worker process → engine → fuse → hits

The engine lives in a worker process that all programs of the machine share (`worker.py`), or on a
Qdrant server when there is a `url`. Nothing here blocks the event loop.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from kensaku.errors import ConfigError
from kensaku.index.filters import check, where
from kensaku.index.results import Added, as_document, as_hit, as_passage
from kensaku.models import Document, Hit, Page, Passage

if TYPE_CHECKING:
    from kensaku.index.embed.models import Model, Post
    from kensaku.index.worker.client import Line

__all__ = ["Added", "Index"]

BATCH = 500  # documents that are written, and acknowledged, together …
BATCH_CHARS = 1_000_000  # … unless they are long
BATCH_EMBEDDED = 64  # a model takes seconds for so many
LINGER = 2.0  # seconds that the worker waits for the next program

Progress = Callable[[int, int], None]  # documents done, documents in all
Mode = Literal["lexical", "hybrid", "dense"]
Names = Sequence[str] | str | None


class Index:
    """Named collections of documents, searched by words and by meaning."""

    def __init__(
        self,
        path: str | Path | None = None,
        *,
        url: str | None = None,
        api_key: str | None = None,
        model: str | Model | None = None,
        model_key: str | None = None,
        post: Post | None = None,
        linger: float = LINGER,
    ) -> None:
        """An index in the directory `path`, or on the Qdrant server at `url`.

        `model` is the name of an embedding model (`embed.py` lists them), or one of your own;
        without it the index goes by words. `post` sends the requests of a remote model.
        Nothing is opened until it is used.
        """
        if (path is None) == (url is None):
            raise ConfigError("an index has a directory or a url, and not both")
        self._path = None if path is None else Path(path).expanduser().absolute()
        self._url = url
        self._api_key = api_key
        self._model_name = model
        self._model_key = model_key
        self._post = post
        self._linger = linger
        self._line_: Line | None = None
        self._model_: Model | None = None

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
    ) -> Added:
        """Put documents into a collection, which is made when it is not there.

        A document replaces the one with the same address; one that is there already, word for
        word, is left alone. What `progress` reports as done survives the end of the process; when
        `add` returns, all of it survives the end of power.
        """
        todo = [as_document(given) for given in documents]
        total = Added()
        seen = 0
        for batch in _batches(todo, BATCH_EMBEDDED if self._model_name else BATCH):
            seen += len(batch)
            total += await self._add(batch, collection, flush=seen == len(todo))
            if progress:
                progress(seen, len(todo))
        return total

    async def search(
        self,
        text: str,
        *,
        collections: Names = None,
        limit: int = 10,
        include_domains: Sequence[str] = (),
        exclude_domains: Sequence[str] = (),
        start_date: date | str | None = None,
        end_date: date | str | None = None,
        language: str | None = None,
        mode: Mode | None = None,
        mmr: float | None = None,
        freshness: float | None = None,
    ) -> list[Hit]:
        """The best documents for `text`, each with its best passage as `content`.

        `mode` None searches by words and by meaning when the collection has vectors of the
        model, else by words. `mmr` (0..1) trades relevance for variety: 1 is relevance alone.
        `freshness` is the age in days at which a page counts a quarter less.

        Scores are in 0..1 and order the hits of one search; they are no probabilities. By words
        it is b / (b + 10) for a BM25 score b. In a hybrid search it is the fused rank (0..1 among
        the candidates) times the strength of the best match on either side. A document whose
        whole title is in the query is lifted by a fifth of what it lacks to 1.
        """
        found = await self._search(
            text,
            collections,
            limit,
            mode=mode,
            mmr=mmr,
            freshness=freshness,
            where=where(include_domains, exclude_domains, start_date, end_date, language),
        )
        return [as_hit(result, rank) for rank, result in enumerate(found, 1)]

    async def passages(
        self,
        text: str,
        *,
        collections: Names = None,
        limit: int = 10,
        include_domains: Sequence[str] = (),
        exclude_domains: Sequence[str] = (),
        start_date: date | str | None = None,
        end_date: date | str | None = None,
        language: str | None = None,
        mode: Mode | None = None,
        mmr: float | None = None,
    ) -> list[Passage]:
        """The best passages for `text`: several of one document may be among them."""
        found = await self._search(
            text,
            collections,
            limit,
            mode=mode,
            mmr=mmr,
            by_passage=True,
            where=where(include_domains, exclude_domains, start_date, end_date, language),
        )
        return [as_passage(result) for result in found]

    async def delete(self, urls: Iterable[str], collection: str = "default") -> int:
        """Remove documents by address; how many there were."""
        wanted = [urls] if isinstance(urls, str) else list(urls)
        return int(await self._line().call("delete", collection=collection, urls=wanted))

    async def collections(self) -> list[str]:
        """The names of all collections."""
        return list(await self._line().call("collections"))

    async def stats(self) -> dict[str, dict[str, Any]]:
        """For each collection: documents, passages, languages, model, terms per passage."""
        return dict(await self._line().call("stats"))

    async def optimize(self, collection: str | None = None) -> None:
        """Reorganise for speed after much was added. It happens by itself every 20,000 passages."""
        await self._line().call("optimize", collection=collection)

    async def export(self, path: str | Path, collection: str | None = None) -> int:
        """Write documents to a JSONL file, whole; how many. It appears when it is complete."""
        from kensaku.index.jsonl import export

        return await export(self, self._line(), Path(path), collection)

    async def import_(
        self, path: str | Path, collection: str | None = None, *, progress: Progress | None = None
    ) -> Added:
        """Add the documents of a JSONL file, to `collection` or to those it names."""
        from kensaku.index.jsonl import import_

        return await import_(self, Path(path), collection, progress)

    async def snapshot(self, directory: str | Path) -> None:
        """Copy the index to an empty directory, which `Index(directory)` opens."""
        await self._line().call("snapshot", directory=_absolute(directory))

    async def drop(self, collection: str) -> None:
        """Remove a collection and all that is in it."""
        await self._line().call("drop", collection=collection)

    async def close(self) -> None:
        """Let go of the index. It opens again when it is used again."""
        if self._line_ is not None:
            await self._line_.close()
            self._line_ = None

    async def _add(self, batch: Sequence[Document], collection: str, *, flush: bool) -> Added:
        line = self._line()
        given: dict[str, Any] = {}
        model = self._model()
        if model is not None:
            from kensaku.index.embed.vectors import embedded

            given = await embedded(line, model, batch, collection)
        plain = [asdict(d) if d.metadata else _plain(d) for d in batch]
        counts = await line.call(
            "add", collection=collection, documents=plain, flush=flush, **given
        )
        return Added(**counts)

    async def _search(
        self, text: str, collections: Names, limit: int, **given: Any
    ) -> list[dict[str, Any]]:
        check(text, limit, given["mmr"])
        names = [collections] if isinstance(collections, str) else collections
        vector, trust, model = None, 0.0, self._model()
        if model is not None and given["mode"] != "lexical":
            from kensaku.index.languages import guess_language
            from kensaku.index.worker.dispatch import pack

            trust = model.trust(guess_language(text))
            if trust > 0 or given["mode"] is not None:
                vector = pack(await model.query(text))
        found: list[dict[str, Any]] = await self._line().call(
            "search",
            text=text,
            collections=None if names is None else list(names),
            limit=limit,
            vector=vector,
            trust=trust,
            model=model.name if model else "",
            **given,
        )
        return found

    def _line(self) -> Line:
        if self._line_ is None:
            from kensaku.index.worker.client import open_line

            self._line_ = open_line(self._path, self._url, self._api_key, self._linger)
        return self._line_

    def _model(self) -> Model | None:
        if self._model_ is None and self._model_name:
            from kensaku.index.embed.models import open_model

            named = self._model_name
            self._model_ = (
                open_model(named, post=self._post, key=self._model_key)
                if isinstance(named, str)
                else named
            )
        return self._model_


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

"""One batch of bulk indexing: records from a shard, made into documents, added to the index."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from kensaku.errors import FetchError
from kensaku.index.results import AddResult, to_document
from kensaku.jobs.sources import Address, Item, RawPage, Rejected, Shard, records_of
from kensaku.models import Document

if TYPE_CHECKING:
    from kensaku.client import Kensaku
    from kensaku.extract import ParsePool
    from kensaku.jobs.sources import Record
    from kensaku.models import Page

BATCH_RECORDS, BATCH_BYTES = 400, 8_000_000
BATCH_ADDRESSES = 20  # the most that one call of `extract` takes
EXAMPLES = 5  # of records that could not be used


class BatchReader:
    """Reads a shard from any record on; it goes on where it is when that is the one asked for."""

    def __init__(self, shard: Shard) -> None:
        self.shard = shard
        self._items: Iterator[Item] | None = None
        self._position = 0

    def read(self, position: int) -> tuple[list[Item], bool]:
        """Return the next records from `position` on, and whether they are the last."""
        if self._items is None or self._position != position:
            self.close()
            self._items = records_of(self.shard)
            next(islice(self._items, position, position), None)  # skips what was read before
        batch, size = list[Item](), 0
        most = BATCH_ADDRESSES if self.shard.format == "sitemap" else BATCH_RECORDS
        for item in self._items:
            batch.append(item)
            size += _size(item.record)
            if len(batch) >= most or size >= BATCH_BYTES:
                self._position = position + len(batch)
                return batch, False
        self.close()
        return batch, True

    def close(self) -> None:
        """Close the file."""
        if self._items is not None:
            self._items.close()  # type: ignore[attr-defined]
        self._items = None


class Ingest:
    """Adds batches to one collection."""

    def __init__(self, client: Kensaku, parser: ParsePool, collection: str) -> None:
        self._client, self._parser, self._collection = client, parser, collection

    async def batch(self, reader: BatchReader, position: int) -> dict[str, Any]:
        """Index the records from `position` on; return counts and the next position, as JSON."""
        try:
            items, end = await asyncio.to_thread(reader.read, position)
            made = await self._documents([item.record for item in items])
            documents = [one for one in made if isinstance(one, Document)]
            rejected = [one for one in made if isinstance(one, Rejected)]
            added = AddResult()
            if documents:
                added = await self._client.index.add(documents, collection=self._collection)
        except BaseException:
            await asyncio.to_thread(reader.close)  # the next attempt begins at `position` again
            raise
        return {
            "position": position + len(items),
            "end": end,
            "done": reader.shard.size if end else items[-1].done,
            "documents": len(documents),
            "added": added.added,
            "updated": added.updated,
            "unchanged": added.unchanged,
            "rejected": len(rejected),
            "reasons": dict(Counter(r.reason for r in rejected)),
            "examples": [{"where": r.where[:300], "why": r.reason} for r in rejected[:EXAMPLES]],
        }

    async def _documents(self, records: list[Record]) -> list[Document | Rejected]:
        addresses = [record.url for record in records if isinstance(record, Address)]
        if addresses:
            return await self._fetch(addresses)
        return list(await asyncio.gather(*map(self._document, records)))

    async def _document(self, record: Record) -> Document | Rejected:
        if not isinstance(record, RawPage):
            assert isinstance(record, Document | Rejected)
            return record
        try:
            page = await self._parser.extract(record.data, record.url, record.content_type)
        except FetchError as error:
            return Rejected(f"not extracted ({type(error).__name__})", record.url)
        return _from_page(replace(page, url=record.url, canonical_url=""), record.url)

    async def _fetch(self, addresses: list[str]) -> list[Document | Rejected]:
        extraction = await self._client.extract(addresses)
        made: list[Document | Rejected] = [_from_page(p, p.url) for p in extraction.results]
        made += [
            Rejected(f"not fetched ({type(error).__name__})", url)
            for url, error in extraction.failed
        ]
        return made


def _from_page(page: Page, where: str) -> Document | Rejected:
    if page.needs_browser or not page.text.strip():
        return Rejected("without text", where)
    document = to_document(page)
    if document.title or not where.startswith("file:"):
        return document
    return replace(document, title=where.rpartition("/")[2])


def _size(record: Record) -> int:
    if isinstance(record, RawPage):
        return len(record.data)
    return len(record.text) if isinstance(record, Document) else 0

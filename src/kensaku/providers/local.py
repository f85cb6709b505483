"""The local index: what was added, crawled or fetched before. No key, no network.

An empty index is filled on first use with `pydocs`, the documentation of this very Python, so
that the first search on a fresh machine finds something.
"""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from kensaku.models import LOCAL
from kensaku.models.query import date_window
from kensaku.providers.base import Findings, Provider, Transport

if TYPE_CHECKING:
    from kensaku.models import Query
    from kensaku.resources import Resources


class Local(Provider):
    name = LOCAL
    label = "Local index"
    markup = False
    filters = frozenset({"dates", "domains", "language"})
    family = LOCAL
    is_web = needs_address = cacheable = False
    reads_pages = True  # they are in the index
    _resources: Resources
    _preparing: asyncio.Future[None] | None = None
    _prepared = False  # there is something to search in

    def attach(self, resources: Resources) -> None:
        self._resources = resources

    async def ask(self, query: Query, key: str, http: Transport) -> Findings:
        if query.collection in (None, "pydocs"):
            await self.prepare()
        first, last = date_window(query, datetime.now(UTC).date())
        hits = await self._resources.index.search(
            query.text,
            collections=query.collection,
            max_results=query.max_results,
            include_domains=query.include_domains,
            exclude_domains=query.exclude_domains,
            start_date=first,
            end_date=last,
            language=query.language,
            include_raw_content=query.include_raw_content,
        )
        return Findings(hits, notes=hits.notes)

    async def prepare(self) -> None:
        """Build the starter collection when there is nothing to search in."""
        if self._prepared:
            return
        if self._resources.shared is not None:  # one for all tenants that have nothing of their own
            if not await self._resources.index.collections():
                shared = self._resources.shared.provider(self.name)
                assert isinstance(shared, Local)
                await shared.prepare()
            self._prepared = True
        else:
            # Shielded: a deadline ends the waiting, and the next search finds the work done.
            self._preparing = self._preparing or asyncio.ensure_future(self._prepare())
            await asyncio.shield(self._preparing)

    async def close(self) -> None:
        if self._preparing is not None:
            self._preparing.cancel()
            await asyncio.gather(self._preparing, return_exceptions=True)

    async def _prepare(self) -> None:
        from kensaku.index.pydocs import build

        try:
            index = self._resources.index
            # A server that holds other applications' data is not filled unasked.
            if not (await index.collections() or await index.foreign_collections()):
                await build(index, progress=self._resources.progress)
            self._prepared = True
        finally:
            self._preparing = None

"""The local index: what was added, crawled or fetched before. No key, no network.

An empty index is filled on first use with `pydocs`, the documentation of this very Python, so
that the first search on a fresh machine finds something.
"""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from kensaku.providers.base import Findings, Provider, Transport
from kensaku.search.query import window

if TYPE_CHECKING:
    from kensaku.client import Kensaku
    from kensaku.models import ProgressEvent, Query


class Local(Provider):
    name = "local"
    label = "Local index"
    filters = frozenset({"dates", "domains", "language"})
    family = "local"
    _client: Kensaku
    _preparing: asyncio.Future[None] | None = None
    _prepared = False  # there is something to search in

    def attach(self, client: Kensaku) -> None:
        self._client = client

    async def ask(self, query: Query, key: str, http: Transport) -> Findings:
        if not self._prepared and query.collection in (None, "pydocs"):
            # Shielded: a deadline ends the waiting, and the next search finds the work done.
            self._preparing = self._preparing or asyncio.ensure_future(self._prepare())
            await asyncio.shield(self._preparing)
        first, last = window(query, datetime.now(UTC).date())
        hits = await self._client.index.search(
            query.text,
            collections=query.collection,
            max_results=query.limit,
            include_domains=query.include_domains,
            exclude_domains=query.exclude_domains,
            start_date=first,
            end_date=last,
            language=query.language,
        )
        return Findings(hits)

    async def finish(self) -> bool:
        """Wait for the starter collection when it is being built; whether it was."""
        if self._preparing is None:
            return False
        await asyncio.shield(self._preparing)
        return True

    async def close(self) -> None:
        if self._preparing is not None:
            self._preparing.cancel()
            await asyncio.gather(self._preparing, return_exceptions=True)

    async def _prepare(self) -> None:
        from kensaku.index.pydocs import build

        def tell(event: ProgressEvent) -> None:
            if self._client.progress is not None:
                self._client.progress(event.stage, event.done, event.total or 0)

        try:
            if not await self._client.index.collections():
                await build(self._client.index, progress=tell)
            self._prepared = True
        finally:
            self._preparing = None

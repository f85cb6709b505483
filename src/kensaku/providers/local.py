"""The local index: what was added, crawled or fetched before. No key, no network.

An empty index is filled on first use with `pydocs`, the documentation of this very Python, so
that the first search on a fresh machine finds something.
"""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from kensaku.providers.base import Findings, Provider, Transport
from kensaku.query import window

if TYPE_CHECKING:
    from kensaku.client import Kensaku
    from kensaku.models import Query


class Local(Provider):
    name = "local"
    label = "Local index"
    filters = frozenset({"dates", "domains", "language"})
    family = "local"
    _client: Kensaku
    _building: asyncio.Future[None] | None = None

    def attach(self, client: Kensaku) -> None:
        self._client = client

    async def ask(self, query: Query, key: str, http: Transport) -> Findings:
        index = self._client.index
        if query.collection in (None, "pydocs") and not await index.collections():
            # Shielded: a deadline ends the waiting, and the next search finds the work done.
            self._building = self._building or asyncio.ensure_future(self._build())
            await asyncio.shield(self._building)
        first, last = window(query, datetime.now(UTC).date())
        hits = await index.search(
            query.text,
            collections=query.collection,
            limit=query.limit,
            include_domains=query.include_domains,
            exclude_domains=query.exclude_domains,
            start_date=first,
            end_date=last,
            language=query.language,
        )
        return Findings(hits)

    async def finish(self) -> bool:
        """Wait for the starter collection when it is being built; whether it was."""
        if self._building is None:
            return False
        await asyncio.shield(self._building)
        return True

    async def _build(self) -> None:
        from kensaku.index.pydocs import build

        say = self._client.progress
        try:
            await build(
                self._client.index,
                progress=say and (lambda done, total: say("indexing pydocs", done, total)),
            )
        finally:
            self._building = None

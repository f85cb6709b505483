"""The local index: what was added, crawled or fetched before. No key, no network.

An empty index is filled on first use with `pydocs`, the documentation of this very Python, so
that the first search on a fresh machine finds something.
"""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from kensaku._shielded import shielded
from kensaku.errors import NotAsked, Timeout
from kensaku.models import LOCAL
from kensaku.models.query import date_window
from kensaku.providers.base import Findings, Provider, Transport

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from kensaku.models import Attempt, ProgressEvent, Query
    from kensaku.resources import Resources


COLLECTION = "pydocs"  # `index/pydocs.py` builds it


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
    _progress: float | None = None

    def attach(self, resources: Resources) -> None:
        self._resources = resources

    async def ask(self, query: Query, key: str, http: Transport) -> Findings:
        if query.collection in (None, COLLECTION):
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
            distinct=True,
            include_raw_content=query.include_raw_content,
        )
        return Findings(hits, notes=hits.notes)

    @property
    def preparing(self) -> float | None:
        """Which share of the starter collection is built, while it is built; else None."""
        shared = self._resources.shared
        if shared is not None:
            local = shared.provider(self.name)
            return local.preparing if isinstance(local, Local) else None
        return self._progress

    async def prepare(self, *, background: bool = False) -> None:
        """Build the starter collection when there is nothing to search in.

        `background`: nobody waits for it, so it leaves the processor to others.
        """
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
            if self._preparing is None:
                self._preparing = asyncio.ensure_future(self._prepare(background=background))
            await shielded(self._preparing)

    async def close(self) -> None:
        if self._preparing is not None:
            self._preparing.cancel()
            await asyncio.gather(self._preparing, return_exceptions=True)

    async def _prepare(self, *, background: bool) -> None:
        from kensaku.index.pydocs import build

        self._progress = 0.0
        try:
            if await self._is_needed():
                self._unfinished.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                self._unfinished.touch()
                await build(self._resources.index, progress=self._report, background=background)
                self._unfinished.unlink(missing_ok=True)
            self._prepared = True
        finally:
            self._preparing = self._progress = None

    async def _is_needed(self) -> bool:
        """Whether the index is empty, or a process ended while it filled it."""
        index = self._resources.index
        names = await index.collections()
        if names:
            return names == [COLLECTION] and self._unfinished.exists()
        # A server that holds other applications' data is not filled unasked.
        return not await index.foreign_collections()

    @property
    def _unfinished(self) -> Path:
        """A file that is there while the starter collection is not complete."""
        return self._resources.settings.home / "pydocs.unfinished"

    def _report(self, event: ProgressEvent) -> None:
        from kensaku.index.pydocs import READING

        share = event.done / event.total if event.total else 0.0
        self._progress = share / 2 if event.stage == READING else 0.5 + share / 2
        if self._resources.progress is not None:
            self._resources.progress(event)


def came_too_late(attempts: Iterable[Attempt]) -> bool:
    """Whether the deadline ended the attempt of the local index, or came before it."""
    errors = [a.error for a in attempts if a.provider == LOCAL]
    return bool(errors) and isinstance(errors[-1], Timeout | NotAsked)

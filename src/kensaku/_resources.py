"""What a client is made of: connections, stores, cache, index, budget, each made on first use.

Parts(settings) → http, store, cache, index, budget, reader() … → close()
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self
from weakref import WeakKeyDictionary

from kensaku.config.settings import Settings
from kensaku.errors import ConfigError, IndexFault
from kensaku.search.budget import Budget, RetryBudget
from kensaku.search.cache import Cache, Flights
from kensaku.store import FallbackStore, open_store

if TYPE_CHECKING:
    from kensaku.fetch import PageReader
    from kensaku.index import Index
    from kensaku.models import ProgressEvent
    from kensaku.providers.base import Provider
    from kensaku.search.limits import Gate
    from kensaku.testing import Cassette
    from kensaku.transport.http import HttpClient

Progress = Callable[[str, int, int], None]


class Parts:
    """What lives as long as the client does. Nothing is opened before it is needed."""

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        budget: Budget | None = None,
        cassette: Cassette | None = None,
        **arguments: Any,
    ) -> None:
        if settings is not None and arguments:
            raise ConfigError("give Settings, or single settings by their names, not both")
        self.settings = settings or Settings.load(**arguments)
        self.retries = RetryBudget(self.settings.retry_budget)
        self.hedges = RetryBudget(0.05, floor=2)
        self.flights = Flights()
        self.families: dict[str, str] = {}  # provider → whose index it resells
        self.progress: Progress | None = None  # told of long work: what, how much done, of how much
        self._cassette = cassette
        self._budget = budget
        self._gates: dict[str, Gate] = {}
        self._readers: WeakKeyDictionary[asyncio.AbstractEventLoop, PageReader] = (
            WeakKeyDictionary()
        )
        self._providers: dict[str, Provider] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def reader(self) -> PageReader:
        """The page reader of this event loop."""
        from kensaku.fetch import PageReader

        loop = asyncio.get_running_loop()
        if (reader := self._readers.get(loop)) is None:
            pages = self._cache_store if self.settings.cache_enabled else None
            reader = self._readers[loop] = PageReader.from_settings(self.settings, pages)
        return reader

    def report(self, event: ProgressEvent) -> None:
        """Pass a step of fetching on to `progress`."""
        if self.progress is not None:
            self.progress(event.stage, event.done, event.total or 0)

    async def close(self) -> None:
        """Close connections and files. Closing twice is fine."""
        for provider in self._providers.values():
            await provider.close()
        for reader in list(self._readers.values()):
            await reader.close()
        self._readers.clear()
        parts = self.__dict__  # only what was used was ever made
        for name in ("http", "store", "_cache_store", "index"):
            if (part := parts.pop(name, None)) is not None:
                await part.close()
        for name in ("cache", "budget"):  # they hold a store that is now closed
            parts.pop(name, None)
        self._gates.clear()
        self._providers.clear()

    @cached_property
    def http(self) -> HttpClient:
        """The pooled HTTP client."""
        from kensaku.transport.http import HttpClient

        return HttpClient(user_agent=self.settings.user_agent, proxy=self.settings.proxy or None)

    @cached_property
    def store(self) -> FallbackStore:
        """Where limits, cooldowns and budgets are shared with other processes."""
        # A refusal that is played back must not cool a real key.
        url = "memory:" if self._replays else self.settings.state_url
        return FallbackStore(open_store(url, self.settings.home, "state"))

    @cached_property
    def _cache_store(self) -> FallbackStore:
        return FallbackStore(open_store(self.settings.cache_url, self.settings.home, "cache"))

    @cached_property
    def cache(self) -> Cache:
        """What was found before."""
        s = self.settings
        return Cache(self._cache_store, s.cache_ttl, s.cache_stale, self.families)

    @cached_property
    def index(self) -> Index:
        """The local index."""
        from kensaku.index import Index

        s = self.settings
        return Index(
            s.home / "index",
            url=s.index_url or None,
            api_key=s.index_key.reveal() if s.index_key else None,
            model=s.index_model or None,
            model_key=s.index_model_key.reveal() if s.index_model_key else None,
            post=self._post,
        )

    @cached_property
    def budget(self) -> Budget:
        """What this client may spend: the one it was given, or the settings' shared one."""
        s = self.settings
        return self._budget or Budget(
            searches=s.budget_searches or None,
            money=s.budget_money or None,
            name=s.tenant or "default",
            period=s.budget_period,
            store=self.store if s.budget_searches or s.budget_money else None,
        )

    async def _post(self, url: str, body: Any, headers: Mapping[str, str]) -> Any:
        """How the index asks an embedding model that lives elsewhere."""
        from kensaku.providers.base import Request

        reply = await self.http.send(Request(url, headers=headers, json=body), "embeddings")
        if reply.status != 200:
            raise IndexFault(
                f"the embedding model answered {reply.status}", remedy="check index.model"
            )
        return reply.json()

    @property
    def _replays(self) -> bool:
        return self._cassette is not None and self._cassette.replays

"""What a client owns: connections, stores, cache, index, budget. Each is made on first use.

    Resources(settings) → http, store, cache, index, budget, provider(), limiter(), reader()

`Kensaku.resources` is the seam for what stands on a client: providers, tools, jobs, the server and
the command line. A program that only searches needs none of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import replace
from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from kensaku._single_flight import SingleFlight
from kensaku.errors import KeyRefused, Outage, ProviderError, RateLimited, Unreadable
from kensaku.messages import msg
from kensaku.observe import Observers
from kensaku.providers import provider_class
from kensaku.search.budget import Budget, RetryBudget
from kensaku.search.cache import Cache
from kensaku.search.limits import Limiter
from kensaku.store import FallbackStore, MemoryStore, open_store

if TYPE_CHECKING:
    from kensaku.config.settings import Settings
    from kensaku.fetch import PageReader
    from kensaku.fetch.gate import UrlGate
    from kensaku.index import Index
    from kensaku.models import Progress, Query
    from kensaku.models.calibration import Models
    from kensaku.observe import Observer
    from kensaku.providers.base import Findings, Provider
    from kensaku.search.planned import SearchPlan
    from kensaku.search.rerank import Reranker
    from kensaku.search.route import Route
    from kensaku.store import Store
    from kensaku.testing import Cassette
    from kensaku.transport.egress import Egress
    from kensaku.transport.http import HttpClient

EMBEDDINGS_BYTES = 500_000_000  # that cached vectors may take on the disk
MAX_PLANS = 128  # of searches that may come again


class Resources:
    """Lives as long as the client. Nothing is opened before it is needed."""

    def __init__(
        self,
        settings: Settings,
        *,
        budget: Budget | None = None,
        cassette: Cassette | None = None,
        progress: Progress | None = None,
        observers: Iterable[Observer] = (),
        shared: Resources | None = None,
    ) -> None:
        """`shared`: reuse its connections, stores, limits and workers; see `for_tenant`."""
        self.settings = settings
        self.progress = progress
        self.shared = shared
        self.observers: Observers = shared.observers if shared else Observers(observers)
        self.retries: RetryBudget = shared.retries if shared else RetryBudget(settings.retry_budget)
        self.hedges: RetryBudget = shared.hedges if shared else RetryBudget(0.05, floor=2)
        self.single_flight: SingleFlight = shared.single_flight if shared else SingleFlight()
        self._budget = budget
        self._cassette = cassette
        self._limiters: dict[str, Limiter] = {}
        self._providers: dict[str, Provider] = {}
        self._readers: WeakKeyDictionary[asyncio.AbstractEventLoop, PageReader] = (
            WeakKeyDictionary()
        )

    def for_tenant(self, tenant: str) -> Resources:
        """Resources of a tenant: its own cached responses and pages, budget and collections;
        connections, limits and workers are those of all. Close these, not those."""
        return Resources(
            replace(self.settings, tenant=tenant),
            cassette=self._cassette,
            progress=self.progress,
            shared=self,
        )

    def provider(self, name: str) -> Provider:
        """The provider of that name, as it is configured."""
        if (provider := self._providers.get(name)) is None:
            configured = self.settings.provider(name)
            provider = provider_class(name)(configured.base_url, configured.options)
            provider.attach(self)
            self._providers[name] = provider
        return provider

    def limiter(self, name: str) -> Limiter:
        """Keys, rate, cooldowns and circuit breaker of the provider of that name."""
        if self.shared:
            return self.shared.limiter(name)
        if (limiter := self._limiters.get(name)) is None:
            configured, cls = self.settings.provider(name), provider_class(name)
            # Replaying needs no key: nothing is sent.
            keyless = cls.keyless or self._replays
            usual_rate = cls.rate if configured.keys else cls.keyless_rate or cls.rate
            limiter = self._limiters[name] = Limiter(
                name,
                self.store,
                keys=configured.keys,
                key_variable=cls.key_variable,
                keyless=keyless,
                rate=configured.rate or usual_rate,
                rate_group=cls.rate_group,
            )
        return limiter

    def ask(self, provider: Provider, query: Query, key: str) -> Awaitable[Findings]:
        """Ask one provider over the network, or play the cassette."""
        if self._cassette is None:
            return provider.ask(query, key, self.http)
        answer: Awaitable[Findings] = self._cassette.ask(provider, query, key, self.http)
        return answer

    async def load_http(self, provider: Provider) -> None:
        """Load what sending to this provider needs."""
        if provider.base_url and not self._replays:
            await self.http.ready()

    def reader(self) -> PageReader:
        """The page reader of this event loop."""
        from kensaku.fetch import PageReader

        loop = asyncio.get_running_loop()
        if (reader := self._readers.get(loop)) is None and self.shared:
            reader = self.shared.reader().for_tenant(self.settings.tenant)
            self._readers[loop] = reader
        elif reader is None:
            pages = self._cache_store if self.settings.cache_enabled else None
            reader = PageReader.from_settings(self.settings, pages, self.observers)
            self._readers[loop] = reader
        return reader

    @cached_property
    def http(self) -> HttpClient:
        """The pooled HTTP client."""
        if self.shared:
            return self.shared.http
        from kensaku.transport.http import HttpClient

        s = self.settings
        return HttpClient(user_agent=s.user_agent, proxy=s.proxy or None, egress=self.egress)

    @cached_property
    def reranker(self) -> Reranker | None:
        """The reranker that the settings name."""
        from kensaku.search.rerank import Reranker

        return Reranker.from_settings(self.settings, self.http)

    @cached_property
    def planned(self) -> Callable[[Query, Route, bool | None], SearchPlan]:
        """Plan a search; recent plans are cached."""
        from kensaku.search.planned import make_plan

        return lru_cache(maxsize=MAX_PLANS)(partial(make_plan, self))

    @cached_property
    def egress(self) -> Egress:
        """Where connections may go."""
        from kensaku.transport.egress import Egress

        return Egress.from_words(self.settings.egress)

    @cached_property
    def gate(self) -> UrlGate | None:
        """Which pages may be read, when the settings restrict that."""
        from kensaku.fetch.gate import UrlGate

        return UrlGate() if self.settings.fetch_gate else None

    @cached_property
    def confidence_models(self) -> Models | None:
        """The models of `confidence.json` in KENSAKU_HOME; None for the shipped ones."""
        path = self.settings.home / "confidence.json"
        if not path.is_file():
            return None
        from kensaku.models.calibration import read_models

        return read_models(path)

    @cached_property
    def store(self) -> Store:
        """Where limits, cooldowns and budgets are shared with other processes."""
        if self.shared:
            return self.shared.store
        # A refusal that is played back must not cool down a real key.
        url = "memory:" if self._replays else self.settings.state_url
        return _with_fallback(open_store(url, self.settings.home, "state"), None)

    @cached_property
    def _cache_store(self) -> Store:
        if self.shared:
            return self.shared._cache_store
        s = self.settings
        store = open_store(s.cache_url, s.home, "cache", s.cache_max_bytes)
        return _with_fallback(store, s.cache_max_bytes)

    @property
    def store_notes(self) -> tuple[str, ...]:
        """Return notes about stores that have failed so far."""
        notes: dict[str, None] = {}
        for name in ("store", "_cache_store"):
            store = self.__dict__.get(name)
            if isinstance(store, FallbackStore) and store.trouble:
                notes[store.trouble] = None
        return tuple(notes)

    @cached_property
    def cache(self) -> Cache:
        """The response cache."""
        if self.shared:
            return self.shared.cache
        return Cache(self._cache_store, self.settings.cache_ttl, self.settings.cache_stale)

    @cached_property
    def _embeddings(self) -> Store:
        """The vectors of passages that were embedded."""
        return open_store("", self.settings.home, "embeddings", EMBEDDINGS_BYTES)

    @cached_property
    def index(self) -> Index:
        """The local index."""
        if self.shared:
            return self.shared.index.for_tenant(self.settings.tenant)
        from kensaku.index import Index
        from kensaku.index.payload import PayloadFields

        s = self.settings
        return Index(
            None if s.index_url else s.home / "index",
            url=s.index_url or None,
            api_key=s.index_api_key.reveal() if s.index_api_key else None,
            model=s.index_model or None,
            model_key=s.index_model_api_key.reveal() if s.index_model_api_key else None,
            post=self._post,
            cache=self._embeddings if s.index_model and s.cache_enabled else None,
            observers=self.observers,
            fields=PayloadFields(
                s.index_text_field, s.index_title_field, s.index_url_field, s.index_vector
            ),
            tenant=s.tenant,
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

    async def close(self) -> None:
        """Close connections and files. Closing twice is fine."""
        for provider in self._providers.values():
            await provider.close()
        self._providers.clear()
        if self.shared:
            return
        for reader in list(self._readers.values()):
            await reader.close()
        self._readers.clear()
        made = self.__dict__  # only what was used was ever made
        if "cache" in made:
            await self.cache.write_counts()
        for name in ("http", "store", "_cache_store", "_embeddings", "index"):
            if (part := made.pop(name, None)) is not None:
                await part.close()
        for name in ("cache", "budget", "reranker"):  # they hold what is now closed
            made.pop(name, None)
        self._limiters.clear()

    async def _post(self, url: str, body: Any, headers: Mapping[str, str]) -> Any:
        """Ask an embedding model over HTTP."""
        from kensaku.transport.request import Request

        reply = await self.http.send(Request(url, headers=headers, json=body), "embeddings")
        if reply.status != 200:
            kinds: dict[int, type[ProviderError]] = {
                401: KeyRefused,
                403: KeyRefused,
                429: RateLimited,
            }
            kind = kinds.get(reply.status, Outage if reply.status >= 500 else Unreadable)
            raise kind(
                "embeddings",
                msg("the embedding model answered {status}", status=reply.status),
                status=reply.status,
                retry_after=reply.retry_after(),
                remedy=""
                if kind in (Outage, RateLimited)
                else msg("check index.model and its key"),
            )
        return reply.json()

    @property
    def _replays(self) -> bool:
        return self._cassette is not None and self._cassette.replays


def _with_fallback(store: Store, max_bytes: int | None) -> Store:
    """Memory needs no spare."""
    return store if isinstance(store, MemoryStore) else FallbackStore(store, max_bytes)

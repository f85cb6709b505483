"""Kensaku: what a program holds. It owns the connections, the cache, the limits and the index.

async with Kensaku() as k:
    response = await k.search("python 3.14 release date", max_results=5)
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self
from weakref import WeakKeyDictionary

from kensaku import pipeline
from kensaku import route as routes
from kensaku.budget import Budget, RetryBudget
from kensaku.cache import Cache, Flights
from kensaku.confidence import weigh
from kensaku.config import Settings
from kensaku.errors import (
    ConfigError,
    IndexFault,
    InvalidQuery,
    ProviderError,
    UnknownName,
    UsageError,
)
from kensaku.limits import Gate
from kensaku.models import Hit, Query, Response
from kensaku.providers import provider_class
from kensaku.store import Steady, open_store

if TYPE_CHECKING:
    from kensaku._http import Http
    from kensaku.answer import Answer
    from kensaku.context import Citation, Context
    from kensaku.fetch import CrawlResult, Extraction, Reader, SiteMap
    from kensaku.index import Index
    from kensaku.models import Page
    from kensaku.providers.base import Findings, Provider
    from kensaku.route import Route
    from kensaku.testing import Cassette
    from kensaku.verify import Verification


Progress = Callable[[str, int, int], None]


class Kensaku:
    """One client for everything. Make one and keep it: it pools connections and knows limits.

    `Kensaku(settings)`, `Kensaku(route=["tavily", "local"])` or any other setting by its name.
    """

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
        self._readers: WeakKeyDictionary[asyncio.AbstractEventLoop, Reader] = WeakKeyDictionary()
        self._providers: dict[str, Provider] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def search(
        self,
        query: str | Query,
        *,
        route: str | Iterable[str] | None = None,
        mode: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - one deadline for all steps, not ours alone
        cache: bool | None = None,
        budget: Budget | None = None,
        **options: Any,
    ) -> Response:
        """Search, and say honestly what came of it.

        `options` are the fields of `Query`: `max_results`, `depth`, `topic`, `time_range`,
        `include_domains`, `collection`, … Raises `UsageError` for a call that cannot be carried
        out; an upstream's trouble is never raised: it is in `Response.attempts`.
        """
        asked = self._query(query, options)
        seconds = self.settings.timeout if timeout is None else timeout
        if not isinstance(seconds, int | float) or not 0 < seconds <= 600:
            raise InvalidQuery(f"timeout is {seconds!r}; it must be more than 0 and at most 600 s")
        return await pipeline.search(
            self,
            asked,
            self._planned(route, mode),
            deadline=asyncio.get_running_loop().time() + seconds,
            cache=self.settings.cache_enabled if cache is None else cache,
            budget=budget or self.budget,
        )

    async def context(
        self, query: str, *, max_tokens: int = 2_000, cursor: str | None = None, **options: Any
    ) -> Context:
        """Search, and pack the best passages into at most `max_tokens` tokens, with `[n]` ids.

        `options` are those of `search`. What did not fit comes with `cursor=context.cursor`.
        """
        from kensaku.context import Context, cursor_of, pack, passages_of, position_of
        from kensaku.tokenizer import counter

        if isinstance(max_tokens, bool) or not 1 <= max_tokens <= 1_000_000:
            raise InvalidQuery(f"max_tokens is {max_tokens!r}; it must be 1 to 1,000,000")
        skip, count = position_of(cursor), counter(self.settings.tokenizer)
        if "limit" not in options:
            options.setdefault("max_results", 20)
        found = await self.search(query, **options)
        passages = await asyncio.to_thread(passages_of, found.query.text, found.hits)
        dates = {hit.url: hit.published for hit in found.hits}
        text, citations, tokens, done = await asyncio.to_thread(
            pack, passages, max_tokens, count, skip=skip, dates=dates
        )
        return Context(
            text=text,
            citations=citations,
            tokens=tokens,
            outcome=found.outcome,
            cursor=cursor_of(done, len(passages)),
            attempts=found.attempts,
            notes=found.notes,
        )

    async def answer(self, query: str, *, max_tokens: int = 3_000, **options: Any) -> Answer:
        """Search and answer, every sentence with its `[n]`: in the sources' own words, or by the
        model that is configured. A model that fails is said, and the extract stands."""
        from kensaku.answer import Answer, by_model, extractive

        context = await self.context(query, max_tokens=max_tokens, **options)
        text, writer, notes = extractive(query, context.citations), "extract", context.notes
        if self.settings.llm_url and context.citations:
            try:
                text = await by_model(query, context, self.settings, self.http)
                writer = self.settings.llm_model
            except ProviderError as error:
                notes = (*notes, f"the model did not answer ({error.message}); this is an extract")
        hits = [Hit(c.url, c.title, c.passages[0].text) for c in context.citations]
        return Answer(
            text=text,
            citations=context.citations,
            outcome=context.outcome,
            confidence=weigh(query, hits),
            written_by=writer,
            attempts=context.attempts,
            notes=notes,
        )

    async def extract(
        self,
        urls: str | Iterable[str],
        *,
        timeout: float = 60.0,  # noqa: ASYNC109 - one deadline for all pages
        budget: Budget | None = None,
    ) -> Extraction:
        """Fetch and read pages: at most 20, each with its own success or failure."""
        given = [urls] if isinstance(urls, str) else list(urls)
        await (budget or self.budget).spend(fetches=len(given))
        done = await self.reader().extract(given, timeout=timeout, progress=self.progress)
        if self.settings.keep_fetched:
            await self.index.add(done.results, collection="fetched")
        return done

    async def crawl(self, url: str, *, resume: bool = False, **options: Any) -> CrawlResult:
        """Read the pages of a site from `url` on. `options` are the fields of `fetch.Plan`:
        `max_depth`, `max_breadth`, `limit`, `select_paths`, `instructions`, …"""
        crawl = self.reader().crawl(url, resume=resume, progress=self.progress, **options)
        done = await crawl.all()
        if self.settings.keep_fetched:
            await self.index.add(done.results, collection="fetched")
        return done

    async def map(self, url: str, **options: Any) -> SiteMap:
        """List the pages of a site. `options` as for `crawl`."""
        options.setdefault("sitemap", True)
        return await self.reader().crawl(url, progress=self.progress, **options).map()

    def reader(self) -> Reader:
        """What reads pages in this event loop: the guarded door and the parsing workers."""
        from kensaku.fetch import Reader

        loop = asyncio.get_running_loop()
        if (reader := self._readers.get(loop)) is None:
            pages = self._cache_store if self.settings.cache_enabled else None
            reader = self._readers[loop] = Reader(self.settings, pages)
        return reader

    async def verify(self, quote: str, source: Citation | Page | str) -> Verification:
        """Whether a quote stands in a citation, a page, or the page at a URL."""
        from kensaku.models import Page
        from kensaku.verify import verify

        verify(quote, "")  # a quote that is none is said before anything is fetched
        if isinstance(source, str):
            extraction = await self.extract([source])
            if extraction.failed:
                raise extraction.failed[0][1]
            source = extraction.results[0]
        if isinstance(source, Page):
            return await asyncio.to_thread(verify, quote, source.text)
        for passage in source.passages:
            if (found := verify(quote, passage.text)).found and found.start is not None:
                shift = passage.start
                return replace(found, start=found.start + shift, end=(found.end or 0) + shift)
        return verify(quote, "")

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
    def http(self) -> Http:
        """The pooled HTTP client."""
        from kensaku._http import Http

        return Http(user_agent=self.settings.user_agent, proxy=self.settings.proxy or None)

    @cached_property
    def store(self) -> Steady:
        """Where limits, cooldowns and budgets are shared with other processes."""
        # A refusal that is played back must not cool a real key.
        url = "memory:" if self._replays else self.settings.state_url
        return Steady(open_store(url, self.settings.home, "state"))

    @cached_property
    def _cache_store(self) -> Steady:
        return Steady(open_store(self.settings.cache_url, self.settings.home, "cache"))

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

    def provider(self, name: str) -> Provider:
        """The provider of that name, as it is configured."""
        if (found := self._providers.get(name)) is None:
            has, cls = self.settings.provider(name), provider_class(name)
            found = self._providers[name] = cls(has.base_url, has.options)
            found.attach(self)
            self.families[name] = cls.family or name
        return found

    def gate(self, name: str) -> Gate:
        """What stands before the provider of that name."""
        if (found := self._gates.get(name)) is None:
            has, cls = self.settings.provider(name), provider_class(name)
            # Replaying needs no key: nothing is sent.
            free = cls.keyless or cls.key_variable is None or self._replays
            found = self._gates[name] = Gate(
                name,
                self.store,
                keys=has.keys,
                key_variable=None if free else cls.key_variable,
                rate=has.rate or (cls.rate if has.keys else cls.keyless_rate or cls.rate),
            )
        return found

    async def ready(self, provider: Provider) -> None:
        """Load what sending needs, so that a turn that was waited for is used at once."""
        if provider.base_url and not self._replays:
            await self.http.ready()

    async def ask(self, provider: Provider, query: Query, key: str) -> Findings:
        """Ask one provider: the network, or the cassette."""
        if self._cassette is None:
            return await provider.ask(query, key, self.http)
        found: Findings = await self._cassette.ask(provider, query, key, self.http)
        return found

    def fingerprint(self, route: Route) -> str:
        """All but the query that changes what a search finds: it belongs into the cache's key."""
        s = self.settings
        hosts = [(n, self.provider(n).base_url, s.provider(n).options) for n in route.names]
        return repr((hosts, route.mode, s.per_domain, s.block_domains, s.undated))

    @property
    def _replays(self) -> bool:
        return self._cassette is not None and self._cassette.replays

    def _query(self, query: str | Query, options: dict[str, Any]) -> Query:
        if isinstance(query, Query):
            if options:
                raise InvalidQuery("give a Query, or a text and options, not both")
            return query
        if "max_results" not in options and "limit" not in options:
            options["limit"] = self.settings.max_results
        try:
            return Query(query, **options)
        except TypeError:
            raise _unknown_option(options) from None

    def _planned(self, route: str | Iterable[str] | None, mode: str | None) -> Route:
        if route is None and mode is None:
            return self._usual_route
        return routes.plan(self.settings, route, mode)

    @cached_property
    def _usual_route(self) -> Route:
        return routes.plan(self.settings, None, None)


def _unknown_option(options: dict[str, Any]) -> UsageError:
    from dataclasses import fields

    known = {f.name for f in fields(Query)} | {"max_results"}
    wrong = next((o for o in options if o not in known), None)
    if wrong is None:
        return InvalidQuery("an option has a value of the wrong type")
    return UnknownName("option", wrong, known)

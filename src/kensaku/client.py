"""Kensaku: what a program holds, and what can be asked of it. What it owns is in `_resources.py`.

async with Kensaku() as k:
    response = await k.search("python 3.14 release date", max_results=5)
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from kensaku._resources import Parts
from kensaku.errors import InvalidQuery, ProviderError, UnknownName, UsageError
from kensaku.models import Hit, Query, Response
from kensaku.providers import provider_class
from kensaku.search import pipeline
from kensaku.search import route as routes
from kensaku.search.budget import Budget
from kensaku.search.confidence import weigh
from kensaku.search.limits import Gate

if TYPE_CHECKING:
    from kensaku.answers.answer import Answer
    from kensaku.answers.context import Citation, Context
    from kensaku.answers.verify import Verification
    from kensaku.fetch import CrawlResult, Extraction, SiteMap
    from kensaku.models import Page
    from kensaku.providers.base import Findings, Provider
    from kensaku.search.route import Route


class Kensaku(Parts):
    """One client for everything. Make one and keep it: it pools connections and knows limits.

    `Kensaku(settings)`, `Kensaku(route=["tavily", "local"])` or any other setting by its name.
    """

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
        if not isinstance(seconds, (int, float)) or not 0 < seconds <= 600:
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
        from kensaku.answers.context import (
            Context,
            changed,
            cursor_of,
            pack,
            passages_of,
            position_of,
        )
        from kensaku.answers.tokenizer import counter

        if isinstance(max_tokens, bool) or not 1 <= max_tokens <= 1_000_000:
            raise InvalidQuery(f"max_tokens is {max_tokens!r}; it must be 1 to 1,000,000")
        (skip, mark), count = position_of(cursor), counter(self.settings.tokenizer)
        if "limit" not in options:
            options.setdefault("max_results", 20)
        found = await self.search(query, **options)
        passages = await asyncio.to_thread(passages_of, found.query.text, found.hits)
        dates = {hit.url: hit.published for hit in found.hits}
        text, citations, tokens, done = await asyncio.to_thread(
            pack, passages, max_tokens, count, skip=skip, dates=dates
        )
        news = "the results have changed since the part before: [n] may stand for another page"
        return Context(
            text=text,
            citations=citations,
            tokens=tokens,
            outcome=found.outcome,
            cursor=cursor_of(done, passages),
            attempts=found.attempts,
            notes=(*found.notes, news) if changed(mark, passages) else found.notes,
        )

    async def answer(self, query: str, *, max_tokens: int = 3_000, **options: Any) -> Answer:
        """Search and answer, every sentence with its `[n]`: in the sources' own words, or by the
        model that is configured. A model that fails is said, and the extract stands."""
        from kensaku.answers.answer import Answer, by_model, extractive

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
        done = await self.reader().extract(given, timeout=timeout, progress=self.report)
        if self.settings.keep_fetched:
            await self.index.add(done.results, collection="fetched")
        return done

    async def crawl(self, url: str, *, resume: bool = False, **options: Any) -> CrawlResult:
        """Read the pages of a site from `url` on. `options` are the fields of `fetch.Plan`:
        `max_depth`, `max_breadth`, `limit`, `select_paths`, `instructions`, …"""
        crawl = self.reader().crawl(url, resume=resume, progress=self.report, **options)
        done = await crawl
        if self.settings.keep_fetched:
            await self.index.add(done.results, collection="fetched")
        return done

    async def map(self, url: str, **options: Any) -> SiteMap:
        """List the pages of a site. `options` as for `crawl`."""
        options.setdefault("sitemap", True)
        return await self.reader().crawl(url, progress=self.report, **options).map()

    async def verify(self, quote: str, source: Citation | Page | str) -> Verification:
        """Whether a quote stands in a citation, a page, or the page at a URL."""
        from kensaku.answers.verify import verify
        from kensaku.models import Page

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

    def ask(self, provider: Provider, query: Query, key: str) -> Awaitable[Findings]:
        """Ask one provider: the network, or the cassette."""
        if self._cassette is None:
            return provider.ask(query, key, self.http)
        found: Awaitable[Findings] = self._cassette.ask(provider, query, key, self.http)
        return found

    def fingerprint(self, route: Route) -> str:
        """All but the query that changes what a search finds: it belongs into the cache's key."""
        s = self.settings
        hosts = [(n, self.provider(n).base_url, s.provider(n).options) for n in route.names]
        return repr((hosts, route.mode, s.per_domain, s.block_domains, s.undated))

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

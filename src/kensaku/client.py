"""The client, a program's entry point. What it owns is in `resources.py`.

async with Kensaku() as k:
    response = await k.search("python 3.14 release date", max_results=5)
"""

from __future__ import annotations

import asyncio
import copy
import time
from collections.abc import AsyncIterator, Iterable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, Unpack

from kensaku.config.arguments import SettingsOptions
from kensaku.config.settings import Mode, Settings
from kensaku.errors import ConfigError, InvalidQuery, UnknownName
from kensaku.fetch import pages
from kensaku.fetch.pages import EXTRACT_SECONDS
from kensaku.messages import msg
from kensaku.models import LOCAL, Outcome, Query, Response
from kensaku.options import (
    AskOptions,
    CrawlOptions,
    QueryOptions,
    ResearchOptions,
    SearchOptions,
)
from kensaku.resources import Resources
from kensaku.search import pipeline
from kensaku.search.budget import current_budget
from kensaku.search.route import Route, plan
from kensaku.search.run import Run
from kensaku.text.short import short_repr

if TYPE_CHECKING:
    from kensaku.answers.answer import Answer
    from kensaku.answers.cited import CitedAnswer
    from kensaku.answers.context import Citation, Context
    from kensaku.answers.events import Event
    from kensaku.answers.report.report import Report
    from kensaku.answers.verify import Verification
    from kensaku.fetch import Crawl, Extraction, SiteMap
    from kensaku.index import Index
    from kensaku.models import Hit, Page, Passage, Progress
    from kensaku.models.calibration import Models
    from kensaku.observe import Observer, Observers
    from kensaku.search.budget import Budget
    from kensaku.search.watch import News
    from kensaku.testing import Cassette

MAX_SECONDS = 600.0
CONTEXT_RESULTS = 20  # hits that a context is made of, unless the call says how many


class Kensaku:
    """The client. Create one and reuse it: it pools connections and tracks rate limits.

    `Kensaku(settings)`, `Kensaku(route=["tavily", "local"])` or any other setting by its name.
    `progress` is called during long work, such as the first filling of the local index.
    `observers` learn of every operation: searches, attempts, fetches (`kensaku.observe`).
    """

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        budget: Budget | None = None,
        cassette: Cassette | None = None,
        progress: Progress | None = None,
        observers: Iterable[Observer] = (),
        **options: Unpack[SettingsOptions],
    ) -> None:
        if settings is not None and options:
            raise ConfigError(msg("give Settings, or single settings by their names, not both"))
        self.settings = settings or Settings.load(**options)
        self.resources = Resources(
            self.settings,
            budget=budget,
            cassette=cassette,
            progress=progress,
            observers=observers,
        )

    def __repr__(self) -> str:
        return f"<Kensaku route={','.join(self.settings.route)}>"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def for_tenant(self, tenant: str) -> Self:
        """Return a client for a tenant: its own cached responses, budget and collections.

        It uses the connections, limits and workers of this one, which is the one to close.
        """
        twin = copy.copy(self)
        twin.resources = self.resources.for_tenant(tenant)
        twin.settings = twin.resources.settings
        twin.__dict__.pop("_default_route", None)
        return twin

    async def close(self) -> None:
        """Close connections and files. Closing twice is fine; the next call opens them again."""
        await self.resources.close()

    @property
    def index(self) -> Index:
        """The local index: add documents, search them, delete them."""
        return self.resources.index

    @property
    def budget(self) -> Budget:
        """The budget of this client; inside a server request, the budget of the API key."""
        return current_budget.get() or self.resources.budget

    @property
    def observers(self) -> Observers:
        """The observers of this client's operations."""
        return self.resources.observers

    @property
    def progress(self) -> Progress | None:
        """Called with a `ProgressEvent` during long work."""
        return self.resources.progress

    @progress.setter
    def progress(self, callback: Progress | None) -> None:
        self.resources.progress = callback

    async def search(
        self,
        query: str | Query,
        *,
        route: str | Iterable[str] | None = None,
        mode: Mode | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - one deadline for all steps
        cache: bool | None = None,
        budget: Budget | None = None,
        scrub: bool | None = None,
        **options: Unpack[QueryOptions],
    ) -> Response:
        """Search the web or the local index; return ranked hits, and what each provider said.

        `options` are the fields of `Query`. `scrub=False` sends the query as it is, True without
        what the settings name; None does what they say. Raises `UsageError` for a call that cannot
        be carried out. A provider's failure is never raised: it is in `Response.attempts`, and
        `Response.outcome` is `unavailable` when none of them could search.
        """
        run = Run(
            self.resources,
            self._query(query, options),
            self._route(route, mode),
            asyncio.get_running_loop().time() + self._seconds(timeout),
            budget or self.budget,
            _write_answer,
            scrub=scrub,
        )
        use_cache = self.settings.cache_enabled if cache is None else cache
        response = await pipeline.search(run, cache=use_cache)
        if self.resources.gate is not None:
            self.resources.gate.admit(hit.url for hit in response.hits)
        return response

    async def watch(self, query: str, **options: Unpack[SearchOptions]) -> News:
        """Search, and return only what this query has not found before.

        The query and its options are saved; the cache is not used. What could not be searched
        is not marked as seen.
        """
        from kensaku.search.watch import Watches

        watches = Watches(self.settings.home, self.settings.tenant)
        watch = await asyncio.to_thread(watches.open, query, options)
        saved: SearchOptions = {**watch.options, "cache": False}  # type: ignore[typeddict-item]
        news = watch.take(await self.search(watch.query, **saved))
        await asyncio.to_thread(watches.save, watch)
        return news

    def allow_urls(self, urls: str | Iterable[str]) -> None:
        """Let pages be read that the person named. It matters with the setting `fetch.gate`."""
        if self.resources.gate is not None:
            self.resources.gate.admit([urls] if isinstance(urls, str) else urls)

    async def context(
        self,
        query: str | Query | Response,
        *,
        max_tokens: int = 2_000,
        cursor: str | None = None,
        **options: Unpack[SearchOptions],
    ) -> Context:
        """Search and pack the best passages into at most `max_tokens` tokens, with `[n]` ids.

        `options` are those of `search`; a `Response` is packed as it is, without a search. What
        did not fit comes with `cursor=context.cursor`.
        """
        from kensaku.answers.context import check_budget, position_of, to_context
        from kensaku.answers.passages import passages_of, stored_passages
        from kensaku.search.rerank import relevance, reorder

        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._seconds(options.get("timeout"))
        check_budget(max_tokens)
        position = position_of(cursor)
        if isinstance(query, Response):
            response = query
        else:
            if isinstance(query, str):
                options.setdefault("max_results", CONTEXT_RESULTS)
            response = await self.search(query, **options)
        text = response.query.text
        hits = () if response.outcome is Outcome.UNAVAILABLE else response.hits
        stored: dict[str, list[Passage]] = {}
        if any(hit.provider == LOCAL for hit in hits):
            stored = await stored_passages(
                self.resources.index, text, hits, position.tokens or max_tokens
            )
        passages = await asyncio.to_thread(passages_of, text, hits, stored)
        found = await relevance(self.resources.reranker, text, passages, deadline - loop.time())
        return await asyncio.to_thread(
            to_context,
            replace(response, notes=(*response.notes, *found.notes)),
            reorder(passages, found.scores),
            max_tokens,
            position,
            self.settings.context_tokenizer,
        )

    async def answer(
        self,
        query: str | Query | Response,
        *,
        max_tokens: int = 3_000,
        **options: Unpack[SearchOptions],
    ) -> Answer:
        """Search and answer in the sources' own words, or by the configured model.

        Every sentence has its `[n]`; a model's citations are checked. A `Response` is answered
        from, without a search. When the model fails, a note says so, and the answer is the extract.
        """
        from kensaku.answers.answer import answer

        context = await self.context(query, max_tokens=max_tokens, **options)
        asked = query.query if isinstance(query, Response) else query
        text = asked if isinstance(asked, str) else asked.text
        return await answer(text, context, self, options.get("budget"))

    async def research(self, input: str, **options: Unpack[ResearchOptions]) -> Report:
        """Plan questions, search for each, read pages, and write a cited report.

        Without a model the report consists of sentences from the sources. Raises `UsageError` for
        values out of bounds. `Report.outcome` is `unavailable` when nobody could search.
        """
        from kensaku.answers.research import begin, run_research

        state, means = begin(input, options)
        return await run_research(state, self, **means)

    def research_events(
        self, input: str, **options: Unpack[ResearchOptions]
    ) -> AsyncIterator[Event]:
        """Do the same as `research`, and yield what happens; the last event has the report."""
        from kensaku.answers.research import begin, run_events

        state, means = begin(input, options)
        return run_events(state, self, **means)

    async def ask(self, question: str, **options: Unpack[AskOptions]) -> CitedAnswer:
        """Plan, search the collections and the web, weigh, and answer with checked citations.

        Without a model the answer consists of sentences from the sources. Its text is None when
        nothing answers; `outcome` is `unavailable` when nobody could search.
        """
        from kensaku.answers.ask import ask

        return await ask(question, self, options)

    def ask_events(self, question: str, **options: Unpack[AskOptions]) -> AsyncIterator[Event]:
        """Do the same as `ask`, and yield what happens; the last event has the answer."""
        from kensaku.answers.ask import ask_events

        return ask_events(question, self, options)

    async def extract(
        self,
        urls: str | Iterable[str],
        *,
        timeout: float = EXTRACT_SECONDS,  # noqa: ASYNC109 - one deadline for all pages
        budget: Budget | None = None,
        progress: Progress | None = None,
    ) -> Extraction:
        """Fetch and read pages: at most 20, each with its own success or failure."""
        wanted = [urls] if isinstance(urls, str) else urls
        return await pages.extract(
            self.resources, wanted, timeout=timeout, budget=budget, progress=progress
        )

    def crawl(
        self,
        url: str,
        *,
        resume: bool = False,
        progress: Progress | None = None,
        **options: Unpack[CrawlOptions],
    ) -> Crawl:
        """Read the pages of a site from `url` on.

        `await k.crawl(url)` returns the whole; `async for page in k.crawl(url)` gives pages as
        they come. `options` are the fields of `fetch.Plan`.
        """
        return pages.crawl(self.resources, url, resume=resume, progress=progress, **options)

    async def map(
        self, url: str, *, progress: Progress | None = None, **options: Unpack[CrawlOptions]
    ) -> SiteMap:
        """List the pages of a site, with its sitemap. `options` as for `crawl`."""
        options.setdefault("sitemap", True)
        return await pages.crawl(self.resources, url, progress=progress, **options).map()

    async def verify(
        self,
        quote: str,
        source: Citation | Page | str,
        *,
        timeout: float = EXTRACT_SECONDS,  # noqa: ASYNC109 - of the page, and of looking through it
    ) -> Verification:
        """Check whether a citation, a page, or the page at a URL contains a quote."""
        from kensaku.answers.verify import verify, verify_source

        verify(quote, "")  # reject an empty or endless quote before fetching anything
        deadline = time.monotonic() + timeout
        if isinstance(source, str):
            extraction = await self.extract([source], timeout=timeout)
            if extraction.failed:
                raise extraction.failed[0][1]
            source = extraction.results[0]
        return await asyncio.to_thread(verify_source, quote, source, deadline=deadline)

    def _query(self, query: str | Query, options: QueryOptions) -> Query:
        if isinstance(query, Query):
            if options:
                raise InvalidQuery(msg("give a Query, or a text and options, not both"))
            return query
        if wrong := [name for name in options if name not in _SEARCH_OPTIONS]:
            raise UnknownName(msg("option"), wrong[0], _SEARCH_OPTIONS)
        options.setdefault("max_results", self.settings.max_results)
        return Query(query, **options)

    def _route(self, route: str | Iterable[str] | None, mode: Mode | None) -> Route:
        if route is None and mode is None:
            return self._default_route
        return plan(self.settings, route, mode)

    @cached_property
    def _default_route(self) -> Route:
        return plan(self.settings)

    def _seconds(self, timeout: Any) -> float:
        seconds = self.settings.timeout if timeout is None else timeout
        if not isinstance(seconds, (int, float)) or not 0 < seconds <= MAX_SECONDS:
            shown = short_repr(seconds)
            raise InvalidQuery(
                msg("timeout is {shown}; it must be more than 0 and at most 600 s", shown=shown)
            )
        return seconds


def _write_answer(query: str, hits: tuple[Hit, ...], models: Models | None) -> str | None:
    """Answer in the hits' own words, for `Query.include_answer`."""
    from kensaku.answers.context import Citation
    from kensaku.answers.weigh import extractive
    from kensaku.models.confidence import confidence_of

    citations = [Citation.of(number, hit) for number, hit in enumerate(hits, 1)]
    return extractive(query, citations, confidence_of(query, hits, models=models).score)


_SEARCH_OPTIONS = frozenset(SearchOptions.__annotations__) | frozenset(QueryOptions.__annotations__)

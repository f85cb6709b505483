"""Written by scripts/sync_stub.py: the sync client, typed."""

from collections.abc import Callable, Coroutine, Iterable, Iterator
from datetime import date
from pathlib import Path
from typing import Any, Self, TypeVar, Unpack

from kensaku.answers.answer import Answer
from kensaku.answers.cited import CitedAnswer
from kensaku.answers.context import Citation, Context
from kensaku.answers.events import Event
from kensaku.answers.report.report import Report
from kensaku.answers.verify import Verification
from kensaku.config.arguments import SettingsOptions
from kensaku.config.settings import Mode, Settings
from kensaku.fetch import CrawlResult, Extraction, SiteMap
from kensaku.index.request import SearchMode
from kensaku.index.results import AddResult, CheckResult, CollectionStats, Hits
from kensaku.models import Document, Page, Passage, Progress, Query, Response
from kensaku.observe import Observer, Observers
from kensaku.options import AskOptions, CrawlOptions, QueryOptions, ResearchOptions, SearchOptions
from kensaku.search.budget import Budget
from kensaku.search.watch import News
from kensaku.store import Store
from kensaku.testing import Cassette

T = TypeVar("T")

class Portal:
    def run(self, work: Coroutine[Any, Any, T]) -> T: ...
    def close(self, last: Callable[[], Coroutine[Any, Any, None]]) -> None: ...

class _Index:
    def for_tenant(self, tenant: str) -> Self:
        """Return the collections of a tenant in the same index. Close this one, not that."""
    def add(
        self,
        documents: Iterable[Document | Page],
        collection: str = ...,
        *,
        progress: Progress | None = ...,
    ) -> AddResult:
        """Add documents to a collection; create the collection when it does not exist."""
    def search(
        self,
        text: str,
        *,
        collections: str | Iterable[str] | None = ...,
        max_results: int = ...,
        include_domains: Iterable[str] = ...,
        exclude_domains: Iterable[str] = ...,
        start_date: date | str | None = ...,
        end_date: date | str | None = ...,
        language: str | None = ...,
        mode: SearchMode | None = ...,
        mmr: float | None = ...,
        freshness: float | None = ...,
        distinct: bool = ...,
        include_raw_content: bool = ...,
    ) -> Hits:
        """Return the best documents for `text`, each with its best passage as `content`."""
    def passages(
        self,
        text: str,
        *,
        collections: str | Iterable[str] | None = ...,
        max_results: int = ...,
        include_domains: Iterable[str] = ...,
        exclude_domains: Iterable[str] = ...,
        start_date: date | str | None = ...,
        end_date: date | str | None = ...,
        language: str | None = ...,
        mode: SearchMode | None = ...,
        mmr: float | None = ...,
    ) -> list[Passage]:
        """Return the best passages for `text`; several may be of one document."""
    def get(self, url: str, collection: str | None = ...) -> Document | None:
        """Return the document with this URL, of a collection or of the first that has it."""
    def delete(self, urls: str | Iterable[str], collection: str = ...) -> int:
        """Delete documents by URL; return how many there were."""
    def collections(self) -> list[str]:
        """Return the names of all collections."""
    def foreign_collections(self) -> list[str]:
        """Return the names of other applications' collections on the same Qdrant server."""
    def stats(self) -> dict[str, CollectionStats]:
        """Return counts, languages, embedding model and problem of each collection."""
    def check(self, collection: str | None = ...) -> dict[str, CheckResult]:
        """Read a collection, or all, and compare every document with what was stored."""
    def optimize(self, collection: str | None = ...) -> None:
        """Reorganise a collection, or all, for faster search after many documents were added."""
    def export_jsonl(
        self,
        path: str | Path,
        collection: str | None = ...,
        *,
        salvage: Callable[[str], None] | None = ...,
    ) -> int:
        """Write the documents of a collection, or of all, to a JSONL file; return how many."""
    def import_jsonl(
        self, path: str | Path, collection: str | None = ..., *, progress: Progress | None = ...
    ) -> AddResult:
        """Add the documents of a JSONL file to `collection`, or to the collections it names."""
    def snapshot(self, directory: str | Path) -> None:
        """Copy the index to an empty directory, which `Index(directory)` opens."""
    def drop(self, collection: str) -> None:
        """Delete a collection with all its documents."""
    def close(self) -> None:
        """Disconnect from the worker. The next call connects again."""

class _Budget:
    searches: int | None
    fetches: int | None
    seconds: float | None
    money: float | None
    tokens: int | None
    name: str
    period: str
    store: Store | None
    parent: Budget | None
    reason: str
    @property
    def bounded(self) -> bool:
        """Whether there is anything to count."""
    def spend(self, **amounts: float) -> None:
        """Spend amounts, as in `spend(searches=1, money=0.008)`."""
    def is_spent(self) -> bool:
        """Whether one of its bounds is reached."""
    def settle(self, **amounts: float) -> None:
        """Correct the reserved amounts once the true ones are known."""
    def left(self) -> dict[str, float]:
        """What remains of each limit, as far as this process knows."""

class Kensaku:
    settings: Settings
    def __init__(
        self,
        settings: Settings | None = ...,
        *,
        budget: Budget | None = ...,
        cassette: Cassette | None = ...,
        progress: Progress | None = ...,
        observers: Iterable[Observer] = ...,
        **options: Unpack[SettingsOptions],
    ) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *_: object) -> None: ...
    def for_tenant(self, tenant: str) -> Self:
        """Return a client for a tenant: its own cached responses, budget and collections."""
    def close(self) -> None:
        """Close connections and files. Closing twice is fine; the next call opens them again."""
    @property
    def index(self) -> _Index:
        """The local index: add documents, search them, delete them."""
    @property
    def budget(self) -> _Budget:
        """The budget of this client; inside a server request, the budget of the API key."""
    @property
    def observers(self) -> Observers:
        """The observers of this client's operations."""
    @property
    def progress(self) -> Progress | None:
        """Called with a `ProgressEvent` during long work."""
    @progress.setter
    def progress(self, callback: Progress | None) -> None: ...
    def search(
        self,
        query: str | Query,
        *,
        route: str | Iterable[str] | None = ...,
        mode: Mode | None = ...,
        timeout: float | None = ...,
        cache: bool | None = ...,
        budget: Budget | None = ...,
        scrub: bool | None = ...,
        **options: Unpack[QueryOptions],
    ) -> Response:
        """Search the web or the local index; return ranked hits, and what each provider said."""
    def watch(self, query: str, **options: Unpack[SearchOptions]) -> News:
        """Search, and return only what this query has not found before."""
    def allow_urls(self, urls: str | Iterable[str]) -> None:
        """Let pages be read that the person named. It matters with the setting `fetch.gate`."""
    def context(
        self,
        query: str | Query | Response,
        *,
        max_tokens: int = ...,
        cursor: str | None = ...,
        **options: Unpack[SearchOptions],
    ) -> Context:
        """Search and pack the best passages into at most `max_tokens` tokens, with `[n]` ids."""
    def answer(
        self,
        query: str | Query | Response,
        *,
        max_tokens: int = ...,
        **options: Unpack[SearchOptions],
    ) -> Answer:
        """Search and answer in the sources' own words, or by the configured model."""
    def research(self, input: str, **options: Unpack[ResearchOptions]) -> Report:
        """Plan questions, search for each, read pages, and write a cited report."""
    def research_events(self, input: str, **options: Unpack[ResearchOptions]) -> Iterator[Event]:
        """Do the same as `research`, and yield what happens; the last event has the report."""
    def ask(self, question: str, **options: Unpack[AskOptions]) -> CitedAnswer:
        """Plan, search the collections and the web, weigh, and answer with checked citations."""
    def ask_events(self, question: str, **options: Unpack[AskOptions]) -> Iterator[Event]:
        """Do the same as `ask`, and yield what happens; the last event has the answer."""
    def extract(
        self,
        urls: str | Iterable[str],
        *,
        timeout: float = ...,
        budget: Budget | None = ...,
        progress: Progress | None = ...,
    ) -> Extraction:
        """Fetch and read pages: at most 20, each with its own success or failure."""
    def crawl(
        self,
        url: str,
        *,
        resume: bool = ...,
        progress: Progress | None = ...,
        **options: Unpack[CrawlOptions],
    ) -> CrawlResult:
        """Read the pages of a site from `url` on."""
    def map(
        self, url: str, *, progress: Progress | None = ..., **options: Unpack[CrawlOptions]
    ) -> SiteMap:
        """List the pages of a site, with its sitemap. `options` as for `crawl`."""
    def verify(
        self, quote: str, source: Citation | Page | str, *, timeout: float = ...
    ) -> Verification:
        """Check whether a citation, a page, or the page at a URL contains a quote."""

"""The operations of the core that observers are told about; `observe.py` says how.

What an operation is about is given when it begins; `record` adds what came of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from kensaku.observe import TEXT, Operation
from kensaku.text.redact import mask_url

if TYPE_CHECKING:
    from kensaku.fetch import Extraction, FetchedPage
    from kensaku.models import Attempt, Page, Response
    from kensaku.tools.base import ToolResult


@dataclass(slots=True, eq=False)
class RequestOperation(Operation):
    """A request to the server. `endpoint` is the name of the route; `path` that of no route."""

    name = "request"
    method: str
    request_id: str = ""
    endpoint: str = ""
    status: int | None = None
    key_id: str = ""
    outcome: str = ""  # that of its last search
    path: str = ""  # what was asked for, when no route takes it

    def __post_init__(self) -> None:
        self.method = self.method if self.method in _METHODS else "_OTHER"

    def record(self, status: int, endpoint: str, key_id: str = "", path: str = "") -> None:
        """Record the route, the caller and the response."""
        self.status, self.endpoint, self.key_id, self.path = status, endpoint, key_id, path
        self.error = str(status) if status >= 500 else ""


@dataclass(slots=True, eq=False)
class SearchOperation(Operation):
    """A call of `Kensaku.search`, with all its attempts."""

    name = "search"
    query: str = field(repr=False, metadata=TEXT)
    max_results: int
    mode: str
    outcome: str = ""
    hits: int = 0
    cached: bool = False
    stale: bool = False

    def record(self, response: Response) -> None:
        """Record the result."""
        self.outcome, self.hits = str(response.outcome), len(response.hits)
        self.cached, self.stale = response.cached, response.stale
        self.error = "unavailable" if self.outcome == "unavailable" else ""
        if isinstance(request := self.outermost, RequestOperation):
            request.outcome = self.outcome


@dataclass(slots=True, eq=False)
class AttemptOperation(Operation):
    """One request to one provider, or the reason why it was not asked."""

    name = "attempt"
    provider: str
    number: int = 0  # which request to this provider in this search
    outcome: str = ""
    sent: bool = True
    hits: int = 0
    cost: float = 0.0  # US dollars
    key: int | None = None  # which key of the pool, counted from 1

    def record(self, attempt: Attempt) -> None:
        """Record the result."""
        self.outcome, self.sent, self.hits = str(attempt.outcome), attempt.sent, attempt.hits
        self.cost, self.key = attempt.cost, attempt.key
        self.error = "" if attempt.error is None else type(attempt.error).__name__


@dataclass(slots=True, eq=False)
class CacheOperation(Operation):
    """A look into the response cache."""

    name = "cache"
    result: str = ""

    def record(self, result: Literal["fresh", "stale", "miss"]) -> None:
        """Note what was there."""
        self.result = result


@dataclass(slots=True, eq=False)
class RetryOperation(Operation):
    """The delay before a retry; `provider` is "" for the whole route."""

    name = "retry"
    provider: str
    after: str  # the class of the error that is followed by the retry
    delay: float  # seconds


@dataclass(slots=True, eq=False)
class PagesOperation(Operation):
    """A call of `Kensaku.extract`, with the fetches and the extraction of all its pages."""

    name = "pages"
    urls: int
    results: int = 0
    failed: int = 0

    def record(self, extraction: Extraction) -> None:
        """Note how many pages were read."""
        self.results, self.failed = len(extraction.results), len(extraction.failed)


@dataclass(slots=True, eq=False)
class FetchOperation(Operation):
    """One page from the web, with its redirects, or from the page cache."""

    name = "fetch"
    url: str = field(repr=False, metadata=TEXT)
    host: str = ""
    status: int | None = None
    via: str = ""  # http, cache, browser, or the rung: site, reader, archive
    bytes: int = 0

    def __post_init__(self) -> None:
        self.host, self.url = host_of(self.url), mask_url(self.url)

    def record(self, page: FetchedPage) -> None:
        """Note what came."""
        self.status, self.via, self.bytes = page.status, page.via, len(page.body)

    def fail(self, error: BaseException) -> None:
        """Note the exception, and the status that it carries."""
        Operation.fail(self, error)  # no super(): slots make a new class
        self.status = getattr(error, "status", None)


@dataclass(slots=True, eq=False)
class ExtractOperation(Operation):
    """The parsing of one document."""

    name = "extract"
    content_type: str
    bytes: int
    characters: int = 0

    def __post_init__(self) -> None:
        self.content_type = self.content_type.partition(";")[0].strip().lower()[:100]

    def record(self, page: Page) -> None:
        """Note how much text there is."""
        self.characters = len(page.text)


@dataclass(slots=True, eq=False)
class IndexOperation(Operation):
    """A call of the local index."""

    name = "index"
    action: Literal["add", "search", "delete"]
    collection: str
    query: str = field(default="", repr=False, metadata=TEXT)
    count: int = 0  # documents that were added or deleted, or results

    def record(self, count: int) -> None:
        """Note how many documents it was about."""
        self.count = count


@dataclass(slots=True, eq=False)
class ToolOperation(Operation):
    """A call of a tool by a model."""

    name = "tool"
    tool: str
    success: bool = False

    def record(self, result: ToolResult) -> None:
        """Note whether it did its work; "empty" means that it did, and found nothing."""
        self.success = not result.is_error
        self.error = (result.error_kind or "tool") if result.is_error else ""


_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def host_of(url: str) -> str:
    """Return the host of an address, "" when there is none."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""

"""A wire is a provider turned round: it reads a request and describes a reply.

    HTTP request → Asked → read(asked)                  → Search | Extract | Crawl | … | its own
                         → do(request, call)            → a result, or frames of a stream
                         → write(call, result, exchange) → JSON, in the wire's own shape

`read` and `write` are pure. `do` is `perform` unless an endpoint has its own; one that yields is
sent as server-sent events. All else that happens to a request is in `endpoint.py`.

A wire is one file with a class, and a row in `wires/__init__.py`. Its endpoints are served under
`/{name}`, and under `/` as well when no other wire has the path.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from kensaku.server.auth import KEY_PLACES, KeyPlace
from kensaku.server.http import MAX_BODY, Headers, Whole, encode, status_of
from kensaku.server.request import Request

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from starlette.types import ASGIApp

    from kensaku.answers.scrape import Wanted
    from kensaku.errors import KensakuError
    from kensaku.fetch import Plan
    from kensaku.models import Hit, Page, Query

Format = Literal["markdown", "text"]


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """An HTTP request, decoded: all that a wire reads. It is read again for equal requests."""

    body: Mapping[str, Any] = field(default_factory=dict, repr=False)  # JSON, or a form
    params: Mapping[str, str] = field(default_factory=dict, repr=False)  # of the URL's query
    path: Mapping[str, str] = field(default_factory=dict)  # what the endpoint's path captures
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)  # those of `Endpoint.sees`
    query_string: str = field(default="", repr=False)  # as it was sent
    raw: bytes = field(default=b"", repr=False)  # the body of an endpoint that takes any bytes

    @property
    def fields(self) -> Mapping[str, Any]:
        """Body and query together, for endpoints that take either."""
        return {**self.params, **self.body}


# --- calls: what the core is asked to do


def searches_for(pages: int, pages_per_search: int) -> int:
    """Return how many searches of a key these pages count as: at least one."""
    return max(1, -(-pages // pages_per_search))


@dataclass(frozen=True, slots=True)
class Search:
    """Search. `query` goes to the core; the rest is done to what it finds."""

    query: Query
    answer: bool = False
    raw: Format | None = None  # whole pages beside the hits
    images: bool = False
    prefer_domains: tuple[str, ...] = ()  # their hits first, instead of theirs alone
    phrases: tuple[str, ...] = ()  # a hit must hold them all
    dated: bool = False  # leave out hits without a date, or outside the query's dates
    most: int | None = None  # hits that are shown, when fewer than the query's
    route: tuple[str, ...] | None = None
    wanted: Wanted | None = None  # the page of each hit in these formats

    searches: ClassVar[int] = 1


@dataclass(frozen=True, slots=True)
class Extract:
    """Read pages."""

    urls: tuple[str, ...]
    query: str | None = None  # return the best `chunks` of each page for it
    chunks: int = 3
    format: Format = "markdown"
    timeout: float = 30.0
    depth: Literal["basic", "advanced"] = "basic"

    @property
    def searches(self) -> int:
        """Five pages count as a search, as with Tavily's credits."""
        return searches_for(len(self.urls), 5)


@dataclass(frozen=True, slots=True)
class Scrape:
    """Read one page in several formats."""

    url: str
    wanted: Wanted
    timeout: float = 30.0

    searches: ClassVar[int] = 1


@dataclass(frozen=True, slots=True)
class Parse:
    """Read a document that came with the request."""

    data: bytes = field(repr=False)
    content_type: str = ""
    name: str = ""

    searches: ClassVar[int] = 1


@dataclass(frozen=True, slots=True)
class Crawl:
    """Read the pages of a site."""

    plan: Plan
    format: Format = "markdown"
    chunks: int | None = None  # return the best chunks for the plan's instructions
    depth: Literal["basic", "advanced"] = "basic"

    @property
    def searches(self) -> int:
        """Ten pages that it may read count as a search."""
        return searches_for(self.plan.limit, 10)


@dataclass(frozen=True, slots=True)
class Map:
    """List the pages of a site."""

    plan: Plan

    @property
    def searches(self) -> int:
        """Ten pages that it may list count as a search."""
        return searches_for(self.plan.limit, 10)


@dataclass(frozen=True, slots=True)
class Research:
    """Write a report. `options` are those of `Kensaku.research`."""

    input: str = field(repr=False)
    options: Mapping[str, Any] = field(default_factory=dict, repr=False)
    stream: bool = False

    searches: ClassVar[None] = None  # a run: as many as it needs


Call = Search | Extract | Scrape | Parse | Crawl | Map | Research


# --- results: what the core gave, ready to be written


@dataclass(frozen=True, slots=True)
class Found:
    """The result of a search that could be carried out."""

    hits: Sequence[Hit]
    answer: str | None = None
    images: Sequence[tuple[str, str]] = ()  # address, and what it belongs to
    page_images: Mapping[str, Sequence[str]] = field(default_factory=dict)  # by a hit's address
    cost: float = 0.0
    cached: bool = False
    documents: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # by a hit's address


@dataclass(frozen=True, slots=True)
class Read:
    """The result of reading pages: each with the text that was asked for."""

    pages: Sequence[tuple[Page, str]]
    failed: Sequence[tuple[str, str]] = ()  # address, and why
    base_url: str = ""


@dataclass(frozen=True, slots=True)
class Listed:
    """The addresses of a site."""

    base_url: str
    urls: Sequence[str]
    titles: Mapping[str, str] = field(default_factory=dict)  # of some of them


@dataclass(frozen=True, slots=True)
class Exchange:
    """The request that a reply answers."""

    asked: Asked
    request_id: str
    seconds: float  # that it took


@dataclass(frozen=True, slots=True)
class Text:
    """A reply that is not JSON."""

    body: str
    media_type: str = "text/plain; charset=utf-8"


def as_sent(asked: Asked) -> Asked:
    """Leave a request to whoever does what it asks for."""
    return asked


def as_done(call: Any, result: Any, exchange: Exchange) -> Any:
    """Write a result that is ready."""
    return result


def searches_of(call: Any) -> int | None:
    """Return how many searches a call counts as; None: a run, which makes as many as it needs."""
    found: int | None = getattr(call, "searches", 0)
    return found


def run_cost(call: Any) -> None:
    """A run, which makes as many searches as it needs."""
    return None  # noqa: RET501 - the value says so


@dataclass(frozen=True, slots=True, eq=False)
class Endpoint:
    """One method and path of a wire."""

    method: str
    path: str  # as Starlette writes it: "/r/{url:path}"
    read: Callable[[Asked], Any] = as_sent  # raises `InvalidQuery`
    write: Callable[[Any, Any, Exchange], Any] = as_done  # JSON, Text, frames, an ASGI response
    summary: str = ""  # without one it is not in the OpenAPI document
    parameters: Mapping[str, Any] = field(default_factory=dict, repr=False)  # JSON Schema
    sees: tuple[str, ...] = ()  # the headers that `read` and `write` get, in lower case
    takes_bytes: bool = False  # the body is a document, not fields
    required: tuple[str, ...] = ()  # of the parameters
    statuses: Mapping[str, str] = field(default_factory=dict, repr=False)  # besides the usual
    do: Callable[[Any, Any], Awaitable[Any] | AsyncIterator[Any]] | None = None  # None: perform
    max_body: int = MAX_BODY
    cost: Callable[[Any], int | None] = searches_of  # of a call, in searches of the key
    is_open: bool = False  # to who has no key
    is_admins: bool = False
    is_owners: bool = False  # while there are no keys: it changes, or shows, what is the owner's
    is_admitted: Callable[[Asked], bool] | bool = True  # takes a slot, leaves a line of usage
    is_counted: bool = False  # against the rate of the key, although it is not admitted
    name: str = ""  # in logs, metrics and usage; by default that of the wire with the path


class Wire:
    """One HTTP interface: a vendor's, a protocol's, the page's."""

    name: ClassVar[str]
    label: ClassVar[str]
    docs: ClassVar[str] = ""
    at_root: ClassVar[bool] = False  # also without the prefix
    client: ClassVar[str] = ""  # how an application is pointed here, in one line
    keys: ClassVar[tuple[KeyPlace, ...]] = KEY_PLACES  # where its clients put a key
    challenge: ClassVar[str] = "Bearer"  # how a reply that wants a key asks for it
    body_type: ClassVar[str] = ""  # the only one that is taken; else JSON or a form
    headers: ClassVar[Headers] = ()  # of every reply
    request: ClassVar[type[Request]] = Request

    def endpoints(self) -> Sequence[Endpoint]:
        """The endpoints, relative to the prefix."""
        raise NotImplementedError

    @property
    def prefixes(self) -> tuple[str, ...]:
        """Where the endpoints are served; the OpenAPI document has the first."""
        return (f"/{self.name}", "") if self.at_root else (f"/{self.name}",)

    @property
    def territory(self) -> tuple[str, ...]:
        """Below these paths, the wire says in its own shape that there is nothing."""
        return tuple(filter(None, self.prefixes))

    def error(self, status: int, message: str) -> Any:
        """The body of an error, as this vendor's clients read it."""
        return {"error": message}

    def status(self, status: int) -> int:
        """The status that this vendor's clients know for it."""
        return status

    def refuse(self, request: Request | None, error: KensakuError) -> ASGIApp:
        """The response to a request that failed. `request` is None before it could be read."""
        status, headers = status_of(error)
        if (status := self.status(status)) == 401:
            headers.append(("www-authenticate", self.challenge))
        return Whole(encode(self.error(status, str(error))), status, [*headers, *self.headers])

    def last_frame(self, error: KensakuError, begun: bool) -> Any:
        """The last frame of a stream that fails; None: there is none.

        Unless a stream has `begun`, an error without a frame is sent with its status.
        """
        return None

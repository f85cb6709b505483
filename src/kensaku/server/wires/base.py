"""A wire is a provider turned round: it reads a request and describes a reply. Pure, no I/O.

    HTTP request → Asked → read → Search | Extract | Crawl | Map | Research
                                → perform.py: the core does it
                                → write(call, result, exchange) → JSON, in the wire's own shape

A wire is one file with a class, and a row in `wires/__init__.py`. Its endpoints are served under
`/{name}`, and under `/` as well when no other wire has the path.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

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

    kind: ClassVar[str] = "search"


@dataclass(frozen=True, slots=True)
class Extract:
    """Read pages."""

    urls: tuple[str, ...]
    query: str | None = None  # return the best `chunks` of each page for it
    chunks: int = 3
    format: Format = "markdown"
    timeout: float = 30.0
    depth: Literal["basic", "advanced"] = "basic"

    kind: ClassVar[str] = "extract"


@dataclass(frozen=True, slots=True)
class Parse:
    """Read a document that came with the request."""

    data: bytes = field(repr=False)
    content_type: str = ""
    name: str = ""

    kind: ClassVar[str] = "extract"


@dataclass(frozen=True, slots=True)
class Crawl:
    """Read the pages of a site."""

    plan: Plan
    format: Format = "markdown"
    chunks: int | None = None  # return the best chunks for the plan's instructions
    depth: Literal["basic", "advanced"] = "basic"

    kind: ClassVar[str] = "crawl"


@dataclass(frozen=True, slots=True)
class Map:
    """List the pages of a site."""

    plan: Plan

    kind: ClassVar[str] = "map"


@dataclass(frozen=True, slots=True)
class Research:
    """Write a report. `options` are those of `Kensaku.research`."""

    input: str = field(repr=False)
    options: Mapping[str, Any] = field(default_factory=dict, repr=False)
    stream: bool = False

    kind: ClassVar[str] = "research"


Call = Search | Extract | Parse | Crawl | Map | Research


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


@dataclass(frozen=True, slots=True)
class Exchange:
    """The request that a reply answers."""

    asked: Asked
    request_id: str  # put it into the reply as it is: it may stand for that of the next request
    seconds: float  # that it took; put it into the reply as it is, too


@dataclass(frozen=True, slots=True)
class Text:
    """A reply that is not JSON."""

    body: str
    media_type: str = "text/plain; charset=utf-8"


@dataclass(frozen=True, slots=True, eq=False)
class Endpoint:
    """One method and path of a wire."""

    method: str
    path: str  # as Starlette writes it: "/r/{url:path}"
    read: Callable[[Asked], Call]  # raises `InvalidQuery`
    write: Callable[[Any, Any, Exchange], Any]  # call, result → JSON, or Text
    summary: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict, repr=False)  # JSON Schema
    sees: tuple[str, ...] = ()  # the headers that `read` and `write` get, in lower case
    takes_bytes: bool = False  # the body is a document, not fields


class Wire:
    """One vendor's HTTP interface."""

    name: ClassVar[str]
    label: ClassVar[str]
    docs: ClassVar[str] = ""
    at_root: ClassVar[bool] = False  # also without the prefix
    client: ClassVar[str] = ""  # how an application is pointed here, in one line

    def endpoints(self) -> Sequence[Endpoint]:
        """The endpoints, relative to the prefix."""
        raise NotImplementedError

    def error(self, status: int, message: str) -> Any:
        """The body of an error, as this vendor's clients read it."""
        return {"error": message}

    def status(self, status: int) -> int:
        """The status that this vendor's clients know for it."""
        return status

"""The options of calls, spelled out once: `search`, `context` and `answer` share them.

Type checkers and editors read them by PEP 692; a test compares them with the classes they fill.
`config/arguments.py` has the settings.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any, Literal, TypedDict

if TYPE_CHECKING:
    from kensaku.answers.journal import Journal
    from kensaku.answers.person import AskPerson
    from kensaku.answers.report.attachments import Attachment
    from kensaku.answers.report.request import CitationFormat, Effort, Length
    from kensaku.config.settings import Mode
    from kensaku.models import Depth, Permission, TimeRange, Topic
    from kensaku.search.budget import Budget


class QueryOptions(TypedDict, total=False):
    """The fields of `Query` besides its text."""

    max_results: int
    depth: Depth
    topic: Topic
    time_range: TimeRange | None
    start_date: date | str | None
    end_date: date | str | None
    include_domains: Iterable[str]
    exclude_domains: Iterable[str]
    country: str | None
    language: str | None
    include_answer: bool
    include_raw_content: bool
    collection: str | None
    min_score: float | None
    include_images: bool


class SearchOptions(QueryOptions, total=False):
    """What `Kensaku.search` takes besides the query."""

    route: str | Iterable[str] | None
    mode: Mode | None
    timeout: float | None
    cache: bool | None
    budget: Budget | None
    scrub: bool | None


class RequestOptions(TypedDict, total=False):
    """The fields of `ResearchRequest` besides its input."""

    model: Effort
    output_length: Length
    citation_format: CitationFormat
    output_schema: Mapping[str, Any] | None
    include_domains: Iterable[str]
    exclude_domains: Iterable[str]
    files: Iterable[Attachment | Mapping[str, str]]
    route: str | Iterable[str] | None
    collection: str | None
    timeout: float


class ResearchOptions(RequestOptions, total=False):
    """What `Kensaku.research` takes besides the input."""

    cache: bool | None
    budget: Budget | None


class AskOptions(TypedDict, total=False):
    """What `Kensaku.ask` takes besides the question."""

    model: str | Any  # `vendor:name`, a name at `llm.url`, or a model object of pydantic-ai
    collection: str | None
    route: str | Iterable[str] | None
    timeout: float | None
    cache: bool | None
    budget: Budget | None
    person: AskPerson | None  # asks whoever is there; None: nobody is
    approvals: Mapping[str, Permission]  # tool → auto, ask or never
    journal: Journal | None  # of a run that goes on
    earlier: Sequence[str]  # what the person asked before in this conversation


class CrawlOptions(TypedDict, total=False):
    """The fields of `fetch.Plan` besides the address."""

    instructions: str | None
    max_depth: int
    max_breadth: int
    limit: int
    select_paths: Sequence[str] | None
    exclude_paths: Sequence[str] | None
    select_domains: Sequence[str] | None
    exclude_domains: Sequence[str] | None
    allow_external: bool
    timeout: float
    sitemap: bool | Literal["only"]

"""The nouns of a search: frozen values, no I/O.

Query → Response(outcome, hits, answer, attempts, confidence)
url   → Page → Passage
Document → index → Hit
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import InitVar, dataclass, field, fields
from datetime import date
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from kensaku._quick import quick

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kensaku.errors import KensakuError
    from kensaku.search.confidence import Confidence

Depth = Literal["ultra-fast", "fast", "basic", "advanced"]
Topic = Literal["general", "news", "finance"]
TimeRange = Literal["day", "week", "month", "year"]

MAX_QUERY_CHARS = 2_000
MAX_RESULTS = 50
MAX_DOMAINS = 300


class Outcome(StrEnum):
    """What a search came to. `EMPTY` and `UNAVAILABLE` are never the same thing."""

    FOUND = "found"  # there are hits
    EMPTY = "empty"  # somebody searched, and there is nothing
    UNAVAILABLE = "unavailable"  # nobody could search


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked. Checked when it is made: a Query that exists can be sent."""

    text: str = field(repr=False)  # what people search for is theirs: no log shows it by accident
    limit: int = 5
    depth: Depth = "basic"
    topic: Topic = "general"
    time_range: TimeRange | None = None
    start_date: date | None = None
    end_date: date | None = None
    include_domains: tuple[str, ...] = ()
    exclude_domains: tuple[str, ...] = ()
    country: str | None = None  # ISO 3166-1 alpha-2, lower case
    language: str | None = None  # ISO 639-1, lower case
    include_answer: bool = False
    include_raw_content: bool = False
    collection: str | None = None  # which part of the local index
    max_results: InitVar[int | None] = None  # what tools call `limit`; read it from there

    def __post_init__(self, max_results: int | None) -> None:
        if max_results is not None:
            object.__setattr__(self, "limit", max_results)
        for name, value in _rules()(self).items():
            object.__setattr__(self, name, value)


@cache  # importing takes a microsecond even when it is done
def _rules() -> Callable[[Query], dict[str, Any]]:
    from kensaku.search.query import checked  # it is about the classes here

    return checked


@quick
@dataclass(frozen=True, slots=True)
class Source:
    """Where a hit came from: which provider listed it, how high, with which score."""

    provider: str
    rank: int
    score: float | None = None


@quick
@dataclass(frozen=True, slots=True)
class Hit:
    """One result. `score` is in 0..1 and only there when an upstream gave one."""

    url: str
    title: str
    content: str = ""
    score: float | None = None
    published: str | None = None  # ISO 8601, as exact as the upstream was
    provider: str = ""
    author: str | None = None
    favicon: str | None = None
    raw_content: str | None = None  # the whole page as Markdown, when it was asked for
    sources: tuple[Source, ...] = ()
    explain: Mapping[str, Any] | None = None  # why it stands where it stands

    def to_dict(self) -> dict[str, Any]:
        """All that is known of the hit, ready for JSON."""
        known = {f.name: getattr(self, f.name) for f in fields(self)}
        always = {n: known.pop(n) for n in _HIT_ALWAYS}
        known["sources"] = [
            {"provider": s.provider, "rank": s.rank, "score": s.score} for s in self.sources
        ]
        return always | {n: v for n, v in known.items() if v}


_HIT_ALWAYS = ("title", "url", "content", "score", "published", "provider")


@quick
@dataclass(frozen=True, slots=True)
class Attempt:
    """One try at one provider with one key: what came back, how long, what it cost."""

    provider: str
    outcome: Outcome
    error: KensakuError | None = None
    elapsed_ms: float = 0.0
    sent: bool = True  # False: it was not asked at all, and `error` says why
    key: int | None = None  # which key of the pool, counted from 1
    cost: float = 0.0  # US dollars, as far as the price is known
    hits: int = 0

    def to_dict(self) -> dict[str, Any]:
        """The attempt, ready for JSON; the error as its type and one sentence."""
        return {
            "provider": self.provider,
            "outcome": str(self.outcome),
            "error": None if self.error is None else self.error.to_dict(),
            "elapsed_ms": round(self.elapsed_ms, 1),
            "sent": self.sent,
            "key": self.key,
            "cost": self.cost,
            "hits": self.hits,
        }


@quick
@dataclass(frozen=True, slots=True)
class Response:
    """What a search gave: hits and outcome, and honestly how it got there."""

    query: Query
    outcome: Outcome
    hits: tuple[Hit, ...] = ()
    answer: str | None = None
    answered_by: str | None = None  # the provider, or "extract": sentences of the hits
    attempts: tuple[Attempt, ...] = ()
    notes: tuple[str, ...] = ()  # what was cut, filtered or ignored, in sentences
    cached: bool = False
    stale: bool = False  # from the cache after its time, because nobody could search
    partial: bool = False  # the deadline came before everybody had answered
    elapsed_ms: float = 0.0
    families: Mapping[str, str] = field(default_factory=dict, repr=False)  # whose index is whose

    @property
    def confidence(self) -> Confidence:
        """How far these hits can be trusted, weighed when it is asked for."""
        return _scales()(
            self.query.text, self.hits, self.families, stale=self.stale, partial=self.partial
        )

    @property
    def cost(self) -> float:
        """US dollars spent on this response, as far as prices are known."""
        return sum(a.cost for a in self.attempts)

    def to_dict(self) -> dict[str, Any]:
        """The form that `kensaku search --json` prints."""
        return {
            "query": self.query.text,
            "outcome": str(self.outcome),
            "hits": [h.to_dict() for h in self.hits],
            "answer": self.answer,
            "answered_by": self.answered_by,
            "attempts": [a.to_dict() for a in self.attempts],
            "confidence": self.confidence.to_dict(),
            "notes": list(self.notes),
            "cached": self.cached,
            "stale": self.stale,
            "partial": self.partial,
            "cost": self.cost,
            "elapsed_ms": round(self.elapsed_ms, 1),
        }


@cache
def _scales() -> Callable[..., Confidence]:
    from kensaku.search.confidence import weigh  # it is about the classes here, too

    return weigh


@dataclass(frozen=True, slots=True)
class Page:
    """One document, fetched and extracted."""

    url: str
    title: str = ""
    text: str = ""
    markdown: str = ""
    author: str | None = None
    published: str | None = None  # ISO 8601
    language: str | None = None  # ISO 639-1
    canonical_url: str | None = None
    content_type: str = ""
    fetched_at: str | None = None  # ISO 8601, UTC
    images: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    favicon: str | None = None
    notes: tuple[str, ...] = ()  # "scanned, no text", "needs JavaScript", …
    needs_browser: bool = False  # only a shell that scripts would fill, or a check for robots

    def to_dict(self) -> dict[str, Any]:
        """The page, ready for JSON."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name != "needs_browser"}


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a page: `page.text[start:end] == text`."""

    url: str
    text: str
    start: int
    end: int
    title: str = ""
    heading: str = ""  # the headings above it, joined by " › "
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """Something to put into the local index. The same `url` again replaces it."""

    url: str
    title: str = ""
    text: str = ""
    published: str | None = None
    language: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ProgressEvent:
    """How far long work has come: `stage` in words, `done` of `total` steps."""

    stage: str
    done: int
    total: int | None = None


Progress = Callable[[ProgressEvent], None]

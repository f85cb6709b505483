"""The values that calls take and return: frozen, hashable where they can be, no I/O.

Query → Response(outcome, hits, answer, attempts, confidence)
url   → Page → Passage
Document → index → Hit
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from datetime import date
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kensaku.errors import KensakuError
    from kensaku.models.calibration import Models
    from kensaku.models.confidence import Confidence

Permission = Literal["auto", "ask", "never"]  # whether a tool may run
Depth = Literal["ultra-fast", "fast", "basic", "advanced"]
Topic = Literal["general", "news", "finance", "papers", "code", "images"]
TimeRange = Literal["day", "week", "month", "year"]

MAX_QUERY_CHARS = 2_000
MAX_RESULTS = 50
MAX_DOMAINS = 300
LOCAL = "local"  # the family of the local index


class Outcome(StrEnum):
    """The outcome of a search. `EMPTY` and `UNAVAILABLE` are different things."""

    FOUND = "found"  # there are hits
    EMPTY = "empty"  # somebody searched, and there is nothing
    UNAVAILABLE = "unavailable"  # nobody could search


@dataclass(frozen=True, slots=True)
class Query:
    """A search query. The constructor validates every value."""

    text: str = field(repr=False)  # what people search for is theirs: no log shows it by accident
    max_results: int = 5
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
    min_score: float | None = None  # hits that an upstream scored lower are left out
    include_images: bool = False  # where an upstream has them

    # The signature is written out because it takes more than is kept: lists, and dates as text.
    if TYPE_CHECKING:

        def __init__(
            self,
            text: str,
            max_results: int = 5,
            depth: Depth = "basic",
            topic: Topic = "general",
            time_range: TimeRange | None = None,
            start_date: date | str | None = None,
            end_date: date | str | None = None,
            include_domains: Iterable[str] = (),
            exclude_domains: Iterable[str] = (),
            country: str | None = None,
            language: str | None = None,
            include_answer: bool = False,
            include_raw_content: bool = False,
            collection: str | None = None,
            min_score: float | None = None,
            include_images: bool = False,
        ) -> None: ...

    def __post_init__(self) -> None:
        for name, value in _normalise()(self).items():
            object.__setattr__(self, name, value)

    @property
    def limit(self) -> int:
        """The same as `max_results`, as providers call it."""
        return self.max_results

    @property
    def wants_images(self) -> bool:
        """Whether the query asks for images, in addition to pages or as its topic."""
        return self.include_images or self.topic == "images"


@cache  # importing takes a microsecond even when it is done
def _normalise() -> Callable[[Query], dict[str, Any]]:
    from kensaku.models.query import normalise  # it imports this module

    return normalise


@dataclass(frozen=True, slots=True)
class Source:
    """Where a hit came from: which provider listed it, how high, with which score."""

    provider: str
    rank: int
    score: float | None = None
    family: str = ""  # whose index the provider resells; empty: its own

    @property
    def index(self) -> str:
        """The index that found it. Providers of one family share an index."""
        return self.family or self.provider


@dataclass(frozen=True, slots=True)
class LocalMatch:
    """Where in the local index a hit was found, and how well it matched."""

    collection: str = ""
    bm25: float | None = None
    cosine: float | None = None
    start: int | None = None  # offsets of the passage in the document's text
    end: int | None = None
    heading: str = ""
    language: str = ""
    highlights: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict, hash=False)
    revision: str = ""  # equal for documents with the same text
    strength: float | None = None  # `bm25`, comparable between queries and collections


@dataclass(frozen=True, slots=True)
class Explain:
    """Why a hit is ranked where it is."""

    coverage: float | None = None  # share of the query's words in title, text and address
    agreement: int = 1  # how many independent indexes found it
    fused: float | None = None  # its score by reciprocal rank fusion
    read: bool = False  # the page itself was read
    local: LocalMatch | None = None
    copies: tuple[str, ...] = ()  # addresses with nearly the same text, folded into this hit
    variants: tuple[str, ...] = ()  # the same, kept as hits: another figure or name, or a denial

    def to_dict(self) -> dict[str, Any]:
        """The facts that are there, flat, ready for JSON."""
        local = {} if self.local is None else _present(self.local)
        return _present(self) | local


def _present(value: Explain | LocalMatch) -> dict[str, Any]:
    pairs = ((f.name, getattr(value, f.name)) for f in fields(value) if f.name != "local")
    there = {n: v for n, v in pairs if v or (v is not False and v == 0)}
    return {n: list(v) if isinstance(v, tuple) else v for n, v in there.items()}


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
    explain: Explain | None = None
    # The host of the page when `url` is somebody's redirect to it; "" when nobody says which.
    site: str | None = None
    passages: tuple[Passage, ...] = ()  # of its page, when that was read: `content` joins them

    def to_dict(self) -> dict[str, Any]:
        """All that is known of the hit, ready for JSON."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        always = {n: values.pop(n) for n in _HIT_ALWAYS}
        values["sources"] = [_without_empty(s) for s in self.sources]
        values["explain"] = self.explain and self.explain.to_dict()
        values["passages"] = [p.to_dict() for p in self.passages]
        return always | {n: v for n, v in values.items() if v}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Hit:
        """The hit that `to_dict` wrote."""
        explain = values.get("explain")
        return cls(
            **{
                **values,
                "sources": tuple(Source(**s) for s in values.get("sources", ())),
                "explain": _read_explain(explain) if explain else None,
                "passages": tuple(Passage(**p) for p in values.get("passages", ())),
            }
        )


_HIT_ALWAYS = ("title", "url", "content", "score", "published", "provider")


def _without_empty(source: Source) -> dict[str, Any]:
    values = {"provider": source.provider, "rank": source.rank, "score": source.score}
    return values | {"family": source.family} if source.family else values


def _read_explain(values: Mapping[str, Any]) -> Explain:
    own = {f.name for f in fields(Explain)}
    local: dict[str, Any] = {n: v for n, v in values.items() if n not in own}
    if "highlights" in local:
        local["highlights"] = tuple(local["highlights"])
    facts: dict[str, Any] = {
        n: tuple(v) if n in ("copies", "variants") else v for n, v in values.items() if n in own
    }
    return Explain(
        **facts,
        local=LocalMatch(**local) if local else None,
    )


@dataclass(frozen=True, slots=True)
class Image:
    """An image in a provider's response. Its URL is untrusted and was not fetched."""

    url: str
    description: str = ""
    page: str = ""  # the address of the page that shows it, when it is known
    provider: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The image, ready for JSON."""
        return {f.name: getattr(self, f.name) for f in fields(self)}


@dataclass(frozen=True, slots=True)
class Attempt:
    """One request to one provider with one key: its result, duration and cost."""

    provider: str
    outcome: Outcome
    error: KensakuError | None = None
    elapsed_ms: float = 0.0
    sent: bool = True  # False: it was not asked at all, and `error` says why
    key: int | None = None  # which key of the pool, counted from 1
    cost: float = 0.0  # US dollars, as far as the price is known
    hits: int = 0
    searched: str | None = None  # what the upstream says that it searched for, if not the query

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
            **({"searched": self.searched} if self.searched else {}),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Attempt:
        """The attempt that `to_dict` wrote."""
        from kensaku.errors import error_from_dict

        error = values.get("error")
        known = {**values, "outcome": Outcome(values["outcome"])}
        return cls(**known | {"error": error and error_from_dict(error, values["provider"])})


@dataclass(frozen=True, slots=True)
class Response:
    """The result of a search: outcome, hits, and every attempt."""

    query: Query
    outcome: Outcome
    hits: tuple[Hit, ...] = ()
    answer: str | None = None
    answered_by: str | None = None  # the provider, or "extract": sentences of the hits
    images: tuple[Image, ...] = ()  # when the query asked for them
    attempts: tuple[Attempt, ...] = ()
    notes: tuple[str, ...] = ()  # what was cut, filtered or ignored, in sentences
    cached: bool = False
    stale: bool = False  # from the cache after its time, because nobody could search
    partial: bool = False  # the deadline came before everybody had answered
    elapsed_ms: float = 0.0
    models: Models | None = field(default=None, repr=False, compare=False)  # of `confidence`

    def __repr__(self) -> str:
        asked = ", ".join(f"{a.provider} {a.outcome}" for a in self.attempts)
        return f"<Response {self.outcome}, {len(self.hits)} hits; asked: {asked or 'nobody'}>"

    @property
    def confidence(self) -> Confidence:
        """The confidence in these hits, computed on first use."""
        facts = {"stale": self.stale, "partial": self.partial, "models": self.models}
        return _confidence_of()(self.query.text, self.hits, **facts)

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
            **({"images": [i.to_dict() for i in self.images]} if self.images else {}),
            "attempts": [a.to_dict() for a in self.attempts],
            "confidence": self.confidence.to_dict(),
            "notes": list(self.notes),
            "cached": self.cached,
            "stale": self.stale,
            "partial": self.partial,
            "cost": self.cost,
            "elapsed_ms": round(self.elapsed_ms, 1),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Response:
        """The response that `to_dict` wrote; of the query, only the text was written."""
        hits = tuple(Hit.from_dict(h) for h in values["hits"])
        return cls(
            query=Query(values["query"], max_results=max(1, min(MAX_RESULTS, len(hits)))),
            outcome=Outcome(values["outcome"]),
            hits=hits,
            answer=values["answer"],
            answered_by=values["answered_by"],
            images=tuple(Image(**i) for i in values.get("images", ())),
            attempts=tuple(Attempt.from_dict(a) for a in values["attempts"]),
            notes=tuple(values["notes"]),
            cached=values["cached"],
            stale=values["stale"],
            partial=values["partial"],
            elapsed_ms=values["elapsed_ms"],
        )


@cache
def _confidence_of() -> Callable[..., Confidence]:
    from kensaku.models.confidence import confidence_of  # it imports this module

    return confidence_of


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
    rung: str | None = None  # of a copy: site, reader or archive; `notes` say more
    source_url: str | None = None  # of a copy: where it is from

    @property
    def copy_note(self) -> str:
        """Say that this is a copy, why, and where it is from; "" for the page itself."""
        return self.notes[0] if self.rung and self.notes else ""

    def to_dict(self) -> dict[str, Any]:
        """The page, ready for JSON."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name != "needs_browser"}


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a page that was read or stored: `page.text[start:end] == text`.

    Of a page that nobody read there is only the provider's snippet, and offsets count in that.
    """

    url: str
    text: str
    start: int
    end: int
    title: str = ""
    heading: str = ""  # the headings above it, joined by " › "
    score: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """The passage, ready for JSON."""
        return {f.name: getattr(self, f.name) for f in fields(self)}


@dataclass(frozen=True, slots=True)
class Document:
    """Something to put into the local index. The same `url` again replaces it."""

    url: str
    title: str = ""
    text: str = ""
    published: str | None = None
    language: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict, hash=False)
    # Where headings begin in `text`, their levels and words. Without them, lines that begin
    # with `#` are headings.
    headings: Sequence[tuple[int, int, str]] = ()

    def to_dict(self) -> dict[str, Any]:
        """The document, ready for JSON."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Document:
        """The document that `to_dict` wrote."""
        rows = values.get("headings") or ()
        headings = tuple((int(start), int(level), str(words)) for start, level, words in rows)
        return cls(**{**values, "headings": headings})


@dataclass(frozen=True, slots=True)
class ProgressEvent:
    """How far long work has come: `stage` in words, `done` of `total` steps."""

    stage: str
    done: int
    total: int | None = None


Progress = Callable[[ProgressEvent], None]

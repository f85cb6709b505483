"""What a client asks a model, and what comes of it, in no vendor's shape. Pure.

    Turn(messages, tools, options, search, fetch)
    → (Searching → Searched | Fetching → Fetched | Thought | Text | Cited)* → Called* → Finished

Messages and tools are in the format of chat completions, which most servers of models speak.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from kensaku.answers.evidence import Reference

Message = Mapping[str, Any]
Reason = Literal["stop", "length", "tool_calls", "content_filter"]
# Why a web tool gave nothing, as the wires' vendors tell it apart.
Refusal = Literal["invalid", "uses", "not_allowed", "too_many", "unavailable", "unreadable"]


@dataclass(frozen=True, slots=True)
class WebTool:
    """A web tool that the client switched on, with its bounds."""

    max_uses: int | None = None  # in one turn
    include_domains: tuple[str, ...] = ()
    exclude_domains: tuple[str, ...] = ()
    country: str | None = None
    max_tokens: int = 3_000  # of what one call returns to the model


@dataclass(frozen=True, slots=True)
class Turn:
    """One request: the conversation so far, and what the model may use."""

    messages: Sequence[Message] = field(repr=False)
    tools: Sequence[Mapping[str, Any]] = ()  # the client's own functions
    options: Mapping[str, Any] = field(default_factory=dict)  # temperature, max_tokens, …
    search: WebTool | None = None
    fetch: WebTool | None = None
    sources: tuple[Reference, ...] = ()  # that earlier turns found; they keep their numbers


@dataclass(frozen=True, slots=True)
class Usage:
    """What a turn has cost the model, and how often the web was used."""

    prompt: int = 0
    completion: int = 0
    searches: int = 0
    fetches: int = 0


@dataclass(frozen=True, slots=True)
class Text:
    """A part of what the model says."""

    text: str


@dataclass(frozen=True, slots=True)
class Thought:
    """A part of what the model thinks, where its server tells."""

    text: str


@dataclass(frozen=True, slots=True)
class Cited:
    """The text just said rests on this source, and `quote` is where in it."""

    source: Reference
    quote: str
    mark: str  # as the model wrote it


@dataclass(frozen=True, slots=True)
class Searching:
    """The model searches."""

    id: str
    query: str


@dataclass(frozen=True, slots=True)
class Searched:
    """A search has ended. `refusal` says why there is nothing; without one, nothing was found."""

    id: str
    query: str
    sources: tuple[Reference, ...] = ()
    refusal: Refusal | None = None


@dataclass(frozen=True, slots=True)
class Fetching:
    """The model reads a page."""

    id: str
    url: str


@dataclass(frozen=True, slots=True)
class Fetched:
    """A page was read, or `refusal` says why not."""

    id: str
    url: str
    source: Reference | None = None
    refusal: Refusal | None = None


@dataclass(frozen=True, slots=True)
class Called:
    """The model calls a function of the client."""

    id: str
    name: str
    arguments: str  # JSON, as the model wrote it


@dataclass(frozen=True, slots=True)
class Finished:
    """The turn is over."""

    reason: Reason
    usage: Usage


Event = Text | Thought | Cited | Searching | Searched | Fetching | Fetched | Called | Finished

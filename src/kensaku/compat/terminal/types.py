"""The types that a provider of the terminal assistant takes and returns (S4-01 … S4-04)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from kensaku.errors import KensakuError

if TYPE_CHECKING:
    from kensaku.compat.terminal.deps import Deps


@dataclass(frozen=True, slots=True)
class WebSearchResult:
    """One result."""

    title: str
    url: str
    content: str
    score: float | None = None
    published_date: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the result under the names of the document, without unknown members."""
        optional = {"score": self.score, "publishedDate": self.published_date}
        always = {"title": self.title, "url": self.url, "content": self.content}
        return always | {n: v for n, v in optional.items() if v is not None}


@dataclass(frozen=True, slots=True)
class WebSearchResponse:
    """The results of a search."""

    query: str
    results: Sequence[WebSearchResult] = ()
    answer_box: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the response under the names of the document."""
        members = {"query": self.query, "results": [r.to_dict() for r in self.results]}
        return members | ({"answerBox": self.answer_box} if self.answer_box else {})


@dataclass(frozen=True)
class WebSearchProvider:
    """One way to search. `search` raises when it could not; an empty list means nothing found."""

    id: str
    label: str
    search: Callable[[str, Deps], Awaitable[WebSearchResponse]] = field(repr=False)
    is_configured: Callable[[Deps], bool] = field(repr=False)
    sensitive_setting_keys: tuple[str, ...] = ()


class WebSearchError(KensakuError):
    """A search that did not work; the message is what the model and the person read."""

    def __init__(self, message: str, *, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class SettingsReader(Protocol):
    """Where the tool reads settings."""

    def get(self, key: str) -> Any:
        """Return the value of a dotted key, or None."""


class Logging(Protocol):
    """Where the tool logs: a message and its data. A `logging.Logger` will do.

    A log with fewer methods will do, too: what it cannot do is left out. `warn` is as good as
    `warning`.
    """

    def debug(self, message: str, meta: Mapping[str, Any], /) -> None: ...
    def error(self, message: str, meta: Mapping[str, Any], /) -> None: ...

"""A host's own Tavily client, and what it returns: as objects or as the API's JSON.

    deps.tavily_client.search(query=…, search_depth=…, max_results=…) → rows → our Markdown

The client may be the specification's `TavilyAPIClient`, or the official `AsyncTavilyClient`. It
retries by its own rules; an exception with an `error_type` is reported under that type.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from kensaku.compat._errors import redact
from kensaku.compat.tavily_tools import dialect
from kensaku.compat.tavily_tools.errors import TavilyAPIError, TavilyErrorType
from kensaku.models import Hit, Page
from kensaku.providers._rows import is_number


class TavilyClient(Protocol):
    """What a host's client can do."""

    async def search(self, *, query: str, search_depth: str, max_results: int) -> Any:
        """Return `query` and `results`."""

    async def extract(self, *, urls: list[str]) -> Any:
        """Return `results` and `failed_results`."""

    async def get_search_context(self, *, query: str, **options: Any) -> Any:
        """Return a text; `max_tokens` is an option."""


def search_text(result: Any, query: str = "") -> str:
    """Write the result of a search."""
    return dialect.found(_text(result, "query") or query, hits_of(result))


def extract_text(result: Any, wrong: Iterable[tuple[str, str]] = ()) -> str:
    """Write the result of an extraction, and `wrong`, the URLs that nobody was asked for."""
    return dialect.extracted(pages_of(result), [*wrong, *failed_of(result)])


def hits_of(result: Any) -> list[Hit]:
    """Return the results of a search."""
    return [
        Hit(_text(row, "url"), _text(row, "title"), _text(row, "content"), _score(row))
        for row in _rows(result, "results")
    ]


def pages_of(result: Any) -> list[Page]:
    """Return the pages of an extraction."""
    return [
        Page(url=_text(row, "url"), title="", markdown=_text(row, "raw_content"))
        for row in _rows(result, "results")
    ]


def failed_of(result: Any) -> list[tuple[str, str]]:
    """Return the URLs of an extraction that failed, with the reason."""
    return [(_text(row, "url"), _text(row, "error")) for row in _rows(result, "failed_results")]


def error_of(error: Exception, client: TavilyClient | None) -> TavilyAPIError | None:
    """Return what a host's client says of a failure; None if it does not say it by a type."""
    kind = "TIMEOUT_ERROR" if isinstance(error, TimeoutError) else getattr(error, "error_type", "")
    if client is None or not kind:
        return None
    known = str(kind) if str(kind) in set(TavilyErrorType) else TavilyErrorType.API_ERROR
    message = redact(str(error), str(getattr(client, "api_key", "")))
    return TavilyAPIError(known, message, status_code=getattr(error, "status_code", None))


def _rows(result: Any, name: str) -> list[Any]:
    rows = _member(result, name)
    return list(rows) if isinstance(rows, list | tuple) else []


def _text(row: Any, name: str) -> str:
    value = _member(row, name)
    return value if isinstance(value, str) else ""


def _score(row: Any) -> float | None:
    score = _member(row, "score")
    return float(score) if is_number(score) else None


def _member(thing: Any, name: str) -> Any:
    return thing.get(name) if isinstance(thing, Mapping) else getattr(thing, name, None)

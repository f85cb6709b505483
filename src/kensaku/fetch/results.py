"""Results of extracting, crawling and mapping: frozen values, ready for JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from kensaku.errors import KensakuError
from kensaku.models import Page


class Failure(NamedTuple):
    """One URL that could not be read, and why. It unpacks as a pair."""

    url: str
    error: KensakuError

    def to_dict(self) -> dict[str, Any]:
        """Return the failure, ready for JSON."""
        return {"url": self.url, "error": self.error.to_dict()}


@dataclass(frozen=True, slots=True)
class Extraction:
    """The pages of a list of URLs. One that fails does not stop the others."""

    results: tuple[Page, ...] = ()
    failed: tuple[Failure, ...] = ()
    elapsed_ms: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return the form that `kensaku extract --json` prints."""
        return {
            "results": [page.to_dict() for page in self.results],
            "failed": _dicts(self.failed),
            "elapsed_ms": round(self.elapsed_ms, 1),
        }


@dataclass(frozen=True, slots=True)
class CrawlResult:
    """The pages of a crawl."""

    base_url: str
    results: tuple[Page, ...] = ()
    failed: tuple[Failure, ...] = ()
    notes: tuple[str, ...] = ()
    elapsed_ms: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return the form that `kensaku crawl --json` prints."""
        return {
            "base_url": self.base_url,
            "results": [page.to_dict() for page in self.results],
            "failed": _dicts(self.failed),
            "notes": list(self.notes),
            "elapsed_ms": round(self.elapsed_ms, 1),
        }


@dataclass(frozen=True, slots=True)
class SiteMap:
    """The addresses of a site."""

    base_url: str
    urls: tuple[str, ...] = ()
    failed: tuple[Failure, ...] = ()
    notes: tuple[str, ...] = ()
    elapsed_ms: float = 0.0
    titles: Mapping[str, str] = field(default_factory=dict)  # of the pages that were read for it

    def to_dict(self) -> dict[str, Any]:
        """Return the form that `kensaku map --json` prints."""
        return {
            "base_url": self.base_url,
            "results": list(self.urls),
            "failed": _dicts(self.failed),
            "notes": list(self.notes),
            "elapsed_ms": round(self.elapsed_ms, 1),
        }


def _dicts(failed: Iterable[Failure]) -> list[dict[str, Any]]:
    return [failure.to_dict() for failure in failed]

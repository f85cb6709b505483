"""What a crawl or a map is asked for: Tavily's parameters, checked before anything is sent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from kensaku.errors import InvalidQuery
from kensaku.fetch.crawl.links import Scope, normal

Progress = Callable[[str, int, int], None]

_BOUNDS: dict[str, tuple[float, float]] = {
    "max_depth": (1, 5),
    "max_breadth": (1, 500),
    "limit": (1, 10_000),
    "timeout": (1, 3_600),
}


@dataclass(frozen=True, slots=True)
class Plan:
    """One crawl.

    `instructions` are compared with addresses and texts word by word: links that share words
    with them come first, and pages that share none are left out of the results. It is a filter,
    not a reader: write the words that the pages use.
    """

    url: str
    instructions: str | None = None
    max_depth: int = 1  # links between the first page and the last
    max_breadth: int = 20  # links that are followed from one page
    limit: int = 50  # pages in all
    select_paths: Sequence[str] | None = None  # RE2, found anywhere in the path
    exclude_paths: Sequence[str] | None = None
    select_domains: Sequence[str] | None = None  # RE2, found anywhere in the host name
    exclude_domains: Sequence[str] | None = None
    allow_external: bool = True  # pages of other sites are read too, but not followed from there
    timeout: float = 150.0
    sitemap: bool = False  # begin with what the site lists, too

    def __post_init__(self) -> None:
        for name, (low, high) in _BOUNDS.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise InvalidQuery(f"{name} is {str(value)[:40]!r}; it must be a number")
            if not low <= value <= high:
                raise InvalidQuery(f"{name} is {value}; it must be from {low:g} to {high:,g}")
        given = self.url.strip() if isinstance(self.url, str) else ""
        url = normal(given if "://" in given else f"https://{given}") if given else None
        if url is None:
            raise InvalidQuery("url is not a web address", remedy="write https://example.com")
        object.__setattr__(self, "url", url)

    @property
    def scope(self) -> Scope:
        """What belongs to the crawl. Raises for a pattern that cannot be run."""
        return Scope.of(
            self.url,
            self.select_paths,
            self.exclude_paths,
            self.select_domains,
            self.exclude_domains,
            self.allow_external,
        )

    def state_file(self, folder: Path, tenant: str = "") -> Path:
        """Where the state of this very crawl lives: the same call finds it again."""
        known: dict[str, Any] = asdict(self)
        del known["timeout"]
        digest = blake2b(repr((tenant, sorted(known.items()))).encode(), digest_size=12)
        return folder / f"{digest.hexdigest()}.sqlite"

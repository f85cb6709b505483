"""The parameters of a crawl or a map: Tavily's names, checked before anything is sent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal

from kensaku.errors import InvalidQuery
from kensaku.fetch.crawl.links import Scope, normalize
from kensaku.messages import msg
from kensaku.text.short import short_repr

_BOUNDS: dict[str, tuple[float, float]] = {
    "max_depth": (1, 5),
    "max_breadth": (1, 500),
    "limit": (1, 10_000),
    "timeout": (1, 3_600),
}


@dataclass(frozen=True, slots=True)
class Plan:
    """The parameters of one crawl.

    `instructions` are compared with URLs and texts word by word: links that share words with them
    come first, and pages that share none are left out of the results. They are a filter, not a
    prompt: write the words that the pages use.
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
    sitemap: bool | Literal["only"] = False  # begin with what the site lists; "only": a map of it

    def __post_init__(self) -> None:
        for name, (low, high) in _BOUNDS.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise InvalidQuery(
                    msg(
                        "{name} is {short_repr}; it must be a number",
                        name=name,
                        short_repr=short_repr(value),
                    )
                )
            if not low <= value <= high:
                shown = short_repr(value)
                raise InvalidQuery(
                    msg(
                        "{name} is {shown}; it must be from {low:g} to {high:,g}",
                        name=name,
                        shown=shown,
                        low=low,
                        high=high,
                    )
                )
        text = self.url.strip() if isinstance(self.url, str) else ""
        url = normalize(text if "://" in text else f"https://{text}") if text else None
        if url is None:
            raise InvalidQuery(
                msg("url is not a web address"), remedy=msg("write https://example.com")
            )
        object.__setattr__(self, "url", url)

    @property
    def scope(self) -> Scope:
        """The URLs that belong to the crawl. Raise for a pattern that cannot be compiled."""
        return Scope.of(
            self.url,
            self.select_paths,
            self.exclude_paths,
            self.select_domains,
            self.exclude_domains,
            self.allow_external,
        )

    def state_file(self, folder: Path, tenant: str = "") -> Path:
        """Return where the state of this crawl is stored; an equal plan finds it again."""
        parameters: dict[str, Any] = asdict(self)
        del parameters["timeout"]
        digest = blake2b(repr((tenant, sorted(parameters.items()))).encode(), digest_size=12)
        return folder / f"{digest.hexdigest()}.sqlite"

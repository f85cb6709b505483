"""The search form: the fields of an address, or of a request of the page → a query and a route."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any
from urllib.parse import urlencode

from kensaku.config.settings import Mode
from kensaku.models import MAX_QUERY_CHARS, Query

ALL, LOCAL = "all", "local"
MAX_FIELD = 300


@dataclass(frozen=True, slots=True)
class SearchForm:
    """What was filled in. Every field is text; an empty one is the usual."""

    q: str = ""
    route: str = ""  # "": the settings'; "all": everybody, fused; or names
    time: str = ""
    language: str = ""
    n: str = ""
    topic: str = ""
    site: str = ""
    collection: str = ""
    depth: str = ""

    @classmethod
    def read(cls, given: Mapping[str, Any]) -> SearchForm:
        """Read the fields that are text, as far as they go; what is too long is refused later."""
        values = {}
        for field in fields(cls):
            value = given.get(field.name)
            most = MAX_QUERY_CHARS + 1 if field.name == "q" else MAX_FIELD
            values[field.name] = value.strip()[:most] if isinstance(value, str) else ""
        return cls(**values)

    @property
    def filtered(self) -> bool:
        """Whether something is left out of the search."""
        return any((self.time, self.language, self.topic, self.site, self.collection))

    @property
    def number(self) -> int | None:
        """How many results were asked for."""
        return int(self.n) if self.n.isascii() and self.n.isdigit() else None

    @property
    def hosts(self) -> tuple[str, ...]:
        """The hosts that the search is about; commas or spaces stand between them."""
        return tuple(self.site.replace(",", " ").split())

    def query(self, max_results: int) -> Query:
        """Return the query. Raises `UsageError`."""
        options: dict[str, Any] = {
            "max_results": max_results if self.number is None else self.number,
            "time_range": self.time or None,
            "language": self.language or None,
            "include_domains": self.hosts,
            "collection": self.collection or None,
            "include_answer": True,
        }
        if self.topic:
            options["topic"] = self.topic
        if self.depth:
            options["depth"] = "advanced"
        return Query(self.q, **options)

    @property
    def routing(self) -> tuple[str | None, Mode | None]:
        """The route and the mode of `Kensaku.search`."""
        if self.route == ALL:
            return None, "all"
        if self.collection and not self.route:
            return LOCAL, None
        return self.route or None, None

    def with_(self, **changes: str) -> SearchForm:
        """The form with other fields."""
        return replace(self, **changes)

    def address(self, root: str = "") -> str:
        """The address of this search."""
        return f"{root}/?{urlencode({k: v for k, v in asdict(self).items() if v})}"

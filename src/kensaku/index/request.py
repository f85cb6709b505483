"""One search of the index, checked, as a value that travels to the worker. Pure.

Index.search → SearchRequest → to_wire ─ socket ─ from_wire → search(collections, request)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from typing import Any, Literal

from kensaku.errors import InvalidQuery
from kensaku.index.worker.protocol import pack_vector, unpack_vector
from kensaku.messages import msg
from kensaku.models import MAX_QUERY_CHARS

SearchMode = Literal["lexical", "hybrid", "dense"]

MAX_RESULTS = 1_000


@dataclass(frozen=True, slots=True)
class Filters:
    """Which documents a search may return.

    A domain includes its subdomains. Both dates are inclusive ISO dates, as exact as a day, a
    month or a year.
    """

    include_domains: tuple[str, ...] = ()
    exclude_domains: tuple[str, ...] = ()
    start_date: str | None = None
    end_date: str | None = None
    language: str | None = None


def make_filters(
    include_domains: Iterable[str],
    exclude_domains: Iterable[str],
    start_date: date | str | None,
    end_date: date | str | None,
    language: str | None,
) -> Filters:
    """Normalise what the caller of a search passed."""
    return Filters(
        tuple(map(_normalise_domain, include_domains)),
        tuple(map(_normalise_domain, exclude_domains)),
        str(start_date) if start_date else None,
        str(end_date) if end_date else None,
        language,
    )


def _normalise_domain(name: str) -> str:
    return name.lower().strip().removeprefix("*.").removeprefix("www.").strip(".")


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """The parameters of one search, as sent to the worker."""

    text: str
    collections: tuple[str, ...] | None = None  # None: all of them
    max_results: int = 10
    filters: Filters = field(default_factory=Filters)
    mode: SearchMode | None = None
    mmr: float | None = None
    freshness: float | None = None  # half-life in days
    vector: Sequence[float] | None = None  # the query's, when a model embedded it …
    model: str = ""  # … the name of that model …
    trust: float = 0.0  # … and its weight beside BM25's
    by_passage: bool = False  # list several passages of one document
    distinct: bool = False  # of documents with the same text, list one
    include_document: bool = False  # return the whole text of each document, too
    namespace: str = ""  # whose collections are searched when none is named (`namespace.py`)

    def __post_init__(self) -> None:
        if not self.text.strip():
            raise InvalidQuery(msg("the query is empty"), remedy=msg("say what to search for"))
        if len(self.text) > MAX_QUERY_CHARS:
            raise InvalidQuery(
                msg(
                    "the query has {count} characters, over {max_query_chars}",
                    count=len(self.text),
                    max_query_chars=MAX_QUERY_CHARS,
                )
            )
        if not 1 <= self.max_results <= MAX_RESULTS:
            raise InvalidQuery(
                msg(
                    "max_results is {max_results}, and must be 1 to {max_results_}",
                    max_results=self.max_results,
                    max_results_=MAX_RESULTS,
                )
            )
        if self.mmr is not None and not 0 <= self.mmr <= 1:
            raise InvalidQuery(msg("mmr is {mmr}, and must be 0 to 1", mmr=self.mmr))
        if self.freshness is not None and not 0 <= self.freshness < math.inf:
            raise InvalidQuery(
                msg(
                    "freshness is {freshness}; it must be a number of days",
                    freshness=self.freshness,
                )
            )

    @property
    def by_meaning_only(self) -> bool:
        """Whether the vectors alone decide, where there are any."""
        return self.mode == "dense" or (self.mode is None and self.trust >= 1)

    def to_wire(self) -> dict[str, Any]:
        """Return the request as values that JSON can hold."""
        filters = asdict(self.filters)
        names = {name: getattr(self, name) for name in self.__slots__}
        return names | {"filters": filters, "vector": pack_vector(self.vector)}

    @classmethod
    def from_wire(cls, values: Mapping[str, Any]) -> SearchRequest:
        """Return the request that `to_wire` wrote."""
        names = values["collections"]
        lists = ("include_domains", "exclude_domains")  # JSON has no tuples
        domains = {name: tuple(values["filters"][name]) for name in lists}
        read = {
            "collections": None if names is None else tuple(names),
            "filters": Filters(**{**values["filters"], **domains}),
            "vector": unpack_vector(values["vector"]),
        }
        return cls(**{**values, **read})

"""Ask several routes the same, and compare what they found: overlap, unique hits, cost, latency.

done = await compare(k, "python 3.14 release date", ["tavily", "brave", "exa,brave"])
for side in done.sides:
    print(side.route, side.unique, side.response.cost)
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kensaku.errors import InvalidQuery
from kensaku.messages import msg
from kensaku.text.urls import canonical

if TYPE_CHECKING:
    from kensaku.client import Kensaku
    from kensaku.models import Hit, Query, Response
    from kensaku.search.budget import Budget

MIN_ROUTES, MAX_ROUTES = 2, 6


@dataclass(frozen=True, slots=True)
class Side:
    """What one route found. `shared[n]` says how many other routes found hit n, too."""

    route: str
    response: Response
    shared: tuple[int, ...]

    @property
    def unique(self) -> int:
        """How many hits no other route found."""
        return self.shared.count(0)

    def to_dict(self) -> dict[str, Any]:
        """The side, ready for JSON."""
        response = self.response.to_dict()
        return {"route": self.route, "unique": self.unique, "shared": list(self.shared), **response}


@dataclass(frozen=True, slots=True)
class Overlap:
    """How many pages two routes have in common, of how many in all."""

    first: str
    second: str
    common: int
    total: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """Several routes, asked the same."""

    query: str
    sides: tuple[Side, ...]
    overlaps: tuple[Overlap, ...]

    def to_dict(self) -> dict[str, Any]:
        """The comparison, ready for JSON."""
        pairs = [
            {"routes": [o.first, o.second], "common": o.common, "total": o.total}
            for o in self.overlaps
        ]
        return {
            "query": self.query,
            "sides": [side.to_dict() for side in self.sides],
            "overlaps": pairs,
        }


async def compare(
    k: Kensaku,
    query: str | Query,
    routes: Iterable[str],
    *,
    budget: Budget | None = None,
    cache: bool | None = None,
) -> Comparison:
    """Ask every route at the same time. A route that fails says so in its own response.

    `cache` False asks every provider anew: latencies are then those of providers.
    """
    names = list(dict.fromkeys(routes))
    if not MIN_ROUTES <= len(names) <= MAX_ROUTES:
        raise InvalidQuery(
            msg(
                "there are {count} routes; compare {min_routes} to {max_routes}",
                count=len(names),
                min_routes=MIN_ROUTES,
                max_routes=MAX_ROUTES,
            )
        )
    searches = (k.search(query, route=name, budget=budget, cache=cache) for name in names)
    responses = await asyncio.gather(*searches)
    pages = [_pages(response.hits) for response in responses]
    counts = Counter(page for side in pages for page in set(side))
    sides = [
        Side(name, response, tuple(counts[page] - 1 for page in side))
        for name, response, side in zip(names, responses, pages, strict=True)
    ]
    text = query if isinstance(query, str) else query.text
    return Comparison(text, tuple(sides), tuple(_overlaps(names, pages)))


def _pages(hits: Sequence[Hit]) -> list[str]:
    return [canonical(hit.url) for hit in hits]


def _overlaps(names: Sequence[str], pages: Sequence[list[str]]) -> Iterable[Overlap]:
    for i, first in enumerate(names):
        for j in range(i + 1, len(names)):
            a, b = set(pages[i]), set(pages[j])
            yield Overlap(first, names[j], len(a & b), len(a | b))

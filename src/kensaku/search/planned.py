"""The plan of a search: computed from query, route and settings, once for equal searches.

query, route, scrub → how it leaves → the route for it → specialists → the key of its response
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kensaku.search.cache import cache_key
from kensaku.search.outbound import Outbound, to_send

if TYPE_CHECKING:
    from kensaku.models import Query
    from kensaku.resources import Resources
    from kensaku.search.route import Beside, Route


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """A search before it is run."""

    route: Route
    beside: Beside  # specialists that are asked, too
    outbound: Outbound  # how the query leaves
    cache_key: str


def make_plan(resources: Resources, query: Query, route: Route, scrub: bool | None) -> SearchPlan:
    """Plan a search. Raises `QueryWithheld`.

    It is pure: `Resources.planned` keeps the latest plans of a client, which is one tenant's.
    """
    outbound = to_send(query, route, resources, scrub)
    ordered = route.ordered_for(query)
    beside = ordered.beside(outbound.query or query)
    return SearchPlan(ordered, beside, outbound, cache_key(resources, query, ordered, beside))

"""Compare: one question, several routes side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from kensaku.compare import MAX_ROUTES, MIN_ROUTES, compare
from kensaku.errors import InvalidQuery, KensakuError
from kensaku.messages import msg
from kensaku.models import Query
from kensaku.server.page import snippets
from kensaku.server.page.results import hit_view, said_of
from kensaku.server.page.search.view import ready_providers
from kensaku.server.page.tabs import api, text_in
from kensaku.server.page.viewer import is_cross_site

if TYPE_CHECKING:
    from kensaku.compare import Comparison
    from kensaku.server.page.request import PageRequest
    from kensaku.server.wires.base import Asked

RESULTS = 8


def routes_in(asked: Asked) -> list[str]:
    """The routes of the address: every `route=` of it."""
    found = parse_qs(asked.query_string, max_num_fields=50).get("route", [])
    return list(dict.fromkeys(r[:200] for r in found))


def searches(asked: Asked) -> int:
    """How many searches showing this view makes: one for each route."""
    return _cost(routes_in(asked)) if _is_asked(asked) else 0


def _is_asked(asked: Asked) -> bool:
    q = asked.params.get("q", "").strip()
    return bool(q and routes_in(asked)) and not is_cross_site(asked.headers)


def _cost(routes: list[str]) -> int:
    return len(routes) if MIN_ROUTES <= len(routes) <= MAX_ROUTES else 0  # else it is refused


async def show(page: PageRequest, asked: Asked) -> dict[str, Any]:
    """The values of `compare.html`. The routes are repeated in the address."""
    q, chosen = page.params.get("q", "").strip(), routes_in(asked)
    ready = ready_providers(page.client)
    values: dict[str, Any] = {
        "q": q, "ready": ready, "chosen": chosen or ready[:3], "done": None, "error": None,
        "sides": [], "use": snippets.for_compare(page, q, chosen),
    }  # fmt: skip
    if not _is_asked(asked):
        return values
    try:
        done = await run(page, q, chosen)
    except KensakuError as error:
        page.outcome = type(error).__name__
        return values | {"error": error}
    return values | {"done": done, "sides": sides(page, done)}


async def run(page: PageRequest, q: str, routes: list[str]) -> Comparison:
    """Compare."""
    if not _cost(routes):
        raise InvalidQuery(page.t("choose two to six routes"))
    return await compare(page.client, Query(q, max_results=RESULTS), routes)


def sides(page: PageRequest, done: Comparison) -> list[dict[str, Any]]:
    """Each route with its hits, ready to be shown."""
    slowest = max((s.response.elapsed_ms for s in done.sides), default=1.0) or 1.0
    return [
        {
            "side": side,
            "hits": [
                (hit_view(n, hit, done.query, page.t), shared)
                for n, (hit, shared) in enumerate(
                    zip(side.response.hits, side.shared, strict=True), 1
                )
            ],
            "share": 100 * side.response.elapsed_ms / slowest,
            "errors": [
                (a.provider, said_of(a, page.t))
                for a in side.response.attempts
                if a.error is not None
            ],
        }
        for side in done.sides
    ]


def _listed(asked: Asked) -> list[str]:
    routes = asked.fields.get("routes")
    if not isinstance(routes, list) or not all(isinstance(r, str) for r in routes):
        raise InvalidQuery(msg("routes must be a list of texts"))
    return routes


async def compared(page: PageRequest, asked: Asked) -> dict[str, Any]:
    """Ask the `routes` of a list the same: `q`."""
    done = await run(page, text_in(asked, "q"), _listed(asked))
    return done.to_dict()


ENDPOINTS = [
    api(
        "POST",
        "/api/compare",
        compared,
        cost=lambda asked: _cost(_listed(asked)),
        is_owners=False,
    )
]

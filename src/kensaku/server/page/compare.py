"""The view Compare: one question, several routes side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kensaku.compare import MAX_ROUTES, MIN_ROUTES, compare
from kensaku.errors import InvalidQuery, KensakuError
from kensaku.models import Query
from kensaku.server.page import snippets
from kensaku.server.page.results import hit_view, said_of
from kensaku.server.page.search import ready_providers
from kensaku.server.page.viewer import is_cross_site

if TYPE_CHECKING:
    from kensaku.compare import Comparison
    from kensaku.server.page.request import PageRequest
    from kensaku.server.session import Session

RESULTS = 8


async def show(page: PageRequest) -> dict[str, Any]:
    """The values of `compare.html`. The routes are repeated in the address, or joined by `;`."""
    q = page.params.get("q", "").strip()
    ready = ready_providers(page.client)
    chosen = routes_in(page)
    values: dict[str, Any] = {
        "q": q, "ready": ready, "chosen": chosen or ready[:3], "done": None, "error": None,
        "sides": [], "use": snippets.for_compare(page, q, chosen),
    }  # fmt: skip
    if not q or not chosen or is_cross_site(page.headers):
        return values
    try:
        async with page.state.request(
            page.scope, "page/compare", page.headers, {}, page.principal
        ) as session:
            done = await run(page, session, q, chosen)
            session.outcome = "found"
    except KensakuError as error:
        return values | {"error": error}
    return values | {"done": done, "sides": sides(page, done)}


async def run(page: PageRequest, session: Session, q: str, routes: list[str]) -> Comparison:
    """Compare, within the limits of the key: every route counts as a search."""
    if not MIN_ROUTES <= len(routes) <= MAX_ROUTES:
        raise InvalidQuery(page.t("choose two to six routes"))
    await session.check_limits(len(routes))
    query = Query(q, max_results=RESULTS)
    return await compare(session.client, query, routes)


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


def routes_in(page: PageRequest) -> list[str]:
    """The routes of the address: every `route=` of it."""
    from urllib.parse import parse_qs

    query = page.scope.get("query_string", b"").decode("latin-1")
    found = parse_qs(query, max_num_fields=50).get("route", [])
    return list(dict.fromkeys(r[:200] for r in found))

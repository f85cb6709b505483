"""One query, several routes side by side."""

from __future__ import annotations

import pytest

from kensaku.compare import compare
from kensaku.errors import InvalidQuery, UnknownName
from kensaku.models import Hit, Outcome, Query
from kensaku.search.budget import Budget
from kensaku.testing import faults

BOTH = Hit("https://a.example/page", "Both", "otters")


async def test_what_routes_share_is_counted_by_page_not_by_spelling(make_client, upstream):
    """`www.`, a slash at the end and tracking parameters are the same page."""
    upstream.answers("tavily", [BOTH, Hit("https://b.example/", "Only tavily", "otters")])
    upstream.answers("brave", [Hit("https://www.a.example/page/?utm_source=x", "Both", "otters")])
    upstream.fails("exa", faults.status(401))

    done = await compare(
        make_client("tavily", "brave", "exa"), "otters", ["tavily", "brave", "exa"]
    )

    tavily, brave, exa = done.sides
    assert (tavily.unique, tavily.shared, brave.unique) == (1, (1, 0), 0)
    assert exa.response.outcome is Outcome.UNAVAILABLE
    told = done.to_dict()
    assert told["overlaps"] == [
        {"routes": ["tavily", "brave"], "common": 1, "total": 2},
        {"routes": ["tavily", "exa"], "common": 0, "total": 2},
        {"routes": ["brave", "exa"], "common": 0, "total": 1},
    ]
    assert told["query"] == "otters"
    assert told["sides"][0] == {
        "route": "tavily", "unique": 1, "shared": [1, 0], **tavily.response.to_dict(),
    }  # fmt: skip
    assert [side["route"] for side in told["sides"]] == ["tavily", "brave", "exa"]


async def test_every_route_is_paid_from_the_budget_and_may_leave_the_cache_alone(
    make_client, upstream
):
    """Latencies are those of providers when nothing comes from the cache."""
    client, budget = make_client("tavily", "brave"), Budget(searches=5)

    await compare(client, Query("otters"), ["tavily", "brave"], budget=budget)
    again = await compare(client, Query("otters"), ["tavily", "brave"], budget=budget, cache=False)

    assert again.query == "otters"
    assert [side.response.cached for side in again.sides] == [False, False]
    assert len(upstream.requests) == 4
    assert budget.left() == {"searches": 1}


async def test_six_routes_can_be_compared(make_client, upstream):
    """One more cannot."""
    routes = ["tavily", "brave", "exa", "tavily,brave", "brave,exa", "exa,tavily"]

    done = await compare(make_client("tavily", "brave", "exa"), "otters", routes)

    assert [side.route for side in done.sides] == routes


@pytest.mark.parametrize("routes", [[], ["tavily"], ["tavily", "tavily"], list("abcdefg")])
async def test_two_to_six_routes_are_compared(make_client, routes):
    """Nothing is sent otherwise."""
    with pytest.raises(InvalidQuery):
        await compare(make_client("tavily"), Query("otters"), routes)


async def test_an_unknown_route_is_the_callers_to_mend(make_client):
    """It names the nearest."""
    with pytest.raises(UnknownName):
        await compare(make_client("tavily"), "otters", ["tavily", "nowhere"])

"""One query, several routes side by side."""

from __future__ import annotations

import pytest

from kensaku.compare import compare
from kensaku.errors import InvalidQuery, UnknownName
from kensaku.models import Hit, Outcome, Query
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
    first = done.overlaps[0]
    assert (first.first, first.second, first.common, first.total) == ("tavily", "brave", 1, 2)
    assert done.to_dict()["sides"][0]["route"] == "tavily"


@pytest.mark.parametrize("routes", [[], ["tavily"], ["tavily", "tavily"], list("abcdefg")])
async def test_two_to_six_routes_are_compared(make_client, routes):
    """Nothing is sent otherwise."""
    with pytest.raises(InvalidQuery):
        await compare(make_client("tavily"), Query("otters"), routes)


async def test_an_unknown_route_is_the_callers_to_mend(make_client):
    """It names the nearest."""
    with pytest.raises(UnknownName):
        await compare(make_client("tavily"), "otters", ["tavily", "nowhere"])

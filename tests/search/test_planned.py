"""Plans of searches that are kept: none is taken for another's."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from kensaku._resources import MAX_PLANS, Resources
from kensaku.config.settings import Settings
from kensaku.models import Query
from kensaku.search.planned import make_plan
from kensaku.search.route import Route, plan
from kensaku.search.scrub import QueryWithheld
from tests.search.test_cache import FULL, OTHER

SECRET = "tvly-" + "4f9a1c7be2d05836" * 2


def resources(**settings: str) -> Resources:
    environ = {"KENSAKU_HOME": "/nowhere", "TAVILY_API_KEY": "k"}
    return Resources(Settings.load(environ=environ, **{"route": "tavily", **settings}))


@pytest.mark.parametrize("name", [f.name for f in fields(Query)])
def test_a_kept_plan_is_that_of_the_whole_query(name):
    """Planned one after the other in one client, as when nothing is kept."""
    change = {name: OTHER[name]}
    plain = replace(FULL, start_date=None, end_date=None) if name == "time_range" else FULL
    kept, route = resources(), Route(("tavily",))
    for query in (plain, replace(plain, **change), plain):
        assert kept.planned(query, route, None) == make_plan(resources(), query, route, None)


def test_a_kept_plan_is_that_of_the_whole_route():
    """Names, mode, and the specialists of `auto`, which are not hashed."""
    kept, query = resources(), Query("papers on sea otters")
    routes = [
        Route(("tavily",)),
        Route(("tavily", "brave")),
        Route(("tavily",), "all"),
        Route(("tavily",), specialists={"papers": ("arxiv",)}),
        Route(("tavily",), specialists={"papers": ("semanticscholar",)}),
        plan(resources(route="auto").settings),
    ]
    plans = [kept.planned(query, route, None) for route in routes]

    assert plans == [make_plan(resources(), query, route, None) for route in routes]
    assert len({p.cache_key for p in plans}) == len(routes)


def test_what_may_leave_is_decided_by_each_caller():
    """A key in a query that one caller sends on purpose is removed for the next."""
    kept, route, query = resources(), Route(("tavily",)), Query(f"why does {SECRET} fail")

    sent = [kept.planned(query, route, scrub).outbound.query for scrub in (False, True, None)]

    assert sent[0] is None
    assert sent[1] is not None
    assert SECRET not in sent[1].text
    assert sent[2] == sent[1]


def test_a_query_that_is_withheld_is_withheld_again():
    """A refusal is not kept, and not forgotten."""
    kept, query = resources(scrub_action="ask"), Query(f"why does {SECRET} fail")
    for _ in range(2):
        with pytest.raises(QueryWithheld):
            kept.planned(query, Route(("tavily",)), None)


def test_tenants_have_plans_of_their_own():
    """The key of a cached response names the tenant."""
    shared, query, route = resources(), Query("otters"), Route(("tavily",))
    tenants = [shared, shared.for_tenant("a"), shared.for_tenant("b")]

    keys = {r.planned(query, route, None).cache_key for r in tenants for _ in range(2)}

    assert len(keys) == len(tenants)


def test_a_bounded_number_of_plans_is_kept():
    """As many queries as there are take no more memory."""
    kept = resources()
    for n in range(MAX_PLANS + 10):
        kept.planned(Query(f"otters {n}"), Route(("tavily",)), None)

    assert kept.planned.cache_info().currsize == MAX_PLANS  # type: ignore[attr-defined]

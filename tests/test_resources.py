"""Every setting reaches the part that it is about: one that is not passed on does nothing."""

from __future__ import annotations

import pytest

from kensaku import Settings
from kensaku._resources import Resources
from kensaku.search.budget import RetryBudget
from kensaku.store import FallbackStore


@pytest.fixture
def resources(machine):
    """Resources with settings that are all other than the defaults."""

    def make(**settings):
        usual = {"state_url": "memory:", "cache_url": "memory:", "home": machine}
        return Resources(Settings(**{**usual, **settings}))

    return make


async def test_the_settings_of_pages_reach_their_reader(resources):
    """Limits, politeness, addresses, the proxy and the name that sites see."""
    made = resources(
        fetch_timeout=7, fetch_max_bytes=2_048, fetch_per_host=5, fetch_fresh=33,
        fetch_robots="crawl", fetch_optouts="refuse", fetch_allow=["10.0.0.0/8", "wiki.lan"],
        fetch_ports=["80", "8081"], fetch_proxy="http://p.example:1", user_agent="Otter/1",
        tenant="t1",
    )  # fmt: skip
    fetcher = made.reader().fetcher

    assert (fetcher.transport.limits.total, fetcher.transport.limits.decoded) == (7, 2_048)
    assert (fetcher.policy.robots, fetcher.policy.optouts) == ("crawl", "refuse")
    assert fetcher.policy.at_once == 5
    assert fetcher.transport.guard.ports == {80, 8081}
    assert fetcher.transport.guard.names == {"wiki.lan"}
    assert fetcher.transport.guard.admits("10.1.2.3")
    assert fetcher.transport.proxy == "http://p.example:1"
    assert fetcher.transport.user_agent == "Otter/1"
    assert fetcher.cache is not None
    assert fetcher.browser is None
    await made.close()


async def test_pages_are_kept_in_the_store_of_the_cache_unless_it_is_off(resources):
    """And a reader is made once for each event loop."""
    made, without = resources(), resources(cache_enabled=False)

    assert made.reader() is made.reader()
    assert without.reader().fetcher.cache is None
    await made.close()
    await without.close()


async def test_any_port_may_be_allowed(resources):
    """By the word that says so."""
    made = resources(fetch_ports=["any"])

    assert made.reader().fetcher.transport.guard.ports is None
    await made.close()


async def test_the_settings_of_connections_reach_the_client(resources):
    """The proxy and the name that providers see."""
    made = resources(proxy="http://p.example:1", user_agent="Otter/1")

    assert made.http.proxy == "http://p.example:1"
    assert made.http is made.http
    assert "Otter/1" in str(vars(made.http))
    assert resources().http.proxy is None
    await made.close()


@pytest.mark.parametrize(
    ("settings", "searches", "money", "shared"),
    [
        ({}, None, None, False),
        ({"budget_searches": 3}, 3, None, True),
        ({"budget_money": 0.5}, None, 0.5, True),
    ],
)
def test_a_budget_is_shared_when_there_is_one(resources, settings, searches, money, shared):
    """By the tenant's name, for the period that was set."""
    budget = resources(budget_period="month", **settings).budget

    assert (budget.searches, budget.money, budget.period) == (searches, money, "month")
    assert budget.bounded is shared
    assert (budget.store is not None) is shared
    assert budget.name == "default"
    assert resources(tenant="t1").budget.name == "t1"


async def test_a_tenant_has_its_own_budget_and_reader_and_the_connections_of_all(resources):
    """What costs memory or a handshake exists once."""
    made = resources(retry_budget=0.25)
    tenant = made.for_tenant("t1")

    assert tenant.settings.tenant == "t1"
    for shared in ("http", "store", "cache", "retries", "hedges", "single_flight", "observers"):
        assert getattr(tenant, shared) is getattr(made, shared), shared
    assert tenant.limiter("tavily") is made.limiter("tavily")
    assert tenant.budget is not made.budget
    assert tenant.reader() is not made.reader()
    assert tenant.reader().parser is made.reader().parser
    assert tenant.index is not made.index
    await made.close()


@pytest.mark.parametrize(
    ("share", "searches", "calls"), [(0.5, 4, 12), (0.0, 50, 10), (1.0, 200, 100)]
)
def test_extra_calls_are_a_share_of_the_searches(share, searches, calls):
    """Ten to begin with, and a hundred searches' worth at the most."""
    budget = RetryBudget(share)
    for _ in range(searches):
        budget.earn()

    taken = sum(budget.take() for _ in range(1_000))

    assert taken == calls
    assert not budget.left()


def test_the_stores_stand_behind_a_fallback(machine):
    """A store that fails costs half a second, and not the search."""
    made = Resources(Settings(home=machine))

    assert isinstance(made.store, FallbackStore)
    assert made.store_notes == ()
    assert not isinstance(
        Resources(Settings(home=machine, state_url="memory:")).store, FallbackStore
    )


def test_without_fitted_models_in_home_there_are_none(resources):
    """Those that come with Kensaku are used."""
    assert resources().confidence_models is None


def test_the_settings_of_the_index_reach_it(resources):
    """The engine, the model and the fields of other applications."""
    index = resources(
        index_url="http://q.example:6333", index_api_key="qk", index_model="ollama:nomic",
        index_model_api_key="mk", index_text_field="body", index_title_field="head",
        index_url_field="link", index_vector="v1", tenant="t1",
    ).index  # fmt: skip

    assert (index._url, index._api_key, index._path) == ("http://q.example:6333", "qk", None)
    assert (index._model_name, index._model_key) == ("ollama:nomic", "mk")
    assert (index._fields.text, index._fields.title, index._fields.url) == (
        ("body",),
        ("head",),
        ("link",),
    )
    assert index._fields.vector == "v1"
    assert index._tenant == "t1"

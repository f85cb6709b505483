"""Every setting reaches the part that it is about: one that is not passed on does nothing."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from kensaku import Hit, Query, Settings
from kensaku._resources import Resources
from kensaku.errors import AddressRefused, BudgetExceeded, IndexFault
from kensaku.fetch import Extraction
from kensaku.fetch.results import Failure
from kensaku.models import Page
from kensaku.search.budget import Budget, RetryBudget
from kensaku.search.calibration import Model, write_models
from kensaku.search.route import plan
from kensaku.store import FallbackStore, MemoryStore
from kensaku.testing import Cassette
from tests.recorder import Recorder


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


async def test_the_models_that_a_person_fitted_weigh_a_search(make_client, machine, upstream):
    """They are read from home, once."""
    client = make_client("tavily")
    fitted = dict.fromkeys(("web", "local"), Model({}, 0.0, "my own runs"))
    write_models(machine / "confidence.json", fitted)

    found = (await client.search("otters")).confidence

    assert client._resources.confidence_models == fitted
    assert (found.score, found.fitted_on) == (0.5, "my own runs")


@pytest.mark.parametrize(
    ("environ", "rate"),
    [
        ({"TAVILY_API_KEY": "k", "TAVILY_RATE": "7/m"}, "7/m"),
        ({"TAVILY_API_KEY": "k"}, "rate"),
        ({}, "keyless_rate"),
    ],
)
async def test_the_rate_is_the_settings_or_the_providers(machine, environ, rate):
    """That with a key, or that without one."""
    from kensaku.providers import provider_class
    from kensaku.search.limits import parse_rate

    cls = provider_class("tavily")
    settings = Settings.load(environ={"KENSAKU_HOME": str(machine), **environ}, state_url="memory:")
    made = Resources(settings)
    wanted = getattr(cls, rate, rate) or cls.rate

    assert made.limiter("tavily")._rate == (parse_rate(wanted) if wanted else None)
    assert made.limiter("tavily") is made.limiter("tavily")
    assert made.limiter("tavily")._variable == "TAVILY_API_KEY"
    await made.close()


async def test_a_replay_needs_no_key_and_shares_no_state(machine, tmp_path):
    """A refusal that is played back must not cool down a real key."""
    Cassette(tmp_path / "c.json", mode="record")
    environ = {"KENSAKU_HOME": str(machine)}
    played = Resources(Settings.load(environ=environ), cassette=Cassette(tmp_path / "c.json"))
    recording = Resources(
        Settings.load(environ=environ), cassette=Cassette(tmp_path / "c.json", mode="record")
    )
    plain = Resources(Settings.load(environ=environ))

    assert not isinstance(played.store, FallbackStore)
    assert isinstance(recording.store, FallbackStore)
    assert (await played.limiter("brave").acquire(0)).key == ""
    assert (played._replays, recording._replays, plain._replays) == (True, False, False)
    provider = played.provider("brave")
    await played.load_http(provider)
    assert "http" not in vars(played)
    await plain.load_http(plain.provider("local"))
    assert "http" not in vars(plain)
    await plain.load_http(plain.provider("brave"))
    assert "http" in vars(plain)
    for made in (played, recording, plain):
        await made.close()


async def test_a_hedge_is_one_search_in_twenty(resources):
    """Two to begin with; retries are as the settings say."""
    made = resources(retry_budget=0.5)

    assert sum(made.hedges.take() for _ in range(10)) == 2
    for _ in range(20):
        made.hedges.earn()
    assert sum(made.hedges.take() for _ in range(10)) == 1
    for _ in range(1_000):
        made.hedges.earn()
    assert sum(made.hedges.take() for _ in range(10)) == 5
    made.retries.earn()
    assert sum(made.retries.take() for _ in range(20)) == 10


async def test_what_was_made_is_closed_and_made_again(resources):
    """Providers, readers, connections, stores and index; closing twice is fine."""
    made, closed = resources(), []

    class Part:
        def __init__(self, name: str) -> None:
            self.name = name

        async def close(self) -> None:
            closed.append(self.name)

        async def write_counts(self) -> None:
            closed.append("counts")

    made._providers["x"] = Part("provider")
    made._readers[asyncio.get_running_loop()] = Part("reader")
    for name in ("http", "store", "_cache_store", "index", "cache"):
        vars(made)[name] = Part(name)
    vars(made)["budget"] = Budget()
    made._limiters["x"] = None

    await made.close()
    await made.close()

    assert closed == ["provider", "reader", "counts", "http", "store", "_cache_store", "index"]
    assert not {"http", "store", "_cache_store", "index", "cache", "budget"} & set(vars(made))
    assert not made._limiters
    tenant = made.for_tenant("t")
    tenant._providers["x"] = Part("provider of the tenant")
    vars(tenant)["http"] = Part("not its own")
    await tenant.close()
    assert closed[7:] == ["provider of the tenant"]


async def test_pages_that_are_fetched_are_kept_when_the_settings_say_so(make_client, upstream):
    """In a collection of their own; each counts against the budget."""
    page = upstream.serves("/otter", "<title>Otters</title><main><p>They hold hands.</p></main>")
    options = {"fetch_allow": "127.0.0.1", "fetch_ports": "any"}
    keeping, plain = (
        make_client("local", index_keep_fetched=True, **options),
        make_client(**options),
    )
    budget, seen = Budget(fetches=5), []

    done = await keeping.extract(page, budget=budget, progress=seen.append)
    await plain.extract([page])

    assert [p.title for p in done.results] == ["Otters"]
    assert budget.left() == {"fetches": 4}
    assert seen
    kept = await keeping.index.search("hold hands", collections="fetched")
    assert [hit.url for hit in kept] == [page]
    await keeping._resources._keep_page(Page("https://b.example/", "B", "beavers build"))
    assert await keeping.index.search("beavers", collections="fetched")


async def test_with_the_gate_only_what_was_named_is_read(make_client, upstream):
    """By a person, or by a result; the failures of the others come with the pages."""
    upstream.answers("tavily", [Hit(upstream.serves("/hit", "<p>Found by a search.</p>"), "Hit")])
    named = upstream.serves("/named", "<p>Named by a person.</p>")
    client = make_client("tavily", fetch_gate=True, fetch_allow="127.0.0.1", fetch_ports="any")

    nothing = await client.extract([named])
    client.allow_urls(named)
    hits = (await client.search("otters")).hits
    done = await client.extract([named, hits[0].url, f"{upstream.url}/other"])

    assert [(f[0], type(f[1]).__name__) for f in nothing.failed] == [(named, "NotNamed")]
    assert [p.url for p in done.results] == [named, hits[0].url]
    assert [f[0] for f in done.failed] == [f"{upstream.url}/other"]
    with pytest.raises(AddressRefused):
        client.crawl(f"{upstream.url}/other")
    assert make_client()._resources.gate is None
    make_client().allow_urls([named])


async def test_an_embedding_model_that_refuses_is_an_error_of_the_index(make_client, upstream):
    """With its status, and what to look at."""
    made = make_client()._resources
    url = upstream.serves("/embed", '{"data": [1]}', "application/json")
    bad = upstream.serves("/bad", "{}", "application/json", 404)

    assert await made._post(url, {"input": "x"}, {"X-Key": "k"}) == {"data": [1]}
    assert upstream.requests[-1].headers["x-key"] == "k"
    assert upstream.requests[-1].json == {"input": "x"}
    with pytest.raises(IndexFault) as refused:
        await made._post(bad, {}, {})
    assert str(refused.value) == "the embedding model answered 404; check index.model"


def test_the_troubles_of_both_stores_are_said_once(resources):
    """Of those that were used."""
    made = resources()
    assert made.store_notes == ()
    for name, trouble in (("store", "a"), ("_cache_store", "a")):
        store = FallbackStore(MemoryStore(), None)
        store.trouble = trouble
        vars(made)[name] = store

    assert made.store_notes == ("a",)
    made._cache_store.trouble = "b"
    assert made.store_notes == ("a", "b")
    made.store.trouble = ""
    assert made.store_notes == ("b",)


def test_keys_of_all_providers_are_known(machine):
    """They do not leave in a query."""
    environ = {"KENSAKU_HOME": str(machine), "TAVILY_API_KEY": "a,b", "BRAVE_API_KEY": "c"}

    assert {*Resources(Settings.load(environ=environ)).keys} == {"a", "b", "c"}


async def test_plans_of_128_searches_are_kept(resources):
    """The same query is planned once."""
    made = resources(route=("tavily",))
    route = plan(made.settings)
    for n in range(130):
        made.planned(Query(f"otters {n}"), route, None)

    assert made.planned.cache_info().currsize == 128
    await made.close()


class Reader:
    """In the place of the page reader: what it was asked."""

    def __init__(self) -> None:
        self.calls: list[tuple[object, dict[str, object]]] = []

    async def extract(self, urls, **options):
        self.calls.append((urls, options))
        failed = Failure("https://gone.example/", AddressRefused("gone"))
        return Extraction((Page("https://a.example/", "A", "otters"),), (failed,))

    def crawl(self, url, **options):
        self.calls.append((url, options))
        return "the crawl"

    async def close(self):
        pass


async def test_pages_are_asked_for_with_time_and_progress_and_told_to_observers(resources):
    """The progress of the call, or else of the client; a minute, unless the call says otherwise."""
    made, reader, recorder = resources(), Reader(), Recorder()
    made._readers[asyncio.get_running_loop()] = reader
    made.progress = print
    made.observers.add(recorder)

    done = await made.extract(iter(["u", "v"]))
    await made.extract(["u"], timeout=3, progress=repr)

    assert reader.calls == [
        (["u", "v"], {"timeout": 60.0, "progress": print}),
        (["u"], {"timeout": 3, "progress": repr}),
    ]
    assert (len(done.results), len(done.failed)) == (1, 1)
    assert [o.attributes() for o in recorder.of("pages")] == [
        {"urls": 2, "results": 1, "failed": 1},
        {"urls": 1, "results": 1, "failed": 1},
    ]
    assert "index" not in vars(made)


async def test_fetches_are_spent_of_the_calls_budget_or_the_clients(resources):
    """Only for what may be read; nothing is fetched beyond it."""
    made, reader = resources(fetch_gate=True), Reader()
    made._readers[asyncio.get_running_loop()] = reader
    vars(made)["budget"] = own = Budget(fetches=3)
    given = Budget(fetches=1)
    made.gate.admit(["https://a.example/", "https://b.example/"])

    done = await made.extract(["https://a.example/", "https://no.example/"])
    await made.extract(["https://b.example/"], budget=given)
    with pytest.raises(BudgetExceeded):
        await made.extract(["https://b.example/"], budget=given)
    refused = await made.extract(["https://no.example/", "https://nor.example/"])

    assert (own.left(), given.left()) == ({"fetches": 2}, {"fetches": 0})
    assert [f.url for f in done.failed] == ["https://gone.example/", "https://no.example/"]
    assert [f.url for f in refused.failed] == ["https://no.example/", "https://nor.example/"]
    assert refused.results == ()
    assert len(reader.calls) == 2


@pytest.mark.parametrize("keep", [False, True])
async def test_a_crawl_gets_all_that_was_given(resources, keep):
    """And keeps its pages when the settings say so."""
    made, reader = resources(index_keep_fetched=keep), Reader()
    made._readers[asyncio.get_running_loop()] = reader
    made.progress = print
    kept = made._keep_page if keep else None

    assert made.crawl("u") == "the crawl"
    made.crawl("u", resume=True, progress=repr, max_depth=2)

    assert reader.calls == [
        ("u", {"resume": False, "progress": print, "on_page": kept}),
        ("u", {"resume": True, "progress": repr, "on_page": kept, "max_depth": 2}),
    ]


async def test_a_provider_is_made_once_as_it_is_configured(machine):
    """With its address, its options and the client's resources."""
    environ = {"KENSAKU_HOME": str(machine), "GOOGLE_API_KEY": "k", "GOOGLE_CX": "cx1",
               "TAVILY_BASE_URL": "http://t.example/"}  # fmt: skip
    made = Resources(Settings.load(environ=environ, state_url="memory:"))

    tavily = made.provider("tavily")

    assert tavily is made.provider("tavily")
    assert tavily.base_url == "http://t.example"
    assert made.provider("google").option.get("cx") == "cx1"
    assert made.provider("brave").base_url == made.provider("brave").url
    tenant = made.for_tenant("t1")
    assert tenant.provider("tavily") is not tavily
    await made.close()


async def test_a_request_goes_over_the_network_or_to_the_cassette(resources):
    """With the same query and key."""
    made, told = resources(), []

    class Provider:
        def ask(self, *given):
            told.append(("network", *given))
            return "found"

    class Tape:
        replays = False

        def ask(self, *given):
            told.append(("tape", *given))
            return "played"

    provider, query = Provider(), Query("otters")
    assert made.ask(provider, query, "k") == "found"
    made._cassette = Tape()
    assert made.ask(provider, query, "k") == "played"
    assert made.for_tenant("t")._cassette is made._cassette

    assert told == [
        ("network", query, "k", made.http),
        ("tape", provider, query, "k", made.http),
    ]
    await made.close()


def test_a_tenant_has_the_progress_of_its_client(machine):
    """What was given to the client is used: its budget, its observers."""
    budget, recorder = Budget(searches=1), Recorder()
    made = Resources(Settings(home=machine), budget=budget, progress=print, observers=[recorder])

    tenant = made.for_tenant("t1")

    assert (made.budget, made.progress, made.shared) == (budget, print, None)
    assert made.observers.all == (recorder,)
    assert (tenant.progress, tenant.shared) == (print, made)
    assert tenant.settings == replace(made.settings, tenant="t1")
    assert tenant._cache_store is made._cache_store
    assert tenant.budget is not budget


def test_the_cache_keeps_as_long_and_as_much_as_the_settings_say(machine):
    """In the store of its own address."""
    made = Resources(Settings(home=machine, cache_ttl=7, cache_stale=9, cache_max_bytes=10_000_000,
                              state_url="memory:"))  # fmt: skip

    assert made.cache is made.cache
    assert (made.cache._ttl, made.cache._stale) == (7, 9)
    assert isinstance(made._cache_store, FallbackStore)
    assert not isinstance(made.store, FallbackStore)

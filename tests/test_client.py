"""The client's own part: options by name, one error for each wrong call, nothing internal public."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from kensaku import Budget, Document, Hit, Kensaku, Outcome, Query, Response, Settings
from kensaku.errors import ConfigError, InvalidQuery, PageUnavailable, UnknownName
from kensaku.models import Page
from kensaku.search import pipeline
from kensaku.search.budget import current_budget
from tests.recorder import Recorder


@pytest.mark.parametrize(
    ("call", "nearest"),
    [
        (lambda k: k.search("otters", max_result=3), "max_results"),
        (lambda k: k.context("otters", rout="local"), "route"),
        (lambda k: k.answer("otters", timout=3), "timeout"),
    ],
    ids=["search", "context", "answer"],
)
async def test_a_misspelt_option_is_named_with_the_nearest(call, nearest, make_client, upstream):
    """Before anything is sent."""
    with pytest.raises(UnknownName, match=f"did you mean '{nearest}'"):
        await call(make_client("tavily"))

    assert not upstream.requests


async def test_a_query_does_for_a_text_everywhere(make_client, upstream):
    """It brings its own options; others beside it are refused."""
    client, query = make_client("tavily"), Query("otters", max_results=2)

    assert (await client.search(query)).query is query
    assert (await client.context(query)).citations
    assert (await client.answer(query)).citations
    with pytest.raises(InvalidQuery, match="not both"):
        await client.search(query, max_results=3)
    assert all(seen.json["max_results"] == 2 for seen in upstream.requests)


async def test_any_iterable_of_hosts_will_do(make_client, upstream):
    """A list, a set or a generator; a single text is refused, for it is a sequence of letters."""
    client = make_client("tavily")

    response = await client.search("otters", include_domains=(h for h in ["a.example"]))

    assert response.query.include_domains == ("a.example",)
    with pytest.raises(InvalidQuery, match="list of host names"):
        await client.search("otters", include_domains="a.example")


def test_settings_and_single_settings_are_not_mixed():
    """One or the other: nobody has to guess which wins."""
    with pytest.raises(ConfigError, match="not both"):
        Kensaku(Settings(), timeout=3)


def test_only_what_a_user_calls_is_public():
    """What a client owns lives in `_resources`."""
    names = {n for n in dir(Kensaku(Settings())) if not n.startswith("_")}

    assert names == {
        "allow_urls", "answer", "ask", "ask_events", "budget", "close", "context", "crawl",
        "extract", "for_tenant", "index", "map", "observers", "progress", "research",
        "research_events", "search", "settings", "verify", "watch",
    }  # fmt: skip


def test_a_client_shows_its_route():
    """And no key."""
    assert repr(Kensaku(Settings(route="tavily,local"))) == "<Kensaku route=tavily,local>"


@pytest.mark.parametrize("seconds", [0, -1, 600.1, "5", float("nan")])
async def test_a_timeout_out_of_bounds_is_refused(seconds, make_client, upstream):
    """Before anything is sent."""
    with pytest.raises(InvalidQuery) as refused:
        await make_client("tavily").search("otters", timeout=seconds)

    assert str(refused.value) == (
        f"timeout is {seconds!r}; it must be more than 0 and at most 600 s"
    )
    assert not upstream.requests


@pytest.mark.parametrize("timeout", [600, 0.5, None])
def test_a_timeout_of_ten_minutes_is_the_longest(timeout, make_client):
    """None is what the settings say."""
    assert make_client("tavily", timeout=7)._seconds(timeout) == (timeout or 7)


async def test_the_settings_say_how_many_results_unless_the_call_does(make_client, upstream):
    """A context takes more, because it packs passages of several pages."""
    client = make_client("tavily", max_results=3)

    await client.search("one")
    await client.search("two", max_results=4)
    await client.context("three")
    await client.context("four", max_results=2)

    assert [seen.json["max_results"] for seen in upstream.requests] == [3, 4, 20, 2]


async def test_a_call_may_leave_the_cache_alone(make_client, upstream):
    """Or use it although the settings switch it off."""
    client, off = make_client("tavily"), make_client("tavily", cache_enabled=False)

    cached = [(await client.search("a", cache=c)).cached for c in (None, None, False, True)]
    never = [(await off.search("b", cache=c)).cached for c in (None, None, True, True)]

    assert cached == [False, True, False, True]
    assert never == [False, False, False, True]


async def test_a_response_is_packed_and_answered_without_another_search(make_client, upstream):
    """What was found is there already."""
    client = make_client("tavily")
    response = await client.search("otters")

    context, answer = await client.context(response), await client.answer(response)

    assert len(upstream.requests) == 1
    assert [c.url for c in context.citations] == [h.url for h in response.hits]
    assert answer.citations


async def test_a_quote_is_looked_for_in_a_page_or_at_an_address(make_client, upstream):
    """What cannot be read is an error, and not a quote that is not there."""
    client = make_client(fetch_allow="127.0.0.1", fetch_ports="any")
    text = "Sea otters sleep holding hands in forests of kelp, and they dream."
    url = upstream.serves("/page", f"<title>T</title><main><p>{text}</p></main>")

    assert (await client.verify("holding hands", Page("u", text=text))).found
    assert (await client.verify("holding hands", url)).text == "holding hands"
    with pytest.raises(PageUnavailable):
        await client.verify("holding hands", f"{upstream.url}/gone")
    asked = len(upstream.requests)
    with pytest.raises(InvalidQuery):
        await client.verify("", url)
    assert len(upstream.requests) == asked


async def test_a_tenant_has_its_own_settings_and_route(make_client):
    """And the same connections."""
    client = make_client("tavily")
    assert client._default_route is client._default_route

    tenant = client.for_tenant("t1")

    assert (tenant.settings.tenant, client.settings.tenant) == ("t1", "")
    assert "_default_route" not in vars(tenant)
    assert tenant._resources.http is client._resources.http
    await client.index.add([Document("https://a.example/", "A", "otters")], "zoo")
    assert "zoo" not in str(await tenant.index.collections())


async def test_progress_can_be_set_later(make_client, upstream):
    """Long work reports to it."""
    page, seen = upstream.serves("/page", "<p>Otters hold hands.</p>"), []
    client = make_client(fetch_allow="127.0.0.1", fetch_ports="any")
    assert client.progress is None

    client.progress = seen.append
    await client.extract(page)

    assert seen


# --- what is passed on


class Told:
    """In the place of what a client owns: remembers how it was called."""

    def __init__(self, result: Any = None) -> None:
        self.calls: list[tuple[tuple[Any, ...], dict[str, Any]]] = []
        self.result = result

    def __call__(self, *args: Any, **options: Any) -> Any:
        self.calls.append((args, options))
        return self.result

    async def later(self, *args: Any, **options: Any) -> Any:
        return self(*args, **options)


async def test_a_search_gets_its_deadline_budget_route_and_whether_to_scrub(
    make_client, monkeypatch, clock
):
    """One value for all steps; what the call does not say, the settings do."""
    clock.stop()
    client, told = (
        make_client("tavily", "brave", timeout=7),
        Told(Response(Query("x"), Outcome.EMPTY)),
    )
    monkeypatch.setattr(pipeline, "search", told.later)
    now = asyncio.get_running_loop().time()
    own = Budget(searches=1)

    await client.search("otters")
    await client.search("otters", route="exa", mode="all", timeout=3, budget=own, scrub=False)

    (plain,), (full,) = (args for args, _ in told.calls)
    assert plain.resources is client._resources
    assert (plain.route.names, plain.route.mode) == (("tavily", "brave"), "first")
    assert (full.route.names, full.route.mode) == (("exa",), "all")
    assert (plain.deadline, full.deadline) == (now + 7, now + 3)
    assert plain.budget is client.budget
    assert full.budget is own
    assert (plain.scrub, full.scrub) == (None, False)
    assert (plain.query, full.query) == (Query("otters"), Query("otters"))
    assert [options for _, options in told.calls] == [{"cache": True}, {"cache": True}]


def test_the_budget_of_the_current_task_comes_before_the_clients(make_client):
    """A key of a server has its own."""
    client, own = make_client("tavily"), Budget(searches=1)
    assert client.budget is client._resources.budget

    token = current_budget.set(own)
    try:
        assert client.budget is own
    finally:
        current_budget.reset(token)


async def test_pages_and_crawls_are_asked_for_with_all_that_was_given(make_client):
    """A single address is a list of one; a map reads the site map unless told otherwise."""
    client, budget = make_client("tavily"), Budget(fetches=1)
    crawl = SimpleNamespace(map=Told("the map").later)
    extract = Told("the pages")
    client._resources.extract = extract.later
    client._resources.crawl = crawled = Told(crawl)

    assert await client.extract("u") == await client.extract(["u", "v"]) == "the pages"
    await client.extract(("u",), timeout=3, budget=budget, progress=print)
    assert client.crawl("u") is crawl
    client.crawl("u", resume=True, progress=print, max_depth=2)
    assert await client.map("u") == "the map"
    await client.map("u", progress=print, sitemap=False)

    usual = {"timeout": 60.0, "budget": None, "progress": None}
    assert extract.calls == [
        ((["u"],), usual),
        ((["u", "v"],), usual),
        ((("u",),), {"timeout": 3, "budget": budget, "progress": print}),
    ]
    assert crawled.calls == [
        (("u",), {"resume": False, "progress": None}),
        (("u",), {"resume": True, "progress": print, "max_depth": 2}),
        (("u",), {"progress": None, "sitemap": True}),
        (("u",), {"progress": print, "sitemap": False}),
    ]


async def test_a_quote_has_the_seconds_of_its_page(make_client, monkeypatch):
    """For reading it, and for looking through it."""
    client, page = make_client("tavily"), Page("u", text="otters")
    looked = Told("found")
    read = Told(SimpleNamespace(failed=(), results=(page,)))
    monkeypatch.setattr("kensaku.answers.verify.verify_source", looked)
    monkeypatch.setattr("kensaku.client.time", SimpleNamespace(monotonic=lambda: 100.0))
    client.extract = read.later

    assert await client.verify("otters", "u", timeout=7) == "found"
    await client.verify("otters", page)

    assert read.calls == [((["u"],), {"timeout": 7})]
    assert looked.calls == [
        (("otters", page), {"deadline": 107.0}),
        (("otters", page), {"deadline": 160.0}),
    ]


async def test_a_context_is_packed_as_the_call_and_the_settings_say(make_client, monkeypatch):
    """Documents of the index bring more of their passages."""
    client = make_client("tavily", context_tokenizer="estimate")
    packed, stored = Told("context"), Told({"doc:1": []})
    monkeypatch.setattr("kensaku.answers.context.to_context", packed)
    monkeypatch.setattr("kensaku.answers.stored.stored_passages", stored.later)
    web = Response(Query("otters"), Outcome.FOUND, (Hit("https://a.example/", "A"),))
    local = replace(web, hits=(Hit("doc:1", "A", provider="local"),))

    assert await client.context(web) == "context"
    assert await client.context(local, max_tokens=700) == "context"
    with pytest.raises(InvalidQuery):
        await client.context(web, max_tokens=0)
    with pytest.raises(InvalidQuery):
        await client.context(web, cursor="nonsense")

    assert [args[:2] + args[3:] for args, _ in packed.calls] == [
        (web, 2_000, "estimate", {}),
        (local, 700, "estimate", {"doc:1": []}),
    ]
    assert stored.calls == [((client._resources.index, "otters", local.hits, 700), {})]


@pytest.mark.parametrize(
    "given", ["otters", Query("otters"), Response(Query("otters"), Outcome.EMPTY)]
)
async def test_an_answer_is_made_of_a_context(make_client, monkeypatch, given):
    """Of 3,000 tokens, unless the call says how many."""
    client, context, answered = make_client("tavily"), Told("context"), Told("answer")
    monkeypatch.setattr("kensaku.answers.answer.to_answer", answered.later)
    client.context = context.later

    assert await client.answer(given) == "answer"
    await client.answer(given, max_tokens=900, timeout=3)

    assert context.calls == [
        ((given,), {"max_tokens": 3_000}),
        ((given,), {"max_tokens": 900, "timeout": 3}),
    ]
    made = ("otters", "context", client.settings, client._resources.http)
    assert answered.calls == [(made, {}), (made, {})]


async def test_research_and_questions_are_handed_to_their_runs(make_client, monkeypatch):
    """With the client that they use."""
    client, ran, events = make_client("tavily"), Told("report"), Told("events")
    asked, told = Told("answer"), Told("its events")
    monkeypatch.setattr(
        "kensaku.research.run.begin", lambda text, options: ((text, options), {"cache": 1})
    )
    monkeypatch.setattr("kensaku.research.run.run_research", ran.later)
    monkeypatch.setattr("kensaku.research.run.run_events", events)
    monkeypatch.setattr("kensaku.assistant.run.ask", asked.later)
    monkeypatch.setattr("kensaku.assistant.run.ask_events", told)

    assert await client.research("otters", timeout=3) == "report"
    assert client.research_events("otters", timeout=3) == "events"
    assert await client.ask("otters?", timeout=3) == "answer"
    assert client.ask_events("otters?", timeout=3) == "its events"

    run = ((("otters", {"timeout": 3}), client), {"cache": 1})
    assert ran.calls == events.calls == [run]
    assert asked.calls == told.calls == [(("otters?", client, {"timeout": 3}), {})]


async def test_what_a_client_is_given_reaches_what_it_owns(machine):
    """Budget, cassette, progress, observers; single settings by their names."""
    budget, recorder, cassette = Budget(searches=1), Recorder(), object()
    given = Settings(home=machine)
    client = Kensaku(given, budget=budget, cassette=cassette, progress=print, observers=[recorder])
    named = Kensaku(home=machine, route="tavily,local")

    assert client.settings is client._resources.settings is given
    assert client.budget is budget
    assert client._resources._cassette is cassette
    assert client.progress is print
    assert client.observers.all == (recorder,)
    assert named.settings.route == ("tavily", "local")
    closed = Told()
    client._resources.close = closed.later
    async with client as same:
        assert same is client
        assert closed.calls == []
    assert closed.calls == [((), {})]


async def test_an_address_that_a_person_names_is_let_through_the_gate(make_client):
    """One, or several; without a gate there is nothing to open."""
    client, told = make_client("tavily", fetch_gate=True), Told()
    client._resources.__dict__["gate"] = SimpleNamespace(admit=told)

    client.allow_urls("u")
    client.allow_urls(("u", "v"))

    assert told.calls == [((["u"],), {}), ((("u", "v"),), {})]


async def test_a_tenants_client_is_made_of_its_settings(make_client):
    """With a route that is planned for it."""
    client = make_client("tavily")
    tenant = client.for_tenant("t1")

    assert tenant is not client
    assert tenant._resources.shared is client._resources
    assert tenant._default_route == client._default_route
    assert (tenant._route(None, "all").mode, tenant._route("exa", None).names) == ("all", ("exa",))

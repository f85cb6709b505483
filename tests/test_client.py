"""The client's own part: options by name, one error for each wrong call, nothing internal public."""

from __future__ import annotations

import asyncio

import pytest

from kensaku import Budget, Document, Kensaku, Outcome, Query, Settings
from kensaku.errors import (
    BudgetExceeded,
    ConfigError,
    InvalidQuery,
    PageUnavailable,
    Timeout,
    UnknownName,
)
from kensaku.search.budget import current_budget
from kensaku.testing import faults
from tests.recorder import Recorder
from tests.search.support import turns


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
    """And `resources`, the one seam to what the client owns."""
    names = {n for n in dir(Kensaku(Settings())) if not n.startswith("_")}

    assert names == {
        "allow_urls", "answer", "ask", "ask_events", "budget", "close", "context", "crawl",
        "extract", "for_tenant", "index", "map", "observers", "progress", "research",
        "research_events", "resources", "search", "settings", "verify", "watch",
    }  # fmt: skip


def test_a_client_shows_its_route():
    """And no key."""
    assert repr(Kensaku(Settings(route="tavily,local"))) == "<Kensaku route=tavily,local>"


@pytest.mark.parametrize("seconds", [0, -1, 600.1, "5", float("nan")])
async def test_a_timeout_out_of_bounds_is_refused(seconds, make_client, upstream):
    """Before anything is sent."""
    with pytest.raises(InvalidQuery, match="timeout is"):
        await make_client("tavily").search("otters", timeout=seconds)

    assert not upstream.requests


@pytest.mark.parametrize(("given", "seconds"), [(None, 7), (3, 3), (600, 600)])
async def test_a_search_ends_at_its_deadline_and_not_before(
    given, seconds, make_client, upstream, clock
):
    """That of the call, or else of the settings; ten minutes are the longest."""
    clock.stop()
    upstream.fails("tavily", faults.hang())
    client = make_client("tavily", timeout=7)
    search = asyncio.create_task(client.search("otters", timeout=given))
    while not upstream.asked("tavily"):  # noqa: ASYNC110 - the clock stands still
        await asyncio.sleep(0)

    clock.advance(seconds - 0.5)
    await turns(20)
    assert not search.done()
    clock.advance(0.5)
    (attempt,) = (await search).attempts
    assert isinstance(attempt.error, Timeout)


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


async def test_a_tenant_has_its_own_settings_and_the_same_connections(make_client, upstream):
    """A handshake for each tenant would be paid by each search."""
    client = make_client("tavily")
    await client.search("one")

    tenant = client.for_tenant("t1")
    await tenant.search("two")

    assert (tenant.settings.tenant, client.settings.tenant) == ("t1", "")
    assert tenant.settings.route == client.settings.route
    assert upstream.connections == 1


async def test_a_call_may_have_another_route_mode_and_budget(make_client, upstream):
    """What it does not say, the settings do."""
    client, own = make_client("tavily", "brave"), Budget(searches=1)

    await client.search("settings")
    await client.search("route", route="brave")
    both = await client.search("mode", mode="all")
    await client.search("budget", budget=own)
    spent = await client.search("and no more", budget=own)

    asked = [(seen.provider, seen.json or seen.params) for seen in upstream.requests]
    assert [name for name, _ in asked[:2]] == ["tavily", "brave"]
    assert {attempt.provider for attempt in both.attempts} == {"tavily", "brave"}
    assert own.left() == {"searches": 0}
    assert spent.outcome is Outcome.UNAVAILABLE
    assert all(isinstance(attempt.error, BudgetExceeded) for attempt in spent.attempts)
    assert not any("and no more" in str(said) for _, said in asked)


async def test_the_budget_of_a_client_bounds_all_its_calls(machine, upstream):
    """Searches and pages; one that is given for the task, such as a key's, comes before it."""
    settings = Settings.load(
        environ=upstream.environment("tavily"), home=machine, route="tavily",
        state_url="memory:", cache_url="memory:", fetch_allow="127.0.0.1", fetch_ports="any",
    )  # fmt: skip
    page = upstream.serves("/page", "<p>Otters hold hands.</p>")
    async with Kensaku(settings, budget=Budget(searches=1, fetches=1)) as client:
        assert (await client.search("one")).outcome is Outcome.FOUND
        assert (await client.search("two")).outcome is Outcome.UNAVAILABLE
        assert (await client.extract(page)).results
        with pytest.raises(BudgetExceeded):
            await client.extract(page)

        token = current_budget.set(Budget(searches=1))
        try:
            assert (await client.search("three")).outcome is Outcome.FOUND
        finally:
            current_budget.reset(token)


async def test_pages_are_read_with_the_progress_and_the_budget_of_the_call(make_client, upstream):
    """One address, or any iterable of them; what cannot be had comes beside the others."""
    page = upstream.serves("/page", "<title>Otters</title><main><p>They hold hands.</p></main>")
    client = make_client(fetch_allow="127.0.0.1", fetch_ports="any")
    mine, own = [], []
    client.progress, budget = own.append, Budget(fetches=3)

    one = await client.extract(page, budget=budget, progress=mine.append)
    two = await client.extract(iter([page, f"{upstream.url}/gone"]), budget=budget)

    assert [p.title for p in one.results] == [p.title for p in two.results] == ["Otters"]
    assert [type(failure.error) for failure in two.failed] == [PageUnavailable]
    assert budget.left() == {"fetches": 0}
    assert mine
    assert own


async def test_a_site_is_mapped_with_its_sitemap_and_crawled_without(make_client, upstream):
    """Unless the call says otherwise."""
    linked, listed = (upstream.serves(f"/{n}", f"<p>Page {n}.</p>") for n in ("linked", "listed"))
    start = upstream.serves("/", '<p>Start.</p><a href="/linked">x</a>')
    sitemap = f"<urlset><url><loc>{listed}</loc></url></urlset>"
    upstream.serves("/sitemap.xml", sitemap, "application/xml")
    client = make_client(fetch_allow="127.0.0.1", fetch_ports="any")

    crawled = {page.url async for page in client.crawl(start, max_depth=1)}
    with_both = set((await client.map(start, max_depth=1)).urls)
    without = set((await client.map(start, max_depth=1, sitemap=False)).urls)

    assert linked in crawled
    assert listed not in crawled | without
    assert {linked, listed} <= with_both


async def test_a_context_takes_documents_of_the_index_whole(make_client):
    """A hit is one passage; the budget may have room for more of its document."""
    paragraphs = [f"Paragraph {n} about otters. " + "They rest in kelp. " * 40 for n in range(12)]
    client = make_client("local")
    await client.index.add([Document("doc:1", "Otters", "\n\n".join(paragraphs))])
    response = await client.search("otters", route="local", max_results=1)

    small = await client.context(response, max_tokens=300)
    large = await client.context(response, max_tokens=3_000)

    assert small.tokens <= 300 < large.tokens <= 3_000
    assert len(large.text) > 2 * len(response.hits[0].content)


async def test_observers_learn_of_what_a_client_does_and_it_is_closed_with_its_block(
    upstream, machine
):
    """Closing twice is fine, and the next call opens it again."""
    recorder = Recorder()
    settings = Settings.load(environ=upstream.environment("tavily"), home=machine, route="tavily")
    async with Kensaku(settings, observers=[recorder]) as client:
        await client.search("one")
    await client.close()
    assert (await client.search("two")).outcome is Outcome.FOUND
    await client.close()

    assert len(recorder.of("search")) == 2

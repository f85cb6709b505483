"""The client's own part: options by name, one error for each wrong call, nothing internal public."""

from __future__ import annotations

import pytest

from kensaku import Document, Kensaku, Query, Settings
from kensaku.errors import ConfigError, InvalidQuery, PageUnavailable, UnknownName
from kensaku.models import Page


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

"""The client's own part: options by name, one error for each wrong call, nothing internal public."""

from __future__ import annotations

import pytest

from kensaku import Kensaku, Query, Settings
from kensaku.errors import ConfigError, InvalidQuery, UnknownName


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

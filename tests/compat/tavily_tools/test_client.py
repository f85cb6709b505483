"""One client for each key and its settings, at most 64 of them."""

from __future__ import annotations

import pytest

from kensaku import Settings
from kensaku.compat.tavily_tools.client import tavily_client
from kensaku.compat.tavily_tools.tools import TavilySearch, TavilySearchDeps


@pytest.fixture
def settings(machine, tavily):
    """Settings with another route, and without a key of Tavily."""
    environ = {**tavily.environment("tavily", "brave"), "KENSAKU_HOME": str(machine)}
    environ |= {"TAVILY_API_KEY": "", "TAVILY_RATE": "9999/s"}
    return Settings.load(environ=environ, route="brave", mode="all", cache_url="memory:")


async def test_calls_with_the_same_key_share_what_was_found(settings, tavily):
    """They ask Tavily alone, with this key, whatever the settings say of it."""
    for key in ("a, b ,", "a,b", "a", "a"):
        tool = TavilySearch(TavilySearchDeps(api_key=key, settings=settings))
        assert (await tool.invoke({"query": "otters"})).success

    assert tavily.asked("brave") == []
    keys = [request.headers["authorization"] for request in tavily.asked("tavily")]
    assert [key.removeprefix("Bearer ") in ("a", "b") for key in keys] == [True, True]


async def test_the_client_that_was_used_longest_ago_goes(settings):
    """A service with many tenants has many keys."""
    first, second = [await tavily_client(key, settings) for key in ("first", "second")]
    for n in range(62):
        await tavily_client(f"k{n}", settings)
    assert await tavily_client("first", settings) is first

    await tavily_client("one more", settings)

    assert await tavily_client("first", settings) is first
    assert await tavily_client("second", settings) is not second

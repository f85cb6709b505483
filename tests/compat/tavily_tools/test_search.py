"""`tavily_search`: results, errors and retries."""

from __future__ import annotations

import inspect
from types import SimpleNamespace

import pytest

from kensaku.testing import faults

pytest.importorskip("pydantic_ai")

from kensaku.compat.tavily_tools import tools as tavily_tools
from kensaku.compat.tavily_tools.pydantic_ai import (
    TavilyAPIError,
    TavilyErrorType,
    TavilySearchDeps,
    tavily_context,
    tavily_extract,
    tavily_search,
)

from .doubles import ASYNCIO, KEY, NEARBY, QUERY, SLOW_DOWN, WRITTEN, error


def test_the_signatures_are_those_of_the_document():
    """(S1-01, S1-02, S1-14, S1-31, S1-47)"""
    found = {f.__name__: str(inspect.signature(f)).replace("'", "") for f in
             (tavily_search, tavily_extract, tavily_context)}  # fmt: skip

    assert found == {
        "tavily_search": "(ctx: RunContext[TavilySearchDeps], query: str, "
        "search_depth: str = basic, max_results: int = 5) -> str",
        "tavily_extract": "(ctx: RunContext[TavilySearchDeps], urls: list[str]) -> str",
        "tavily_context": "(ctx: RunContext[TavilySearchDeps], query: str, "
        "max_tokens: int | None = None) -> str",
    }


async def test_a_search_is_written_byte_for_byte(ctx):
    """(S1-02, S1-07, S1-08, S1-09)"""
    assert await tavily_search(ctx, QUERY) == WRITTEN


async def test_nothing_found_is_said_below_the_header(ctx, tavily):
    """(S1-10)"""
    tavily.answers("tavily", [])

    said = await tavily_search(ctx, QUERY)

    assert said == f"## 検索結果: {QUERY}\n\n検索結果が見つかりませんでした。"


@pytest.mark.parametrize("tool", [tavily_search, tavily_context])
@pytest.mark.parametrize(
    ("query", "good"), [("", False), ("  ", False), ("a" * 1_000, True), ("a" * 1_001, False)]
)
async def test_a_query_has_1_to_1000_characters(ctx, tavily, tool, query, good):
    """(S1-03, S1-04, S1-13, S1-32)"""
    said = await tool(ctx, query)

    assert said.startswith("## ") if good else error(said) == "VALIDATION_ERROR"
    assert bool(tavily.requests) == good


@pytest.mark.parametrize(
    ("arguments", "good"),
    [
        ({"search_depth": "basic"}, True),
        ({"search_depth": "advanced"}, True),
        ({"search_depth": "fast"}, False),
        ({"max_results": 1}, True),
        ({"max_results": 20}, True),
        ({"max_results": 0}, False),
        ({"max_results": 21}, False),
        ({"max_results": True}, False),
    ],
)
async def test_the_other_arguments_are_kept_in_their_bounds(ctx, tavily, arguments, good):
    """(S1-05, S1-06, S1-13)"""
    tavily.answers("tavily", [NEARBY])

    said = await tavily_search(ctx, QUERY, **arguments)

    assert said.startswith("## ") if good else error(said) == "VALIDATION_ERROR"
    assert bool(tavily.requests) == good


async def test_the_arguments_reach_the_api(ctx, tavily):
    """(S1-05, S1-06)"""
    tavily.answers("tavily", [NEARBY])

    await tavily_search(ctx, QUERY)
    await tavily_search(ctx, QUERY, search_depth="advanced", max_results=20)

    usual, other = (seen.json for seen in tavily.asked("tavily")[:2])
    assert (usual.get("search_depth", "basic"), usual["max_results"]) == ("basic", 5)
    assert (other["search_depth"], other["max_results"]) == ("advanced", 20)


@pytest.mark.parametrize("tool", [tavily_search, tavily_context])
async def test_a_bad_key_is_an_authentication_error(ctx, tavily, tool, waits):
    """It is not tried again (S1-11, S1-35, S1-41)."""
    tavily.fails("tavily", faults.status(401))

    assert error(await tool(ctx, QUERY)) == "AUTH_ERROR"
    assert len(tavily.asked("tavily")) == 1
    assert waits == []


@pytest.mark.parametrize(
    ("tool", "argument"),
    [(tavily_search, QUERY), (tavily_extract, ["https://a.example/"]), (tavily_context, QUERY)],
)
async def test_no_key_is_an_authentication_error(tavily, tool, argument):
    """Neither in the dependencies nor in the environment (S1-11, S1-29, S1-35)."""
    said = await tool(SimpleNamespace(deps=TavilySearchDeps()), argument)

    assert error(said) == "AUTH_ERROR"
    assert "TAVILY_API_KEY" in said
    assert not tavily.requests


async def test_the_key_may_come_from_the_environment(tavily, monkeypatch):
    """(S1-47)"""
    monkeypatch.setenv("TAVILY_API_KEY", "from-environment")

    await tavily_search(SimpleNamespace(deps=TavilySearchDeps()), QUERY)

    assert tavily.asked("tavily")[0].headers["authorization"] == "Bearer from-environment"


@pytest.mark.parametrize("tool", [tavily_search, tavily_context])
async def test_when_told_to_slow_down_it_waits_and_tries_three_times_more(ctx, tavily, tool, waits):
    """One second, then twice as long each time (S1-12, S1-36, S1-41)."""
    tavily.fails("tavily", SLOW_DOWN)

    assert error(await tool(ctx, QUERY)) == "RATE_LIMIT_ERROR"
    assert waits == [1, 2, 4]
    assert len(tavily.asked("tavily")) == 4


@pytest.mark.parametrize("tool", [tavily_search, tavily_context])
async def test_a_retry_that_is_answered_ends_it(ctx, tavily, tool, waits):
    """(S1-12, S1-36)"""
    tavily.fails("tavily", SLOW_DOWN, times=2)

    assert ASYNCIO.content in await tool(ctx, QUERY)
    assert waits == [1, 2]
    assert len(tavily.asked("tavily")) == 3


async def test_the_time_that_the_api_asks_for_comes_first(ctx, tavily, waits):
    """(S1-12)"""
    tavily.fails("tavily", faults.status(429, headers={"Retry-After": "7"}), times=1)
    tavily.fails("tavily", SLOW_DOWN, times=1)

    assert await tavily_search(ctx, QUERY) == WRITTEN
    assert waits == [7, 2]


async def test_nobody_waits_for_an_hour(ctx, tavily, waits):
    """The model is told how long it would take (S1-12)."""
    tavily.fails("tavily", faults.status(429, headers={"Retry-After": "3600"}))

    said = await tavily_search(ctx, QUERY)

    assert error(said) == "RATE_LIMIT_ERROR"
    assert "3600" in said
    assert waits == []


def test_no_pause_is_longer_than_ten_seconds():
    """(S1-12)"""
    told = tavily_tools.RateLimited("tavily", "too many requests")

    pauses = [tavily_tools._wait(told, n) for n in range(tavily_tools.RETRIES + 1)]

    assert pauses == [1, 2, 4, None]
    assert tavily_tools.LONGEST_WAIT == 10


@pytest.mark.parametrize("fault", [faults.status(500), faults.status(432), faults.reset()])
async def test_other_trouble_is_not_tried_again(ctx, tavily, fault, waits):
    """Exactly what the document types is retried here (S1-12)."""
    tavily.fails("tavily", fault)

    error(await tavily_search(ctx, QUERY))

    assert len(tavily.asked("tavily")) == 1
    assert waits == []


def test_the_errors_are_typed():
    """(S1-48)"""
    assert {"AUTH_ERROR", "RATE_LIMIT_ERROR", "VALIDATION_ERROR"} <= set(TavilyErrorType)
    for kind in TavilyErrorType:
        raised = TavilyAPIError(kind, "なぜか")
        assert (raised.error_type, raised.message) == (kind, "なぜか")
        assert raised.text() == f"Tavily API エラー: なぜか\nエラータイプ: {kind.value}"


async def test_a_crash_is_told_without_its_words(ctx, tavily, caplog):
    """(S1-41)"""

    class Broken(TavilySearchDeps):
        async def client(self):
            raise RuntimeError(f"cannot use {KEY}")

    said = await tavily_search(SimpleNamespace(deps=Broken()), QUERY)

    assert error(said) == "API_ERROR"
    assert KEY not in said

"""`tavily_search`: results, errors and retries."""

from __future__ import annotations

import asyncio
import inspect
from types import SimpleNamespace

import pytest

from kensaku.dialects import write_error
from kensaku.errors import CircuitOpen, Cooling
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

from .doubles import ASYNCIO, KEY, NEARBY, QUERY, SLOW_DOWN, WRITTEN, assert_japanese, error


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


# status → type and number of requests, as the author's data model and client have them.
STATUSES = {
    400: ("VALIDATION_ERROR", 1),
    401: ("AUTH_ERROR", 1),
    422: ("VALIDATION_ERROR", 1),
    429: ("RATE_LIMIT_ERROR", 4),
    432: ("RATE_LIMIT_ERROR", 1),
    500: ("SERVER_ERROR", 4),
    502: ("SERVER_ERROR", 4),
    503: ("SERVICE_UNAVAILABLE", 4),
    504: ("SERVER_ERROR", 4),
}


@pytest.mark.parametrize("tool", [tavily_search, tavily_context])
@pytest.mark.parametrize("status", STATUSES)
async def test_every_status_has_its_type(ctx, tavily, tool, status):
    """Rate limits and server errors are tried again, the rest is not (S1-11, S1-12, S1-13)."""
    tavily.fails("tavily", faults.status(status, {"detail": {"error": "Invalid topic."}}))

    said = await tool(ctx, QUERY)

    assert (error(said), len(tavily.requests)) == STATUSES[status]
    assert f"（HTTP {status}）" in said
    assert_japanese(said)


@pytest.mark.parametrize(
    ("fault", "kind"),
    [(faults.reset(), "NETWORK_ERROR"), (faults.bad_json(), "API_ERROR")],
)
async def test_other_trouble_is_not_tried_again(ctx, tavily, fault, kind, waits):
    """(S1-12, S1-41)"""
    tavily.fails("tavily", fault)

    assert error(await tavily_search(ctx, QUERY)) == kind
    assert len(tavily.asked("tavily")) == 1
    assert waits == []


async def test_a_slow_api_is_a_timeout(ctx, tavily, clock, waits):
    """It had its share of the time: it is not tried again (S1-41)."""
    asked = asyncio.Event()
    tavily.fails("tavily", faults.hang(), when=lambda seen: asked.set() or True)
    call = asyncio.create_task(tavily_search(ctx, QUERY))
    await asked.wait()

    clock.advance(120)

    assert error(await call) == "TIMEOUT_ERROR"
    assert waits == []


async def test_a_refused_key_stays_refused(ctx, tavily):
    """Waiting does not help, and so no wait is advised (S1-11, S1-29, S1-35)."""
    tavily.fails("tavily", faults.status(401))
    await tavily_search(ctx, QUERY)

    for tool, argument in (
        (tavily_search, "again"), (tavily_context, "again"), (tavily_extract, ["https://a.example"])
    ):  # fmt: skip
        said = await tool(ctx, argument)
        assert error(said) == "AUTH_ERROR"
        assert "環境変数 TAVILY_API_KEY を確認してください" in said
        assert "再試行" not in said


@pytest.mark.parametrize(
    ("pause", "kind"), [(CircuitOpen, "SERVICE_UNAVAILABLE"), (Cooling, "RATE_LIMIT_ERROR")]
)
def test_a_pause_of_ours_has_a_type_of_the_specification(pause, kind):
    """It is over in a while (S1-48)."""
    assert error(write_error(pause("tavily", "not now"), "tavily")) == kind


async def test_a_used_up_quota_is_said_again(ctx, tavily):
    """And not that somebody waits (S1-12)."""
    tavily.fails("tavily", faults.status(432))

    said = [await tavily_search(ctx, query) for query in ("one", "two")]

    assert ["API キーの利用枠を使い切りました" in text for text in said] == [True, True]
    assert len(tavily.requests) == 1


@pytest.mark.parametrize(
    ("arguments", "wrong"),
    [
        ({}, "query は必須です"),
        (
            {"query": "q", "max_results": 21},
            "max_results は1〜20の整数で指定してください（指定値: 21）",
        ),
        ({"query": " "}, "query は1〜1000文字の文字列で指定してください（指定値: 0文字）"),
        (
            {"query": "q", "search_depth": "deep"},
            "search_depth は basic または advanced で指定してください（指定値: 'deep'）",
        ),
        (
            {"query": "q", "country": "jp"},
            "引数 'country' はありません（使える引数: query, search_depth, max_results）",
        ),
        ("{not json", "引数は JSON のオブジェクトで指定してください"),
    ],
)
async def test_bounds_are_told_in_japanese(ctx, tavily, arguments, wrong):
    """The value and the bound, in the language of the surface (S1-04, S1-05, S1-06, S1-13)."""
    result = await tavily_tools.TavilySearch(ctx.deps).invoke(arguments)

    assert result.text == f"Tavily API エラー: {wrong}\nエラータイプ: VALIDATION_ERROR"
    assert (result.success, result.error_kind) == (False, "arguments")
    assert not tavily.requests


@pytest.mark.parametrize("tool", [tavily_search, tavily_context])
async def test_a_query_that_was_cut_is_told_in_the_text(ctx, tavily, tool):
    """The document allows 1,000 characters, Tavily takes 400 (S1-04, S1-32)."""
    said = await tool(ctx, "あ" * 1_000)

    assert tavily.asked("tavily")[0].json["query"] == "あ" * 400
    assert said.endswith("\n注：検索クエリが長いため、先頭の 400 文字で検索しました")


async def test_an_old_result_is_told_in_the_text(ctx, tavily, monkeypatch):
    """(S1-07)"""
    monkeypatch.setenv("KENSAKU_CACHE_TTL", "0")
    await tavily_search(ctx, QUERY)
    tavily.fails("tavily", faults.status(432))

    said = await tavily_search(ctx, QUERY)

    assert said == f"{WRITTEN}\n注：検索できなかったため、0 分前に得た結果を示しています"


async def test_the_environment_is_read_at_each_call(tavily, monkeypatch):
    """(S1-47)"""
    ctx = SimpleNamespace(deps=TavilySearchDeps())
    for key in ("first", "second"):
        monkeypatch.setenv("TAVILY_API_KEY", key)
        await tavily_search(ctx, key)

    keys = [seen.headers["authorization"] for seen in tavily.asked("tavily")]
    assert keys == ["Bearer first", "Bearer second"]


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

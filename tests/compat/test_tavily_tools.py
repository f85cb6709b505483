"""Seed 001: three Tavily tools for Pydantic AI and Claude Code, line by line (S1-01 … S1-48)."""

from __future__ import annotations

import asyncio
import inspect
import logging
import re
import time
from types import SimpleNamespace

import pytest

from kensaku.models import Hit
from kensaku.testing import faults
from tests.adapters.model_server import ModelServer

pytest.importorskip("pydantic_ai")
from openai import AsyncOpenAI
from pydantic_ai import Agent, RunContext
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from kensaku.compat.tavily_tools import tools as tavily_tools
from kensaku.compat.tavily_tools.client import close_clients
from kensaku.compat.tavily_tools.pydantic_ai import (
    TavilyAPIError,
    TavilyErrorType,
    TavilySearchDeps,
    TavilyToolsRepositoryMixin,
    log_verbose_tool_done,
    log_verbose_tool_start,
    tavily_context,
    tavily_extract,
    tavily_search,
)
from kensaku.compat.tavily_tools.tools import check_urls

KEY = "tvly-test-key"
QUERY = "Python async programming"
ASYNCIO = Hit(
    url="https://docs.python.org/3/library/asyncio.html",
    title="asyncio",
    content="非同期I/Oのライブラリ",
    score=0.954,
)
REAL_PYTHON = Hit(
    url="https://realpython.com/async-io-python/", title="Async IO", content="解説", score=0.9
)
WRITTEN = """## 検索結果: Python async programming

### 1. asyncio
URL: https://docs.python.org/3/library/asyncio.html
スコア: 0.95
非同期I/Oのライブラリ

### 2. Async IO
URL: https://realpython.com/async-io-python/
スコア: 0.90
解説
"""
SEARCH_SCHEMA = {
    "type": "object",
    "properties": {
        "query": {"type": "string", "description": "検索クエリ"},
        "search_depth": {"type": "string", "enum": ["basic", "advanced"], "default": "basic"},
        "max_results": {"type": "integer", "minimum": 1, "maximum": 20, "default": 5},
    },
    "required": ["query"],
}
# Deep searches may read the pages that they find: this one is refused without a lookup.
NEARBY = Hit(url="http://127.0.0.1/", title="Nearby", content="near", score=0.5)
SLOW_DOWN = faults.status(429)
ERROR = re.compile(r"Tavily API エラー: .+\nエラータイプ: [A-Z_]+")


@pytest.fixture(autouse=True)
async def tavily(upstream, monkeypatch):
    """Tavily is on loopback, and finds two pages."""
    monkeypatch.setenv("TAVILY_BASE_URL", upstream.base_url("tavily"))
    upstream.answers("tavily", [ASYNCIO, REAL_PYTHON])
    yield upstream
    await close_clients()


@pytest.fixture
def waits():
    return []


@pytest.fixture
def ctx(waits):
    """What a run gives to a tool. Waiting is noted instead of done."""

    async def sleep(seconds):
        waits.append(seconds)

    return SimpleNamespace(deps=TavilySearchDeps(api_key=KEY, sleep=sleep))


def error(text):
    """The type of an error that was returned; the text must be its two lines (S1-41)."""
    assert ERROR.fullmatch(text), text
    return text.rpartition(" ")[2]


# --- tavily_search


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


# --- errors and retries


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


# --- tavily_extract


async def test_no_url_is_a_validation_error_at_once(ctx, tavily):
    """(S1-15, S1-30)"""
    with pytest.raises(TavilyAPIError) as raised:
        check_urls([])

    assert raised.value.error_type is TavilyErrorType.VALIDATION_ERROR
    assert error(await tavily_extract(ctx, [])) == "VALIDATION_ERROR"
    assert not tavily.requests


@pytest.mark.parametrize(
    ("url", "good"),
    [
        ("https://example.com", True),
        ("https://example.com/path?q=1", True),
        ("http://example.com", True),
        ("example.com", False),
        ("ftp://example.com/", False),
        ("https:///path", False),
        ("https://[bad", False),
        ("", False),
    ],
)
def test_a_url_has_a_scheme_and_a_host(url, good):
    """(S1-16, S1-18)"""
    valid, failed = check_urls([url])

    assert valid == ([url] if good else [])
    assert [u for u, why in failed if why] == ([] if good else [url])


def test_plain_http_is_only_warned_of(caplog):
    """(S1-17)"""
    assert check_urls(["https://a.example/"]) == (["https://a.example/"], [])
    assert not caplog.records

    assert check_urls(["http://a.example/"]) == (["http://a.example/"], [])
    assert [r.levelname for r in caplog.records] == ["WARNING"]


async def test_there_are_at_most_20_urls_after_merging(ctx):
    """(S1-19, S1-20, S1-30)"""
    urls = [f"https://a.example/{n}" for n in range(21)]

    assert len(check_urls([*urls[:20], *urls[:20]])[0]) == 20
    with pytest.raises(TavilyAPIError):
        check_urls(urls)
    assert error(await tavily_extract(ctx, urls)) == "VALIDATION_ERROR"


async def test_with_no_valid_url_all_of_them_are_listed(ctx):
    """(S1-22, S1-25, S1-27)"""
    said = await tavily_extract(ctx, ["example.com", "https:///path"])

    assert said == (
        "## コンテンツ抽出結果\n\nすべてのURLからコンテンツを抽出できませんでした。\n\n"
        "## 失敗したURL\n"
        "- example.com: http:// または https:// で始まるURLを指定してください\n"
        "- https:///path: ホスト名がありません"
    )


@pytest.fixture
def pages(tavily, monkeypatch):
    """Two pages on loopback, which the operator allows to be read."""
    monkeypatch.setenv("KENSAKU_FETCH_ALLOW", "127.0.0.0/8")
    monkeypatch.setenv("KENSAKU_FETCH_PORTS", tavily.url.rpartition(":")[2])
    first = "<html><title>One</title><body><article><p>{}</p></article></body></html>"
    one = tavily.serves("/one", first.format("The first page tells of otters. " * 5))
    two = tavily.serves("/two", first.format("The second page tells of beavers. " * 5))
    return one, two


async def test_pages_are_written_one_below_the_other(ctx, pages):
    """(S1-14, S1-23, S1-24, S1-26)"""
    one, two = pages

    said = await tavily_extract(ctx, [one, two])

    head, first, second = re.fullmatch(
        r"(## コンテンツ抽出結果\n\n)(.+)\n\n---\n\n(.+)", said, re.DOTALL
    ).groups()
    assert head
    assert first.startswith(f"### URL: {one}\nThe first page tells of otters.")
    assert second.startswith(f"### URL: {two}\nThe second page tells of beavers.")
    assert "失敗" not in said


async def test_the_same_url_twice_is_read_once(ctx, pages, tavily):
    """(S1-20)"""
    said = await tavily_extract(ctx, [pages[0], pages[0]])

    assert said.count("### URL:") == 1
    assert len([s for s in tavily.requests if s.path == "/one"]) == 1


async def test_one_failure_does_not_stop_the_others(ctx, pages, tavily):
    """(S1-21, S1-25, S1-28)"""
    gone = tavily.serves("/gone", "no", status=404)

    said = await tavily_extract(ctx, [pages[0], gone, "example.com"])

    assert f"### URL: {pages[0]}\nThe first page" in said
    found, _, lost = said.partition("\n\n---\n\n## 失敗したURL\n")
    assert "example.com" not in found
    assert sorted(line.split(": ")[0] for line in lost.splitlines()) == sorted(
        [f"- {gone}", "- example.com"]
    )


async def test_a_page_that_may_not_be_read_is_a_failure(ctx, tavily):
    """Private addresses need the operator's leave (S1-27, S1-28)."""
    url = tavily.serves("/private", "<p>secret</p>")

    said = await tavily_extract(ctx, [url])

    assert "すべてのURLからコンテンツを抽出できませんでした。" in said
    assert f"- {url}: " in said


# --- tavily_context


async def test_the_context_stands_below_its_header(ctx):
    """(S1-31, S1-34)"""
    said = await tavily_context(ctx, QUERY)

    head, _, body = said.partition("\n\n")
    assert head == f"## RAG用検索コンテキスト: {QUERY}"
    assert ASYNCIO.content in body
    assert ASYNCIO.url in body


async def test_a_context_of_nothing_says_so(ctx, tavily):
    """(S1-10, S1-34)"""
    tavily.answers("tavily", [])

    said = await tavily_context(ctx, QUERY)

    assert said == f"## RAG用検索コンテキスト: {QUERY}\n\n検索結果が見つかりませんでした。"


@pytest.mark.parametrize(("tokens", "good"), [(None, True), (1, True), (500, True), (0, False)])
async def test_the_tokens_are_one_or_more_or_the_default(ctx, tokens, good):
    """(S1-33)"""
    said = await tavily_context(ctx, QUERY, tokens)

    assert said.startswith("## RAG") if good else error(said) == "VALIDATION_ERROR"


async def test_fewer_tokens_give_a_shorter_context(ctx, tavily):
    """(S1-33)"""
    many = [
        Hit(url=f"https://{n}.example/", title=str(n), content=f"async {n} " * 60, score=0.5)
        for n in range(8)
    ]
    tavily.answers("tavily", many)

    few, more = [len(await tavily_context(ctx, QUERY, n)) for n in (200, 2_000)]

    assert few < more


# --- what all three do


async def test_start_and_end_are_logged_with_the_milliseconds(ctx, tavily, caplog):
    """The end says `success` or `failed` (S1-37, S1-38, S1-39, S1-40)."""
    caplog.set_level(logging.DEBUG, tavily_tools.log.name)
    await tavily_search(ctx, QUERY)
    tavily.fails("tavily", faults.status(401))
    await tavily_context(ctx, "other")
    await tavily_extract(ctx, [])

    said = [r.message for r in caplog.records if r.name == tavily_tools.log.name]
    assert [re.sub(r"\d+\.\d", "N", line) for line in said] == [
        f"tavily_search: start {{'query': '{QUERY}'}}",
        "tavily_search: success in N ms",
        "tavily_context: start {'query': 'other'}",
        "tavily_context: failed in N ms",
        "tavily_extract: start {'urls': []}",
        "tavily_extract: failed in N ms",
    ]


def test_the_log_functions_take_what_the_document_gives_them(caplog):
    """Queries stay below INFO (S1-37, S1-38, S1-39)."""
    caplog.set_level(logging.DEBUG)
    log_verbose_tool_start("tavily_search", {"query": QUERY})
    log_verbose_tool_done("tavily_search", "success", 12.5)
    log_verbose_tool_done("tavily_search", "failed", 3.0)

    assert [r.levelname for r in caplog.records] == ["DEBUG"] * 3
    assert "12.5 ms" in caplog.text


async def test_the_result_is_timed_in_milliseconds(ctx):
    """Nearly all of the time around a call is the call (S1-40)."""
    tool = tavily_tools.TavilySearch(ctx.deps)
    began = time.perf_counter()
    result = await tool.invoke({"query": QUERY})
    around = (time.perf_counter() - began) * 1000

    assert around / 100 < result.execution_time_ms <= around


async def test_a_call_that_is_called_off_is_logged_as_failed(ctx, tavily, caplog):
    """(S1-39)"""
    caplog.set_level(logging.DEBUG, tavily_tools.log.name)
    asked = asyncio.Event()
    tavily.fails("tavily", faults.hang(), when=lambda seen: asked.set() or True)
    call = asyncio.create_task(tavily_search(ctx, QUERY))
    await asked.wait()

    call.cancel()
    await asyncio.wait([call])

    assert call.cancelled()
    assert "tavily_search: failed" in caplog.text


async def test_the_fence_is_an_option(ctx):
    """The document's bytes are the default (S1-08)."""
    fenced = TavilySearchDeps(api_key=KEY, fence=True)

    said = await tavily_search(SimpleNamespace(deps=fenced), QUERY)

    assert WRITTEN.strip() in said
    assert "<<<web " in said


# --- in an agent


@pytest.fixture
def model():
    with ModelServer("tavily_search", {"query": QUERY}) as server:
        server.bad = {"query": QUERY, "max_results": 21}
        yield server


@pytest.fixture
async def agent_with(model):
    async with AsyncOpenAI(base_url=model.openai_url, api_key="none") as openai:
        scripted = OpenAIChatModel("scripted", provider=OpenAIProvider(openai_client=openai))
        yield lambda **options: Agent(scripted, deps_type=TavilySearchDeps, **options)


class Repository(TavilyToolsRepositoryMixin):
    """Somebody's class with tools."""


async def test_the_mixin_gives_an_agent_exactly_three_tools(ctx, model, agent_with):
    """(S1-01, S1-45, S1-46)"""
    for register in (False, True):
        model.forget()
        agent = agent_with(tools=[] if register else Repository().tavily_tools)
        if register:
            Repository().register_tavily_tools(agent)
            Repository().register_tavily_tools(agent)

        answer = (await agent.run("検索して", deps=ctx.deps)).output

        assert list(model.offered) == ["tavily_search", "tavily_extract", "tavily_context"]
        assert answer == f"FINAL {WRITTEN}"


async def test_the_model_gets_the_schema_of_the_document(ctx, model, agent_with):
    """(S1-03, S1-05, S1-06, S1-43)"""
    await agent_with(tools=Repository().tavily_tools).run("検索して", deps=ctx.deps)

    seen = model.offered["tavily_search"]
    assert seen.description == "Web検索を実行する"
    assert seen.parameters == SEARCH_SCHEMA


async def test_the_dependencies_come_with_the_run(tavily, model, agent_with):
    """(S1-47)"""
    agent = agent_with(tools=Repository().tavily_tools)

    for key in ("first", "second"):
        model.arguments = {"query": key}
        await agent.run("検索して", deps=TavilySearchDeps(api_key=key))

    keys = [seen.headers["authorization"] for seen in tavily.asked("tavily")]
    assert keys == ["Bearer first", "Bearer second"]


@pytest.mark.parametrize(
    ("mode", "fault", "kind"),
    [
        ("ok", faults.status(401), "AUTH_ERROR"),
        ("ok", SLOW_DOWN, "RATE_LIMIT_ERROR"),
        ("ok", faults.status(503), "NETWORK_ERROR"),
        ("badargs", None, "VALIDATION_ERROR"),
    ],
)
async def test_the_model_reads_the_error_and_the_run_goes_on(
    ctx, tavily, model, agent_with, mode, fault, kind
):
    """(S1-11, S1-12, S1-13, S1-41)"""
    model.mode = mode
    if fault:
        tavily.fails("tavily", fault)

    run = await agent_with(tools=Repository().tavily_tools).run("検索して", deps=ctx.deps)

    assert error(run.output.removeprefix("FINAL ")) == kind


async def test_an_argument_that_does_not_exist_does_not_end_the_run(ctx, model, agent_with):
    """(S1-13)"""
    model.arguments = {"query": QUERY, "country": "jp"}

    run = await agent_with(tools=Repository().tavily_tools).run("検索して", deps=ctx.deps)

    assert error(run.output.removeprefix("FINAL ")) == "VALIDATION_ERROR"


async def test_a_tool_function_is_a_tool_as_it_stands(ctx, model, agent_with):
    """Frameworks that read signatures can take the functions themselves (S1-02, S1-47)."""
    hints = inspect.get_annotations(tavily_search, eval_str=True)

    answer = (await agent_with(tools=[tavily_search]).run("検索して", deps=ctx.deps)).output

    assert hints["ctx"] == RunContext[TavilySearchDeps]
    assert answer == f"FINAL {WRITTEN}"


async def test_calls_at_the_same_time_do_not_disturb_each_other(ctx, tavily):
    """(S1-02, S1-47)"""
    queries = [f"query {n}" for n in range(8)]

    texts = await asyncio.gather(*(tavily_search(ctx, q) for q in queries))

    assert [t.splitlines()[0] for t in texts] == [f"## 検索結果: {q}" for q in queries]


# --- Claude Code


def test_the_agent_of_claude_code_serves_the_three_tools():
    """(S1-42, S1-44) The run itself is in tests/frameworks/test_claude.py."""
    pytest.importorskip("claude_agent_sdk")
    from kensaku.compat.tavily_tools.claude import ClaudeCodeTavilySearchAgent

    agent = ClaudeCodeTavilySearchAgent(TavilySearchDeps(api_key=KEY))

    assert agent.tool_names == [
        "mcp__pydantic_tools__tavily_search",
        "mcp__pydantic_tools__tavily_extract",
        "mcp__pydantic_tools__tavily_context",
    ]
    assert list(agent.options.mcp_servers) == ["pydantic_tools"]
    assert agent.options.allowed_tools == agent.tool_names
    assert agent.tools[0].input_schema == SEARCH_SCHEMA
    assert agent.tools[0].description == "Web検索を実行する"

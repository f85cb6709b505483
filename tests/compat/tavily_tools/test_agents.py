"""The three tools in agents of Pydantic AI and Claude Code."""

from __future__ import annotations

import asyncio
import inspect

import pytest

from kensaku.testing import faults
from tests.adapters.model_server import ModelServer

pytest.importorskip("pydantic_ai")
from openai import AsyncOpenAI
from pydantic_ai import Agent, RunContext
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from kensaku.compat.tavily_tools.pydantic_ai import (
    TavilySearchDeps,
    TavilyToolsRepositoryMixin,
    tavily_search,
)

from .doubles import (
    KEY,
    QUERY,
    SEARCH_SCHEMA,
    SLOW_DOWN,
    WRITTEN,
    error,
)


@pytest.fixture
def model():
    with ModelServer("tavily_search", {"query": QUERY}) as server:
        server.bad = {"query": QUERY, "max_results": 21, "country": "jp"}
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


def test_the_agent_of_claude_code_serves_the_three_tools():
    """By the same mixin (S1-42, S1-44, S1-45). The run itself is in tests/adapters/test_claude.py."""
    pytest.importorskip("claude_agent_sdk")
    from kensaku.compat.tavily_tools.claude import ClaudeCodeTavilySearchAgent

    agent = ClaudeCodeTavilySearchAgent(TavilySearchDeps(api_key=KEY))

    assert isinstance(agent, TavilyToolsRepositoryMixin)
    assert agent.tool_names == [
        "mcp__pydantic_tools__tavily_search",
        "mcp__pydantic_tools__tavily_extract",
        "mcp__pydantic_tools__tavily_context",
    ]
    assert list(agent.options.mcp_servers) == ["pydantic_tools"]
    assert agent.options.allowed_tools == agent.tool_names
    assert agent.tools[0].input_schema == SEARCH_SCHEMA
    assert agent.tools[0].description == "Web検索を実行する"

"""The Claude Agent SDK adapter: in its MCP server, and behind its real command line."""

from __future__ import annotations

import json

import pytest

from kensaku import tools_for
from kensaku.tools import WebSearchTool

from .model_server import QUIET, ModelServer
from .scenes import OTTER, SCENES, SECRET, staged

pytest.importorskip("claude_agent_sdk")
from claude_agent_sdk import ClaudeAgentOptions, create_sdk_mcp_server

from kensaku.adapters.claude import allowed_tools, server, wrap
from kensaku.compat.tavily_tools.claude import ClaudeCodeTavilySearchAgent, TavilySearchDeps
from kensaku.compat.tavily_tools.client import close_clients
from tests.mcp.client import Client


async def called(tool, arguments):
    """What the SDK's own server makes of a call."""
    config = create_sdk_mcp_server("test", tools=[wrap(tool)])
    async with Client(config["instance"]) as client:
        result = await client.call_tool(tool.name, arguments)
    return result.content[0].text, bool(result.is_error)


@pytest.mark.parametrize("scene", SCENES)
async def test_a_call_is_answered_whatever_happens(scene, upstream, make_client):
    """Only what did not work is an error; the SDK itself refuses what breaks the schema."""
    mode, shown = SCENES[scene]
    arguments = {"query": "otter"} | ({"max_results": 999} if mode == "badargs" else {})

    text, is_error = await called(staged(scene, upstream, make_client), arguments)

    assert ("999" if mode == "badargs" else shown) in text
    assert is_error == (scene not in ("found", "empty"))
    assert SECRET not in text


async def test_the_model_gets_our_words_and_bounds(make_client):
    """The schema is the one that is written in `kensaku.tools`, and the tool is known to read."""
    tool = WebSearchTool(make_client("tavily"), language="ja")

    async with Client(server(["web_search"], client=tool.client, language="ja")["instance"]) as c:
        (seen,) = (await c.list_tools()).tools

    assert (seen.name, seen.description) == ("web_search", tool.description)
    assert seen.input_schema == tool.parameters
    assert seen.annotations.read_only_hint is True


def test_the_entry_gives_tools_and_the_names_they_are_called_by(make_client):
    """A tool has to be allowed by the name that the server gives it."""
    tools = tools_for("claude", client=make_client("tavily"))

    assert [t.name for t in tools] == ["web_search", "web_extract", "web_context"]
    assert allowed_tools(["web_search"]) == ["mcp__kensaku__web_search"]


@pytest.fixture
def options(tmp_path, monkeypatch):
    """The command line on a machine of its own: `options(model)`."""

    def made(model, **more):
        env = {
            **QUIET,
            "HOME": str(tmp_path),
            "CLAUDE_CONFIG_DIR": str(tmp_path / "claude"),
            "ANTHROPIC_BASE_URL": model.anthropic_url,
            "ANTHROPIC_API_KEY": "none",
        }
        return ClaudeAgentOptions(
            tools=[], setting_sources=[], env=env, cwd=tmp_path, max_turns=4, **more
        )

    return made


@pytest.mark.usefixtures("processes")
async def test_an_agent_behind_the_command_line_searches_and_answers(
    options, upstream, monkeypatch
):
    """From the prompt to Tavily and back, with the names and the schema of S1-42 … S1-44."""
    monkeypatch.setenv("TAVILY_BASE_URL", upstream.base_url("tavily"))
    upstream.answers("tavily", [OTTER])
    with ModelServer("tavily_search", {"query": "otter"}) as model:
        agent = ClaudeCodeTavilySearchAgent(TavilySearchDeps(api_key="none"), options(model))

        answer = await agent.run("カワウソについて検索して")

    assert answer.startswith("FINAL")
    assert f"## 検索結果: otter\n\n### 1. {OTTER.title}\nURL: {OTTER.url}\nスコア: 0.91" in answer
    assert set(agent.tool_names) <= set(model.offered)
    seen = model.offered["mcp__pydantic_tools__tavily_search"]
    assert seen.description == "Web検索を実行する"
    assert seen.parameters["properties"] == {
        "query": {"type": "string", "description": "検索クエリ"},
        "search_depth": {"type": "string", "enum": ["basic", "advanced"], "default": "basic"},
        "max_results": {"type": "integer", "minimum": 1, "maximum": 20, "default": 5},
    }
    assert seen.parameters["required"] == ["query"]
    await close_clients()


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("own", [True, False])
async def test_claude_code_keeps_its_own_tools(options, upstream, monkeypatch, own):
    """The three stand beside them, unless the options say that there are no others (S1-44)."""
    monkeypatch.setenv("TAVILY_BASE_URL", upstream.base_url("tavily"))
    upstream.answers("tavily", [OTTER])
    with ModelServer("tavily_search", {"query": "otter"}) as model:
        for name, value in options(model).env.items():
            monkeypatch.setenv(name, value)
        deps = TavilySearchDeps(api_key="none")
        agent = ClaudeCodeTavilySearchAgent(deps, None if own else options(model))

        answer = await agent.run("カワウソについて検索して")

    assert answer.startswith("FINAL")
    assert set(agent.tool_names) <= set(model.offered)
    assert ({"Bash", "Read"} <= set(model.offered)) is own
    await close_clients()


@pytest.mark.usefixtures("processes")
async def test_an_agent_behind_the_command_line_is_told_of_an_outage(
    options, upstream, monkeypatch
):
    """The run goes on; the model reads the two lines, and no secret."""
    monkeypatch.setenv("TAVILY_BASE_URL", upstream.base_url("tavily"))
    deps = TavilySearchDeps(api_key="")
    with ModelServer("tavily_search", {"query": "otter"}) as model:
        answer = await ClaudeCodeTavilySearchAgent(deps, options(model)).run("検索して")

    assert "エラータイプ: AUTH_ERROR" in answer
    assert SECRET not in json.dumps([r.body for r in model.requests])

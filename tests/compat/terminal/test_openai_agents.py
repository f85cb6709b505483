"""The tool in an agent of the OpenAI Agents SDK."""

from __future__ import annotations

import pytest

from kensaku.compat.terminal import (
    create_web_search_tool_definition,
    format_web_search_command_message,
)
from kensaku.testing import faults
from tests.adapters.model_server import ModelServer

from .doubles import DESCRIPTION, OTTER, with_answer


def tools_for_mode(*tools, **options):
    """Ours, with the SDK that it needs: it takes seconds to import."""
    from kensaku.compat.terminal.openai_agents import tools_for_mode

    return tools_for_mode(*tools, **options)


@pytest.fixture(params=["OpenAIChatCompletionsModel", "OpenAIResponsesModel"])
async def model(request):
    """Two protocols stand for "any LLM": the search does not depend on OpenAI's servers."""
    import agents
    from openai import AsyncOpenAI

    with ModelServer("web_search", {"query": "otter"}) as server:
        async with AsyncOpenAI(base_url=server.openai_url, api_key="not-a-key") as client:
            made = getattr(agents, request.param)(model="scripted", openai_client=client)
            made.server = server
            yield made


async def run(model, tools):
    from agents import Agent, RunConfig, Runner

    agent = Agent(name="terminal", model=model, tools=tools)
    return await Runner.run(agent, "otters?", run_config=RunConfig(tracing_disabled=True))


async def test_the_assistant_searches_and_shows_it(model, deps, upstream):
    """From the question to the screen (S4-33, S4-40, S4-54, S4-55)."""
    with_answer(upstream, [OTTER], "They float.")

    result = await run(model, tools_for_mode(deps=deps))

    assert result.final_output.startswith("FINAL ## Answer\n\nThey float.")
    assert model.server.offered["web_search"].description == DESCRIPTION
    (call,) = [i for i in result.new_items if i.type == "tool_call_item"]
    (output,) = [i for i in result.new_items if i.type == "tool_call_output_item"]
    known = {call.raw_item.call_id: call.raw_item.arguments}
    (message,) = format_web_search_command_message(output, 0, known)
    assert message.command == 'web_search: "otter"'
    assert message.success
    assert message.output.startswith("## Answer")
    from kensaku.adapters.openai_agents import HAS_DATA

    assert not HAS_DATA or output.custom_data["output"]["results"][0]["url"] == OTTER.url


async def test_a_failure_does_not_end_the_run(model, deps, upstream):
    """(S4-29, S4-54, S4-55)"""
    upstream.fails("tavily", faults.status(401, {"detail": {"error": "bad key"}}))

    result = await run(model, tools_for_mode(deps=deps))

    assert result.final_output == "FINAL Error: Tavily API error (401): bad key"


async def test_bad_arguments_do_not_end_the_run(model, deps, upstream):
    """(S4-24)"""
    model.server.mode = "badjson"

    result = await run(model, tools_for_mode(deps=deps))

    assert result.final_output == "FINAL Error: the arguments are not JSON; send one object"
    assert upstream.requests == []


def test_the_hosted_search_is_left_out_where_ours_is_in(deps):
    """Two search tools confuse the model (S4-39, S4-59)."""
    from agents import WebSearchTool

    from kensaku.adapters.openai_agents import wrap

    class Preview(WebSearchTool):
        """As the SDK named it before."""

        name = "web_search_preview"

    hosted, clock = (
        WebSearchTool(),
        wrap(create_web_search_tool_definition(deps).tool),
    )
    clock.name = "clock"

    tools = tools_for_mode([hosted, Preview(), clock], deps=deps)

    assert [t.name for t in tools] == ["clock", "web_search"]
    assert not any(isinstance(t, WebSearchTool) for t in tools)
    assert [t.name for t in tools_for_mode(tools, deps=deps)] == ["clock", "web_search"]


def test_in_lite_mode_ours_is_left_out(deps):
    """(S4-38)"""
    from agents import WebSearchTool

    hosted = WebSearchTool()

    assert tools_for_mode(deps=deps, lite=True) == []
    assert tools_for_mode([hosted], deps=deps, lite=True) == [hosted]
    assert [t.name for t in tools_for_mode(deps=deps)] == ["web_search"]

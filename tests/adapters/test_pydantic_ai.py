"""The Pydantic AI adapter in a real `Agent`, over both of OpenAI's protocols."""

from __future__ import annotations

import asyncio
import json

import pytest

from kensaku import tools_for
from kensaku.tools import WebSearchTool

from .scenes import OTTER, SCENES, SECRET, staged

pytest.importorskip("pydantic_ai")
from openai import AsyncOpenAI
from pydantic_ai import Agent
from pydantic_ai.messages import ToolReturnPart
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.openai import OpenAIProvider

from kensaku.adapters.pydantic_ai import ToolFailed, toolset, wrap

PROTOCOLS = {"chat": OpenAIChatModel, "responses": OpenAIResponsesModel}


@pytest.fixture
async def agent_with(model):
    async with AsyncOpenAI(base_url=model.openai_url, api_key="none") as openai:

        def make(*tools, protocol="chat", **options):
            scripted = PROTOCOLS[protocol](
                "scripted", provider=OpenAIProvider(openai_client=openai)
            )
            return Agent(scripted, tools=list(tools), **options)

        yield make


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("scene", SCENES)
async def test_an_agent_is_told_what_came_of_its_call(
    scene, protocol, model, agent_with, upstream, make_client
):
    """Whatever happens below, the run ends with an answer, and the model knows what happened."""
    model.mode, shown = SCENES[scene]
    agent = agent_with(wrap(staged(scene, upstream, make_client)), protocol=protocol)

    answer = (await agent.run("Do otters sleep?")).output

    assert answer.startswith("FINAL")
    assert shown in answer
    assert SECRET not in json.dumps([r.body for r in model.requests])


async def test_the_answer_streams(model, agent_with, upstream, make_client):
    """The same tool serves a streamed run."""
    agent = agent_with(wrap(staged("found", upstream, make_client)))

    async with agent.run_stream("Do otters sleep?") as run:
        assert OTTER.content in await run.get_output()


@pytest.mark.skipif(ToolFailed is None, reason="pydantic-ai 1 has no failed tools")
@pytest.mark.parametrize(
    ("scene", "outcome"),
    [("found", "success"), ("empty", "success"), ("unavailable", "failed"), ("crash", "failed")],
)
async def test_a_failure_is_a_failed_tool_return(
    scene, outcome, model, agent_with, upstream, make_client
):
    """A search that did not happen is told as a failure, and uses up no retry."""
    agent = agent_with(wrap(staged(scene, upstream, make_client)))

    run = await agent.run("Do otters sleep?")

    (part,) = [p for m in run.all_messages() for p in m.parts if isinstance(p, ToolReturnPart)]
    assert part.outcome == outcome


async def test_the_same_result_is_there_as_data(model, agent_with, upstream, make_client):
    """No program parses the text: the hits are the metadata of the return part."""
    agent = agent_with(wrap(staged("found", upstream, make_client)))

    run = await agent.run("Do otters sleep?")

    (part,) = [p for m in run.all_messages() for p in m.parts if isinstance(p, ToolReturnPart)]
    assert part.metadata["outcome"] == "found"
    assert part.metadata["hits"][0]["url"] == OTTER.url


async def test_a_model_that_never_learns_does_not_end_the_run(
    model, agent_with, upstream, make_client
):
    """A second retry would be raised as an error: the last attempt is told as a failure."""
    model.mode = "badargs"
    agent = agent_with(wrap(staged("found", upstream, make_client)), retries=0)

    answer = (await agent.run("Do otters sleep?")).output

    assert "max_results is 999" in answer


@pytest.mark.parametrize("mode", ["badjson", "unknown"])
async def test_a_call_that_makes_no_sense_does_not_end_the_run(
    mode, model, agent_with, upstream, make_client
):
    """The framework tells the model; nothing is sent."""
    model.mode = mode
    agent = agent_with(wrap(staged("found", upstream, make_client)))

    answer = (await agent.run("Do otters sleep?")).output

    assert answer.startswith("FINAL")
    assert not upstream.asked("tavily")


async def test_two_calls_in_one_turn_are_both_answered(model, agent_with, upstream, make_client):
    """Models ask for several searches at once."""
    model.mode = "parallel"
    agent = agent_with(wrap(staged("found", upstream, make_client)))

    assert (await agent.run("Do otters sleep?")).output.count(OTTER.content) == 2


async def test_the_model_gets_our_words_and_bounds(model, agent_with, make_client):
    """The schema on the wire is the one that is written in `kensaku.tools`."""
    tool = WebSearchTool(make_client("tavily"), language="ja")

    await agent_with(wrap(tool)).run("Do otters sleep?")

    seen = model.offered["web_search"]
    assert seen.description == tool.description
    assert seen.parameters == tool.parameters


async def test_the_toolset_and_the_entry_hold_the_same_tools(
    model, agent_with, upstream, make_client
):
    """`toolset()` for `Agent(toolsets=…)`, `tools_for` for `Agent(tools=…)`."""
    upstream.answers("tavily", [OTTER])
    client = make_client("tavily")
    by_entry = agent_with(*tools_for("pydantic-ai", client=client))
    by_set = agent_with(toolsets=[toolset(client=client)])

    offered = []
    for agent in (by_entry, by_set):
        model.forget()
        assert OTTER.content in (await agent.run("Do otters sleep?")).output
        offered.append(list(model.offered.values()))

    assert offered[0] == offered[1]
    assert [t.name for t in offered[0]] == ["web_search", "web_extract", "web_context"]


async def test_one_tool_serves_agents_on_several_loops(model, upstream, make_client):
    """What `run_sync` in a thread comes to: a loop of its own, and then that loop ends."""
    tool = wrap(staged("found", upstream, make_client))

    async def run():
        async with AsyncOpenAI(base_url=model.openai_url, api_key="none") as openai:
            scripted = OpenAIChatModel("scripted", provider=OpenAIProvider(openai_client=openai))
            return (await Agent(scripted, tools=[tool]).run("Do otters sleep?")).output

    for _ in range(2):
        assert OTTER.content in await asyncio.to_thread(asyncio.run, run())
    assert OTTER.content in await run()

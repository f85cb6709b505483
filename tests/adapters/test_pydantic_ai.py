"""The Pydantic AI adapter in a real `Agent`: what others do not have."""

from __future__ import annotations

import asyncio

import pytest

from kensaku import tools_for

from .scenes import OTTER, staged

pytest.importorskip("pydantic_ai")
from openai import AsyncOpenAI
from pydantic_ai import Agent
from pydantic_ai.messages import ToolReturnPart
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from kensaku.adapters.pydantic_ai import ToolFailed, toolset, wrap


@pytest.fixture
async def agent_with(model):
    async with AsyncOpenAI(base_url=model.openai_url, api_key="none") as openai:

        def make(*tools, **options):
            scripted = OpenAIChatModel("scripted", provider=OpenAIProvider(openai_client=openai))
            return Agent(scripted, tools=list(tools), **options)

        yield make


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

"""The strands adapter in a real strands `Agent`."""

from __future__ import annotations

import asyncio
import gc
import json

import pytest

from kensaku import tools_for
from kensaku.tools import WebSearchTool

from .model_server import CUT_OFF
from .scenes import OTTER, SCENES, SECRET, staged

pytest.importorskip("strands")
from strands import Agent
from strands.models.openai import OpenAIModel

from kensaku.adapters.strands import wrap


def agent_with(model, *tools):
    client = {"base_url": model.openai_url, "api_key": "none"}
    return Agent(
        model=OpenAIModel(client_args=client, model_id="scripted"),
        tools=list(tools),
        callback_handler=None,
    )


@pytest.mark.parametrize("scene", SCENES)
async def test_an_agent_is_told_what_came_of_its_call(scene, model, upstream, make_client):
    """Whatever happens below, the run ends with an answer, and the model knows what happened."""
    model.mode, shown = SCENES[scene]
    agent = agent_with(model, wrap(staged(scene, upstream, make_client)))

    answer = str(await agent.invoke_async("Do otters sleep?"))

    assert answer.startswith("FINAL")
    assert shown in answer
    assert SECRET not in json.dumps([r.body for r in model.requests])


@pytest.mark.parametrize(
    ("scene", "status"),
    [("found", "success"), ("empty", "success"), ("unavailable", "error"), ("crash", "error")],
)
async def test_a_failure_has_the_status_error(scene, status, model, upstream, make_client):
    """Nothing found is a success: only a search that did not happen is an error."""
    agent = agent_with(model, wrap(staged(scene, upstream, make_client)))

    await agent.invoke_async("Do otters sleep?")

    results = [b["toolResult"] for m in agent.messages for b in m["content"] if "toolResult" in b]
    assert [r["status"] for r in results] == [status]


async def test_the_model_gets_our_words_and_bounds(model, make_client):
    """The schema on the wire is the one that is written in `kensaku.tools`."""
    tool = WebSearchTool(make_client("tavily"), language="ja")

    await agent_with(model, wrap(tool)).invoke_async("Do otters sleep?")

    seen = model.offered["web_search"]
    assert seen.description == tool.description
    assert seen.parameters == tool.parameters


async def test_two_calls_in_one_turn_are_both_answered(model, upstream, make_client):
    """Models ask for several searches at once."""
    model.mode = "parallel"
    tool = staged("found", upstream, make_client)

    answer = str(await agent_with(model, wrap(tool)).invoke_async("Do otters sleep?"))

    assert answer.count(OTTER.content) == 2


@pytest.mark.parametrize("mode", ["badjson", "unknown"])
async def test_a_call_that_makes_no_sense_does_not_end_the_run(mode, model, upstream, make_client):
    """strands turns cut-off arguments into none at all, which we refuse."""
    model.mode = mode
    tool = staged("found", upstream, make_client)

    answer = str(await agent_with(model, wrap(tool)).invoke_async("Do otters sleep?"))

    assert answer.startswith("FINAL")
    assert CUT_OFF not in answer
    assert not upstream.asked("tavily")


async def test_an_agent_that_does_not_await_works_again_and_again(model, upstream, make_client):
    """strands makes a new event loop for every such call; the client serves each of them."""
    agent = agent_with(model, wrap(staged("found", upstream, make_client)))

    for _ in range(2):
        assert OTTER.content in str(await asyncio.to_thread(agent, "Do otters sleep?"))
    gc.collect()


async def test_tools_for_gives_an_agent_its_tools(model, upstream, make_client):
    """The entry that people use."""
    upstream.answers("tavily", [OTTER])
    tools = tools_for("strands", client=make_client("tavily"))

    answer = str(await agent_with(model, *tools).invoke_async("Do otters sleep?"))

    assert OTTER.content in answer
    assert list(model.offered) == ["web_search", "web_extract", "web_context"]

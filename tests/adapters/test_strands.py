"""The strands adapter in a real strands `Agent`: what others do not have."""

from __future__ import annotations

import asyncio
import gc

import pytest

from kensaku import tools_for

from .agents import strands_agent
from .scenes import OTTER, staged

pytest.importorskip("strands")
from kensaku.adapters.strands import wrap


@pytest.mark.parametrize(
    ("scene", "status"),
    [("found", "success"), ("empty", "success"), ("unavailable", "error"), ("crash", "error")],
)
async def test_a_failure_has_the_status_error(scene, status, model, upstream, make_client):
    """Nothing found is a success: only a search that did not happen is an error."""
    agent = strands_agent(model, wrap(staged(scene, upstream, make_client)))

    await agent.invoke_async("Do otters sleep?")

    results = [b["toolResult"] for m in agent.messages for b in m["content"] if "toolResult" in b]
    assert [r["status"] for r in results] == [status]


async def test_an_agent_that_does_not_await_works_again_and_again(model, upstream, make_client):
    """strands makes a new event loop for every such call; the client serves each of them."""
    agent = strands_agent(model, wrap(staged("found", upstream, make_client)))

    for _ in range(2):
        assert OTTER.content in str(await asyncio.to_thread(agent, "Do otters sleep?"))
    gc.collect()


async def test_tools_for_gives_an_agent_its_tools(model, upstream, make_client):
    """The entry that people use."""
    upstream.answers("tavily", [OTTER])
    tools = tools_for("strands", client=make_client("tavily"))

    answer = str(await strands_agent(model, *tools).invoke_async("Do otters sleep?"))

    assert OTTER.content in answer
    assert list(model.offered) == ["web_search", "web_extract", "web_context"]

"""LangChain: our tools inside a real agent, over a scripted model and a fake upstream."""

from __future__ import annotations

import asyncio
import json

import pytest
from langchain_core.tools import StructuredTool

from kensaku import tools_for
from kensaku.adapters.langchain import wrap
from kensaku.testing import faults
from kensaku.tools import WebSearchTool

from .agents import langchain_agent, run_langchain
from .scenes import OTTER


async def test_the_same_result_is_there_as_data(model, make_client, upstream):
    """No program parses the text: the hits are in the message of the tool."""
    upstream.answers("tavily", [OTTER])

    _, message = await run_langchain(model, tools_for("langchain", client=make_client("tavily")))

    assert message.status == "success"
    assert message.artifact["output"]["hits"][0]["url"] == OTTER.url


async def test_nobody_could_search_is_an_error_with_its_reasons(model, make_client, upstream):
    """The run goes on, the status says so, and the data beside the text has each attempt."""
    upstream.fails("tavily", faults.status(401))

    _, message = await run_langchain(model, [wrap(WebSearchTool(make_client("tavily")))])

    assert message.status == "error"
    (attempt,) = message.artifact["output"]["attempts"]
    assert attempt["error"]["type"] == "KeyRefused"
    assert "tavily-test-key" not in str(message)


@pytest.mark.parametrize("extra", ["config", "run_manager", "self", "callbacks", "nonsense"])
async def test_an_argument_nobody_asked_for_does_not_end_the_run(model, make_client, extra):
    """Some of these are names of LangChain's own parameters."""
    model.arguments = {"query": "otter", extra: {}}

    answer, message = await run_langchain(model, [wrap(WebSearchTool(make_client("tavily")))])

    said = f"Error: web_search has no argument '{extra}'"
    assert answer.startswith(f"FINAL {said}")
    assert message.status == "error"
    assert wrap(WebSearchTool()).invoke({"query": "otter", extra: {}}).startswith(said)


async def test_it_works_without_await_too(model, make_client, upstream):
    """`invoke` in a thread, while a loop is running elsewhere."""
    upstream.answers("tavily", [OTTER])
    client = make_client("tavily")
    agent = langchain_agent(model, [wrap(WebSearchTool(client))])

    state = await asyncio.to_thread(agent.invoke, {"messages": [("user", "otters?")]})

    assert OTTER.content in state["messages"][-1].content


async def test_alone_it_returns_text_or_a_message(make_client, upstream):
    """Called with arguments it gives text; called as a tool call, a message with the data."""
    upstream.answers("tavily", [OTTER])
    tool = wrap(WebSearchTool(make_client("tavily"), fence=False))

    text = await tool.ainvoke({"query": "otter"})
    call = {"name": "web_search", "args": {"query": "otter"}, "id": "1", "type": "tool_call"}
    message = await tool.ainvoke(call)

    assert isinstance(tool, StructuredTool)
    assert text.split("\n")[0] == message.content.split("\n")[0]
    assert json.loads(json.dumps(message.artifact))["success"] is True

"""OpenAI Agents SDK: our tools inside a real run, over a scripted model and a fake upstream."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from agents import (
    Agent,
    FunctionTool,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    RunConfig,
    Runner,
    ToolCallOutputItem,
)
from openai import AsyncOpenAI

from kensaku import tools_for
from kensaku.adapters.openai_agents import HAS_DATA, wrap
from kensaku.testing import faults
from kensaku.tools import AskUserTool, WebSearchTool
from kensaku.tools.base import Approval

from .model_server import ModelServer
from .scenes import OTTER


async def run(model, tools):
    agent = Agent(name="otter keeper", model=model, tools=tools)
    result = await Runner.run(agent, "otters?", run_config=RunConfig(tracing_disabled=True))
    items = [i for i in result.new_items if isinstance(i, ToolCallOutputItem)]
    return result.final_output, {item.raw_item["call_id"]: item for item in items}


class TwoQueries(ModelServer):
    """It asks about otters and about beavers in one turn."""

    def reply(self, asked):
        calls = super().reply(asked)
        if isinstance(calls, str):
            return calls
        return [
            replace(calls[0], id=f"call_{query}", arguments=json.dumps({"query": query}))
            for query in ("otter", "beaver")
        ]


@pytest.mark.skipif(not HAS_DATA, reason="openai-agents < 0.18 has no place for data")
@pytest.mark.parametrize("kind", [OpenAIChatCompletionsModel, OpenAIResponsesModel])
async def test_two_calls_at_once_keep_their_data_apart(kind, make_client, upstream):
    """Each output item has the data of its own call, though the first search takes longer."""
    about_otters = lambda seen: seen.json["query"] == "otter"  # noqa: E731
    upstream.answers("tavily", [OTTER])
    # Not 401: it would leave no key to a search that begins after it.
    upstream.fails("tavily", faults.status(400), when=lambda seen: not about_otters(seen))
    upstream.fails("tavily", faults.delay(0.05), when=about_otters)
    with TwoQueries() as server:
        async with AsyncOpenAI(base_url=server.openai_url, api_key="not-a-key") as openai:
            model = kind(model="scripted", openai_client=openai)
            _, outputs = await run(model, tools_for("openai-agents", client=make_client("tavily")))

    found, failed = outputs["call_otter"], outputs["call_beaver"]
    assert found.custom_data["output"]["hits"][0]["url"] == OTTER.url
    assert OTTER.content in found.output
    assert failed.custom_data["success"] is False
    assert failed.custom_data["output"]["attempts"][0]["error"]["type"] == "BadQuery"
    assert "outcome: unavailable" in failed.output


async def test_the_sdks_own_test_model_drives_it_too(make_client, upstream):
    """Without any HTTP on the model's side."""
    testing = pytest.importorskip("agents.testing")  # since openai-agents 0.22
    upstream.answers("tavily", [OTTER])
    script = testing.ScriptedModel(
        [
            [testing.function_call("web_search", {"query": "otter"}, call_id="1")],
            [testing.assistant_message("They hold hands.")],
        ]
    )

    answer, outputs = await run(script, [wrap(WebSearchTool(make_client("tavily")))])

    assert answer == "They hold hands."
    assert OTTER.content in outputs["1"].output


class Careful(AskUserTool):
    approval = Approval.REQUIRES_APPROVAL


def test_a_tool_that_needs_approval_says_so():
    """Searching only reads, and needs none."""
    assert isinstance(wrap(WebSearchTool()), FunctionTool)
    assert wrap(WebSearchTool()).needs_approval is False
    assert wrap(Careful()).needs_approval is True

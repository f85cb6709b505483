"""smolagents, by a `ToolCallingAgent`. It does not await."""

from __future__ import annotations

import asyncio
from typing import Any

from smolagents import LogLevel, OpenAIServerModel, ToolCallingAgent
from smolagents.models import get_tool_json_schema

from kensaku.tools import BaseTool

from ..model_server import ModelServer
from ..parity import Words, wrapped

DISTRIBUTION = "smolagents"


def words(tool: BaseTool) -> Words:
    found = Words(**get_tool_json_schema(wrapped(DISTRIBUTION, tool))["function"])
    optional = [n for n in tool.parameters["properties"] if n not in tool.parameters["required"]]
    assert [n for n, p in found.parameters["properties"].items() if "nullable" in p] == optional
    return found.without({"nullable"})


def call_sync(tool: BaseTool, arguments: dict[str, Any]) -> str:
    return wrapped(DISTRIBUTION, tool)(**arguments)


async def call(tool: BaseTool, arguments: dict[str, Any]) -> str:
    return call_sync(tool, arguments)


async def ask(tool: BaseTool, model: ModelServer) -> str:
    return await asyncio.to_thread(ask_sync, tool, model)


def ask_sync(tool: BaseTool, model: ModelServer) -> str:
    llm = OpenAIServerModel("scripted", api_base=model.openai_url, api_key="none")
    agent = ToolCallingAgent(
        tools=[wrapped(DISTRIBUTION, tool)], model=llm, max_steps=4, verbosity_level=LogLevel.OFF
    )
    return str(agent.run("Do otters sleep?"))


LOST_ON_THE_WIRE = {"nullable"}  # what it adds of its own

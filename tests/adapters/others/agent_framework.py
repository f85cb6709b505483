"""Microsoft Agent Framework, by an agent on chat completions."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from agent_framework import Agent
from agent_framework.openai import OpenAIChatCompletionClient

from kensaku.tools import BaseTool

from ..model_server import ModelServer
from ..parity import Words, wrapped

DISTRIBUTION = "agent-framework-core"
# Before 1.22 the framework refuses these itself, in its own words.
OLD = tuple(map(int, version(DISTRIBUTION).split(".")[:2])) < (1, 22)
CHECKS_ITSELF = {"no such topic", "no query", "no number"} if OLD else set()


def words(tool: BaseTool) -> Words:
    found = wrapped("agent-framework", tool)
    return Words(found.name, found.description, found.parameters())


async def call(tool: BaseTool, arguments: dict[str, Any]) -> str:
    return (await wrapped("agent-framework", tool).invoke(arguments=arguments))[0].text


async def facts(tool: BaseTool, arguments: dict[str, Any]) -> dict[str, Any]:
    (content,) = await wrapped("agent-framework", tool).invoke(arguments=arguments)
    return content.additional_properties["kensaku"]


async def ask(tool: BaseTool, model: ModelServer) -> str:
    client = OpenAIChatCompletionClient(model="scripted", api_key="none", base_url=model.openai_url)
    agent = Agent(client, tools=[wrapped("agent-framework", tool)])
    return (await agent.run("Do otters sleep?")).text

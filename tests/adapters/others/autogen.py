"""AutoGen, by an `AssistantAgent`."""

from __future__ import annotations

from typing import Any

from autogen_agentchat.agents import AssistantAgent
from autogen_core import CancellationToken
from autogen_ext.models.openai import OpenAIChatCompletionClient

from kensaku.tools import BaseTool

from ..model_server import ModelServer
from ..parity import Words, wrapped

DISTRIBUTION = "autogen-core"
KNOWS = {
    "vision": False,
    "function_calling": True,
    "json_output": False,
    "structured_output": False,
    "family": "unknown",
}


def words(tool: BaseTool) -> Words:
    schema = wrapped("autogen", tool).schema
    return Words(schema["name"], schema["description"], schema["parameters"])


async def call(tool: BaseTool, arguments: dict[str, Any]) -> str:
    it = wrapped("autogen", tool)
    return it.return_value_as_string(await it.run_json(arguments, CancellationToken()))


async def facts(tool: BaseTool, arguments: dict[str, Any]) -> dict[str, Any]:
    return (await wrapped("autogen", tool).run_json(arguments, CancellationToken())).to_dict()


async def ask(tool: BaseTool, model: ModelServer) -> str:
    client = OpenAIChatCompletionClient(
        model="scripted", base_url=model.openai_url, api_key="none", model_info=KNOWS
    )
    agent = AssistantAgent(
        "asker", client, tools=[wrapped("autogen", tool)], reflect_on_tool_use=True
    )
    done = await agent.run(task="Do otters sleep?")
    await client.close()
    return str(done.messages[-1].content)

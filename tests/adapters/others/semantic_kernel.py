"""Semantic Kernel, by a `ChatCompletionAgent`."""

from __future__ import annotations

from typing import Any

from openai import AsyncOpenAI
from semantic_kernel import Kernel
from semantic_kernel.agents import ChatCompletionAgent
from semantic_kernel.connectors.ai.function_calling_utils import (
    kernel_function_metadata_to_function_call_format,
)
from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion

from kensaku.tools import BaseTool

from ..model_server import ModelServer
from ..parity import Words, wrapped

DISTRIBUTION = "semantic-kernel"
CHECKS_ITSELF = {"no query"}


def words(tool: BaseTool) -> Words:
    it = wrapped(DISTRIBUTION, tool)
    return Words(**kernel_function_metadata_to_function_call_format(it.metadata)["function"])


async def _called(tool: BaseTool, arguments: dict[str, Any]) -> Any:
    return await Kernel().invoke(wrapped(DISTRIBUTION, tool), **arguments)


async def call(tool: BaseTool, arguments: dict[str, Any]) -> str:
    return str(await _called(tool, arguments))


async def facts(tool: BaseTool, arguments: dict[str, Any]) -> dict[str, Any]:
    return (await _called(tool, arguments)).metadata["kensaku"]


async def ask(tool: BaseTool, model: ModelServer) -> str:
    kernel = Kernel()
    kernel.add_functions("kensaku", [wrapped(DISTRIBUTION, tool)])
    client = AsyncOpenAI(base_url=model.openai_url, api_key="none")
    service = OpenAIChatCompletion(ai_model_id="scripted", async_client=client)
    agent = ChatCompletionAgent(service=service, kernel=kernel, name="asker")
    return str(await agent.get_response(messages="Do otters sleep?"))

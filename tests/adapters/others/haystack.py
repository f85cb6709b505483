"""Haystack, by its `Agent`."""

from __future__ import annotations

import asyncio
from typing import Any

from haystack.components.agents import Agent
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage
from haystack.utils import Secret

from kensaku.tools import BaseTool

from ..model_server import ModelServer
from ..parity import Words, wrapped

DISTRIBUTION = "haystack-ai"


def words(tool: BaseTool) -> Words:
    it = wrapped("haystack", tool)
    again = type(it).from_dict(it.to_dict())  # as a pipeline's file has it
    assert again.tool_spec == it.tool_spec
    return Words(**it.tool_spec)


async def _called(tool: BaseTool, arguments: dict[str, Any]) -> dict[str, Any]:
    it = wrapped("haystack", tool)
    if hasattr(it, "invoke_async"):  # Haystack 3
        return await it.invoke_async(**arguments)
    return await asyncio.to_thread(it.invoke, **arguments)


async def call(tool: BaseTool, arguments: dict[str, Any]) -> str:
    return (await _called(tool, arguments))["text"]


async def facts(tool: BaseTool, arguments: dict[str, Any]) -> dict[str, Any]:
    return (await _called(tool, arguments))["data"]


def _agent(tool: BaseTool, model: ModelServer) -> Agent:
    llm = OpenAIChatGenerator(
        model="scripted", api_base_url=model.openai_url, api_key=Secret.from_token("none")
    )
    return Agent(chat_generator=llm, tools=[wrapped("haystack", tool)], max_agent_steps=5)


async def ask(tool: BaseTool, model: ModelServer) -> str:
    done = await _agent(tool, model).run_async(messages=[ChatMessage.from_user("Otters?")])
    return done["last_message"].text


def ask_sync(tool: BaseTool, model: ModelServer) -> str:
    done = _agent(tool, model).run(messages=[ChatMessage.from_user("Otters?")])
    return done["last_message"].text

"""Agno, by its `Agent`, with `run` and with `arun`."""

from __future__ import annotations

import asyncio
from typing import Any

from agno.agent import Agent
from agno.models.openai import OpenAIChat
from agno.tools.function import ToolResult

from kensaku.tools import BaseTool

from ..model_server import ModelServer
from ..parity import Words, wrapped

DISTRIBUTION = "agno"


def words(tool: BaseTool) -> Words:
    found = wrapped("agno", tool)
    found.process_entrypoint()
    return Words(found.name, found.description, found.parameters)


def _called(tool: BaseTool, arguments: dict[str, Any]) -> Any:
    return wrapped("agno", tool).entrypoint(**arguments)


async def call(tool: BaseTool, arguments: dict[str, Any]) -> str:
    return (await asyncio.to_thread(_called, tool, arguments)).content


if "metadata" in ToolResult.model_fields:  # not in the first releases of Agno 2

    async def facts(tool: BaseTool, arguments: dict[str, Any]) -> dict[str, Any]:
        done = await asyncio.to_thread(_called, tool, arguments)
        return done.metadata["structured_content"]


def _agent(tool: BaseTool, model: ModelServer) -> Agent:
    llm = OpenAIChat(id="scripted", base_url=model.openai_url, api_key="none")
    return Agent(model=llm, tools=[wrapped("agno", tool)], telemetry=False)


async def ask(tool: BaseTool, model: ModelServer) -> str:
    return str((await _agent(tool, model).arun("Do otters sleep?")).content)


def ask_sync(tool: BaseTool, model: ModelServer) -> str:
    return str(_agent(tool, model).run("Do otters sleep?").content)

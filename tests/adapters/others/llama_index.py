"""LlamaIndex, by a `FunctionAgent`."""

from __future__ import annotations

from typing import Any

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.llms.openai_like import OpenAILike

from kensaku.tools import BaseTool

from ..model_server import ModelServer
from ..parity import Words, wrapped

DISTRIBUTION = "llama-index-core"


def words(tool: BaseTool) -> Words:
    return Words(**wrapped("llama-index", tool).metadata.to_openai_tool()["function"])


async def call(tool: BaseTool, arguments: dict[str, Any]) -> str:
    return (await wrapped("llama-index", tool).acall(**arguments)).content


def call_sync(tool: BaseTool, arguments: dict[str, Any]) -> str:
    return wrapped("llama-index", tool).call(**arguments).content


async def facts(tool: BaseTool, arguments: dict[str, Any]) -> dict[str, Any]:
    return (await wrapped("llama-index", tool).acall(**arguments)).raw_output


async def ask(tool: BaseTool, model: ModelServer) -> str:
    llm = OpenAILike(
        model="scripted", api_base=model.openai_url, api_key="none",
        is_chat_model=True, is_function_calling_model=True,
    )  # fmt: skip
    tools = [wrapped("llama-index", tool)]
    agent = FunctionAgent(name="asker", description="Answers.", tools=tools, llm=llm)
    return str(await agent.run("Otters?"))

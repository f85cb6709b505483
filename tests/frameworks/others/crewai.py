"""CrewAI, by a crew of one."""

from __future__ import annotations

from typing import Any

from crewai import LLM, Agent, Crew, Task

from kensaku.tools import BaseTool

from ..model_server import ModelServer
from ..parity import Words, wrapped

DISTRIBUTION = "crewai"


def words(tool: BaseTool) -> Words:
    it = wrapped(DISTRIBUTION, tool)
    return Words(it.name, tool.description, it.args_schema.model_json_schema())


async def call(tool: BaseTool, arguments: dict[str, Any]) -> str:
    return await wrapped(DISTRIBUTION, tool).arun(**arguments)


def call_sync(tool: BaseTool, arguments: dict[str, Any]) -> str:
    return wrapped(DISTRIBUTION, tool).run(**arguments)


def _crew(tool: BaseTool, model: ModelServer) -> Crew:
    llm = LLM(model="openai/gpt-4o-mini", base_url=model.openai_url, api_key="none")
    agent = Agent(
        role="Asker", goal="Find out", backstory="Curious.", llm=llm, max_iter=4,
        tools=[wrapped(DISTRIBUTION, tool)],
    )  # fmt: skip
    task = Task(description="Do otters sleep?", expected_output="A sentence.", agent=agent)
    return Crew(agents=[agent], tasks=[task], tracing=False)


async def ask(tool: BaseTool, model: ModelServer) -> str:
    return str(await _crew(tool, model).kickoff_async())


def ask_sync(tool: BaseTool, model: ModelServer) -> str:
    return str(_crew(tool, model).kickoff())

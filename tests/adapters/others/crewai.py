"""CrewAI, by a crew of one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crewai import LLM, Agent, Crew, Task

from kensaku.tools import BaseTool

from ..model_server import ModelServer, Offered
from ..parity import Words, wrapped

DISTRIBUTION = "crewai"


# On the wire every argument is required, and defaults are gone: that is OpenAI's strict mode.
LOST_ON_THE_WIRE = {"default", "required"}


def words(tool: BaseTool) -> Words:
    it = wrapped(DISTRIBUTION, tool)
    schema = it.args_schema.model_json_schema()
    optional = [n for n in tool.parameters["properties"] if n not in tool.parameters["required"]]
    assert optional == [n for n, p in schema["properties"].items() if "null" in p["type"]]
    # In old versions the description holds the name and the schema, too.
    said = it.description.rpartition("Tool Description: ")[2]
    return Words(it.name, said, _without_null(schema))


def offered(model: ModelServer) -> dict[str, Offered]:
    return {
        name: Offered(name, seen.description, _without_null(seen.parameters))
        for name, seen in model.offered.items()
    }


def _without_null(schema: Mapping[str, Any]) -> dict[str, Any]:
    """CrewAI's models may send null for what they leave out."""
    properties = {name: dict(about) for name, about in schema["properties"].items()}
    for about in properties.values():
        if isinstance(about["type"], list):
            about["type"] = about["type"][0]
        if "enum" in about:
            about["enum"] = [choice for choice in about["enum"] if choice is not None]
    return {**schema, "properties": properties}


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

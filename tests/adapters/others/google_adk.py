"""Google ADK, by an agent in its runner, with Gemini's protocol."""

from __future__ import annotations

import asyncio
import os
from types import SimpleNamespace
from typing import Any

from google.adk.agents import Agent
from google.adk.models.google_llm import Gemini
from google.adk.runners import InMemoryRunner
from google.genai import types

from kensaku.tools import BaseTool

from ..model_server import ModelServer, Offered
from ..parity import Words, wrapped

DISTRIBUTION = "google-adk"


def words(tool: BaseTool) -> Words:
    found = wrapped(DISTRIBUTION, tool)._get_declaration()
    return Words(found.name, found.description, found.parameters_json_schema)


async def call(tool: BaseTool, arguments: dict[str, Any]) -> str:
    context = SimpleNamespace(state={})
    returned = await wrapped(DISTRIBUTION, tool).run_async(args=arguments, tool_context=context)
    return next(iter(returned.values()))


async def facts(tool: BaseTool, arguments: dict[str, Any]) -> dict[str, Any]:
    context = SimpleNamespace(state={})
    await wrapped(DISTRIBUTION, tool).run_async(args=arguments, tool_context=context)
    return context.state[f"temp:{tool.name}"]


QUESTION = types.Content(role="user", parts=[types.Part(text="Do otters sleep?")])


def _runner(tool: BaseTool, model: ModelServer) -> InMemoryRunner:
    os.environ |= {"GOOGLE_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": model.gemini_url}
    gemini = Gemini(model="gemini-scripted")
    agent = Agent(name="asker", model=gemini, tools=[wrapped(DISTRIBUTION, tool)])
    return InMemoryRunner(agent=agent, app_name="test")


def _said(events: list[Any]) -> str:
    last = [e.content for e in events if e.is_final_response() and e.content][-1]
    return "".join(part.text or "" for part in last.parts)


async def ask(tool: BaseTool, model: ModelServer) -> str:
    runner = _runner(tool, model)
    await runner.session_service.create_session(app_name="test", user_id="u", session_id="s")
    running = runner.run_async(user_id="u", session_id="s", new_message=QUESTION)
    return _said([event async for event in running])


def ask_sync(tool: BaseTool, model: ModelServer) -> str:
    runner = _runner(tool, model)
    asyncio.run(runner.session_service.create_session(app_name="test", user_id="u", session_id="s"))
    running = runner.run(user_id="u", session_id="s", new_message=QUESTION)
    return _said(list(running))


def offered(model: ModelServer) -> dict[str, Offered]:
    """Some versions of the SDK write the schema's name in snake case."""
    (tool,) = model.requests[0].body["tools"][0]["functionDeclarations"]
    schema = tool.get("parameters_json_schema") or tool["parametersJsonSchema"]
    return {tool["name"]: Offered(tool["name"], tool["description"], schema)}

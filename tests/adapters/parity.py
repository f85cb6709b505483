"""What reaches a model, and what comes back, read out of each framework's own objects."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, get_args, get_origin

from kensaku.adapters import ADAPTERS
from kensaku.testing import FakeUpstream, faults
from kensaku.tools import BaseTool

from .scenes import OTTER

BOUNDS = {"minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"}

# framework → what of a schema it cannot carry to the model. We check it all the same.
CANNOT_CARRY: dict[str, set[str]] = {
    "function": {*BOUNDS, "additionalProperties"},  # a signature knows no bounds
    "llama-index": {"additionalProperties"},  # ToolMetadata keeps type, properties and required
    "smolagents": {"additionalProperties"},  # it refuses unknown arguments by itself
    "dspy": {"additionalProperties", "required"},  # the prompt lists the arguments one by one
    "semantic-kernel": {"additionalProperties"},
}

# scene → the arguments that a model sends
SENT: dict[str, dict[str, Any]] = {
    "found": {"query": "otter", "max_results": 3, "include_domains": ["otter.example"]},
    "empty": {"query": "otter"},
    "unavailable": {"query": "otter"},
    "too many": {"query": "otter", "max_results": 999},
    "no such topic": {"query": "otter", "topic": "sport"},
    "no query": {"max_results": 3},
    "no number": {"query": "otter", "max_results": "many"},
}
BAD = [scene for scene in SENT if scene not in ("found", "empty", "unavailable")]


@dataclass(frozen=True)
class Words:
    """What a model is told of a tool."""

    name: str
    description: str
    parameters: Mapping[str, Any]

    def without(self, lost: set[str]) -> Words:
        """The same, but for what cannot be carried."""
        schema = {n: v for n, v in self.parameters.items() if n not in lost}
        schema["properties"] = {
            name: {n: v for n, v in about.items() if n not in lost}
            for name, about in self.parameters["properties"].items()
        }
        return Words(self.name, self.description, schema)

    @classmethod
    def of(cls, tool: BaseTool) -> Words:
        """The tool's own."""
        return cls(tool.name, tool.description, tool.parameters)


def set_up(scene: str, upstream: FakeUpstream) -> None:
    """Make the upstream behave as the scene wants."""
    upstream.heals()
    upstream.answers("tavily", [] if scene == "empty" else [OTTER])
    if scene == "unavailable":
        upstream.fails("tavily", faults.status(401))


def same(text: str) -> str:
    """The text without what differs from call to call: the random marker of the fence."""
    return re.sub(r"\b[0-9a-f]{32}\b", "MARKER", text)


def wrapped(framework: str, tool: BaseTool) -> Any:
    """The tool as the framework wants it."""
    module = import_module(ADAPTERS[framework].module)
    wrap = getattr(module, f"for_{framework}", None) or module.wrap
    return wrap(tool)


def reader(framework: str) -> Any:
    """Something with `words(tool)` and `call(tool, arguments)`."""
    if framework in READERS:
        return READERS[framework]
    return import_module(f"{__package__}.others.{ADAPTERS[framework].module.rpartition('.')[2]}")


class Reader:
    """How the words and the answer are read in one framework."""

    def __init__(self, words: Callable[[BaseTool], Words], call: Callable[..., Any]) -> None:
        self.words, self.call = words, call


def _named(framework: str, name: str, description: str, schema: str) -> Callable[..., Words]:
    def words(tool: BaseTool) -> Words:
        it = wrapped(framework, tool)
        return Words(*(getattr(it, a) for a in (name, description, schema)))

    return words


# --- strands


def _strands_words(tool: BaseTool) -> Words:
    spec = wrapped("strands", tool).tool_spec
    return Words(spec["name"], spec["description"], spec["inputSchema"]["json"])


async def _strands_call(tool: BaseTool, arguments: dict[str, Any]) -> str:
    use = {"toolUseId": "1", "name": tool.name, "input": arguments}
    last: Any = None
    async for event in wrapped("strands", tool).stream(use, {}):
        last = event
    return last.get("tool_result", last)["content"][0]["text"]


# --- pydantic-ai


def _pydantic_ai_words(tool: BaseTool) -> Words:
    found = wrapped("pydantic-ai", tool).tool_def
    return Words(found.name, found.description, found.parameters_json_schema)


async def _pydantic_ai_call(tool: BaseTool, arguments: dict[str, Any]) -> str:
    from pydantic_ai import ModelRetry, RunContext
    from pydantic_ai.models.test import TestModel
    from pydantic_ai.usage import RunUsage

    from kensaku.adapters.pydantic_ai import ToolFailed

    failures = (ModelRetry, ToolFailed) if ToolFailed else (ModelRetry,)
    ctx = RunContext(deps=None, model=TestModel(), usage=RunUsage(), max_retries=1)
    try:
        returned = await wrapped("pydantic-ai", tool).function(ctx, **arguments)
    except failures as told:
        return told.message
    return returned.return_value


# --- LangChain, OpenAI Agents, Claude, MCP


async def _langchain_call(tool: BaseTool, arguments: dict[str, Any]) -> str:
    call = {"type": "tool_call", "id": "1", "name": tool.name, "args": arguments}
    return (await wrapped("langchain", tool).ainvoke(call)).content


async def _openai_agents_call(tool: BaseTool, arguments: dict[str, Any]) -> str:
    from agents.tool_context import ToolContext

    raw = json.dumps(arguments)
    ctx = ToolContext(None, tool_name=tool.name, tool_call_id="1", tool_arguments=raw)
    return await wrapped("openai-agents", tool).on_invoke_tool(ctx, raw)


async def _claude_call(tool: BaseTool, arguments: dict[str, Any]) -> str:
    return (await wrapped("claude", tool).handler(arguments))["content"][0]["text"]


def _mcp_words(tool: BaseTool) -> Words:
    found = wrapped("mcp", tool).definition.model_dump(by_alias=True)
    return Words(found["name"], found["description"], found["inputSchema"])


async def _mcp_call(tool: BaseTool, arguments: dict[str, Any]) -> str:
    return (await wrapped("mcp", tool)(arguments)).content[0].text


# --- Gemini's SDK, and plain schemas


async def _google_genai_call(tool: BaseTool, arguments: dict[str, Any]) -> str:
    from google.genai import types

    from kensaku.adapters.google_genai import answer

    call = types.FunctionCall(name=tool.name, args=arguments)
    turn = types.Content(role="model", parts=[types.Part(function_call=call)])
    reply = types.GenerateContentResponse(candidates=[types.Candidate(content=turn)])
    told = await answer(reply, [tool])
    return next(iter(told.parts[0].function_response.response.values()))


def _openai_words(framework: str) -> Callable[..., Words]:
    return lambda tool: Words(**wrapped(framework, tool)["function"])


def _anthropic_words(tool: BaseTool) -> Words:
    found = wrapped("anthropic", tool)
    return Words(found["name"], found["description"], found["input_schema"])


def _gemini_words(tool: BaseTool) -> Words:
    found = wrapped("gemini", tool)
    return Words(found["name"], found["description"], found["parametersJsonSchema"])


async def _openai_call(tool: BaseTool, arguments: dict[str, Any]) -> str:
    from kensaku.adapters.schemas import run_openai

    function = {"name": tool.name, "arguments": json.dumps(arguments)}
    message = {"tool_calls": [{"id": "1", "function": function}]}
    return (await run_openai(message, [tool]))[0]["content"]


async def _anthropic_call(tool: BaseTool, arguments: dict[str, Any]) -> str:
    from kensaku.adapters.schemas import run_anthropic

    use = {"type": "tool_use", "id": "1", "name": tool.name, "input": arguments}
    return (await run_anthropic({"content": [use]}, [tool]))[0]["content"][0]["content"]


async def _gemini_call(tool: BaseTool, arguments: dict[str, Any]) -> str:
    from kensaku.adapters.schemas import run_gemini

    part = {"functionCall": {"name": tool.name, "args": arguments}}
    (told,) = await run_gemini({"candidates": [{"content": {"parts": [part]}}]}, [tool])
    return next(iter(told["parts"][0]["functionResponse"]["response"].values()))


# --- a plain function

_KINDS = {str: "string", int: "integer", float: "number", bool: "boolean"}


def _function_words(tool: BaseTool) -> Words:
    function = wrapped("function", tool)
    description, _, listed = function.__doc__.partition("\n\nArgs:\n")
    told = dict(line.strip().split(": ", 1) for line in listed.splitlines())
    given = inspect.signature(function).parameters.values()
    return Words(
        function.__name__,
        description,
        {
            "type": "object",
            "properties": {p.name: _property(p, told[p.name]) for p in given},
            "required": [p.name for p in given if p.default is p.empty],
        },
    )


def _property(param: inspect.Parameter, told: str) -> dict[str, Any]:
    kind, choices = param.annotation, ()
    parts = [k for k in get_args(kind) if k is not type(None)]
    if type(None) in get_args(kind):
        kind = parts[0]
    if str(get_origin(kind)) == "typing.Literal":
        choices, kind = get_args(kind), str
    found: dict[str, Any] = {"type": _KINDS.get(kind, "array"), "description": told}
    if found["type"] == "array":
        found["items"] = _items(*get_args(kind))
    if choices:
        found["enum"] = list(choices)
    if param.default not in (param.empty, None):
        found["default"] = param.default
    return found


def _items(kind: type) -> dict[str, Any]:
    if kind in _KINDS:
        return {"type": _KINDS[kind]}
    texts = {name: {"type": _KINDS[of]} for name, of in kind.__annotations__.items()}
    return {"type": "object", "properties": texts}


async def _function_call(tool: BaseTool, arguments: dict[str, Any]) -> str:
    return await wrapped("function", tool)(**arguments)


READERS = {
    "strands": Reader(_strands_words, _strands_call),
    "pydantic-ai": Reader(_pydantic_ai_words, _pydantic_ai_call),
    "langchain": Reader(_named("langchain", "name", "description", "args_schema"), _langchain_call),
    "openai-agents": Reader(
        _named("openai-agents", "name", "description", "params_json_schema"), _openai_agents_call
    ),
    "claude": Reader(_named("claude", "name", "description", "input_schema"), _claude_call),
    "mcp": Reader(_mcp_words, _mcp_call),
    "google-genai": Reader(
        _named("google-genai", "name", "description", "parameters_json_schema"), _google_genai_call
    ),
    "openai": Reader(_openai_words("openai"), _openai_call),
    "litellm": Reader(_openai_words("litellm"), _openai_call),
    "anthropic": Reader(_anthropic_words, _anthropic_call),
    "gemini": Reader(_gemini_words, _gemini_call),
    "function": Reader(_function_words, _function_call),
}

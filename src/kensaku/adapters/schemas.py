"""Plain tool schemas for whoever talks to a model's API directly, and the answers to its calls.

    tools = ToolRegistry(enabled=["web_search"])
    reply = client.chat.completions.create(…, tools=[for_openai(t) for t in tools])
    messages += [reply.choices[0].message, *await run_openai(reply, tools)]

A reply may be the SDK's object or plain JSON. Every call gets an answer, also one of a tool that
does not exist or with arguments that are no JSON; an empty list means that nothing was called.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from kensaku.errors import UnknownName
from kensaku.tools.base import ToolResult

if TYPE_CHECKING:
    from kensaku.tools.base import BaseTool

__all__ = [
    "for_anthropic",
    "for_gemini",
    "for_litellm",
    "for_openai",
    "for_openai_responses",
    "run_anthropic",
    "run_gemini",
    "run_litellm",
    "run_openai",
    "run_openai_responses",
]

Schema = dict[str, Any]


def for_openai(tool: BaseTool) -> Schema:
    """For `chat.completions.create(tools=[…])`."""
    return {"type": "function", "function": _words(tool) | {"parameters": tool.parameters}}


def for_openai_responses(tool: BaseTool) -> Schema:
    """For `responses.create(tools=[…])`. Not strict: that would make every argument required."""
    return {"type": "function", **_words(tool), "parameters": tool.parameters, "strict": False}


def for_anthropic(tool: BaseTool) -> Schema:
    """For `messages.create(tools=[…])`."""
    return _words(tool) | {"input_schema": tool.parameters}


def for_gemini(tool: BaseTool) -> Schema:
    """For `{"tools": [{"functionDeclarations": […]}]}`."""
    return _words(tool) | {"parametersJsonSchema": tool.parameters}


def for_litellm(tool: BaseTool) -> Schema:
    """For `litellm.completion(tools=[…])`, which takes OpenAI's form for every model."""
    return for_openai(tool)


async def run_openai(reply: Any, tools: Iterable[BaseTool]) -> list[Schema]:
    """The `tool` messages that answer a chat completion, or its message."""
    said = _plain(reply)
    message = said["choices"][0]["message"] if "choices" in said else said
    calls = message.get("tool_calls") or []
    asked = [(c["function"]["name"], c["function"].get("arguments")) for c in calls]
    done = await _invoked(asked, tools)
    return [
        {"role": "tool", "tool_call_id": call["id"], "content": result.text}
        for call, result in zip(calls, done, strict=True)
    ]


run_litellm = run_openai


async def run_openai_responses(reply: Any, tools: Iterable[BaseTool]) -> list[Schema]:
    """The `function_call_output` items that answer a response."""
    calls = [i for i in _plain(reply)["output"] if i["type"] == "function_call"]
    done = await _invoked([(c["name"], c.get("arguments")) for c in calls], tools)
    return [
        {"type": "function_call_output", "call_id": call["call_id"], "output": result.text}
        for call, result in zip(calls, done, strict=True)
    ]


async def run_anthropic(reply: Any, tools: Iterable[BaseTool]) -> list[Schema]:
    """The `user` message that answers a message, in a list; an empty list without calls."""
    calls = [b for b in _plain(reply)["content"] if b["type"] == "tool_use"]
    done = await _invoked([(c["name"], c.get("input")) for c in calls], tools)
    content = [
        {"type": "tool_result", "tool_use_id": call["id"], "content": result.text,
         "is_error": not result.success}
        for call, result in zip(calls, done, strict=True)
    ]  # fmt: skip
    return [{"role": "user", "content": content}] if content else []


async def run_gemini(reply: Any, tools: Iterable[BaseTool]) -> list[Schema]:
    """The content that answers a reply, in a list; an empty list without calls."""
    candidates = _plain(reply).get("candidates") or [{}]
    parts = (candidates[0].get("content") or {}).get("parts") or []
    calls = [c for p in parts if (c := p.get("functionCall") or p.get("function_call"))]
    done = await _invoked([(c["name"], c.get("args")) for c in calls], tools)
    answers = [
        {"functionResponse": {
            **({"id": call["id"]} if call.get("id") else {}),
            "name": call["name"],
            "response": {"output" if result.success else "error": result.text},
        }}
        for call, result in zip(calls, done, strict=True)
    ]  # fmt: skip
    return [{"role": "user", "parts": answers}] if answers else []


def _words(tool: BaseTool) -> Schema:
    return {"name": tool.name, "description": tool.description}


def _plain(reply: Any) -> Mapping[str, Any]:
    """The reply as JSON has it; SDKs give models of pydantic."""
    if isinstance(reply, str):
        reply = json.loads(reply)
    if isinstance(reply, Mapping):
        return reply
    plain: Mapping[str, Any] = reply.model_dump()
    return plain


async def _invoked(calls: list[tuple[str, Any]], tools: Iterable[BaseTool]) -> list[ToolResult]:
    """All calls at once: a model that asks for several can wait for the slowest."""
    known = {tool.name: tool for tool in tools}
    return await asyncio.gather(*(_one(known, name, arguments) for name, arguments in calls))


async def _one(known: dict[str, BaseTool], name: str, arguments: Any) -> ToolResult:
    if (tool := known.get(name)) is not None:
        return await tool.invoke(arguments)
    error = UnknownName("tool", name, known)
    return ToolResult(False, text=f"Error: {error}", error=str(error), error_kind="arguments")

"""Plain tool schemas for programs that call a model's API directly, and the answers to its calls.

    tools = ToolRegistry(enabled=["web_search"])
    reply = client.chat.completions.create(…, tools=[for_openai(t) for t in tools])
    messages += [reply.choices[0].message, *await run_openai(reply, tools)]

A reply may be the SDK's object or plain JSON. Every call gets an answer, even one of a tool that
does not exist or with arguments that are not JSON. An empty list means that nothing was called.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from kensaku.adapters._calls import run_calls
from kensaku.foreign_json import decode_json

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
    """Return the schema for `chat.completions.create(tools=[…])`."""
    return {
        "type": "function",
        "function": _name_and_description(tool) | {"parameters": tool.parameters},
    }


def for_openai_responses(tool: BaseTool) -> Schema:
    """Return the schema for `responses.create(tools=[…])`.

    It is not strict: that would make every argument required.
    """
    return {
        "type": "function",
        **_name_and_description(tool),
        "parameters": tool.parameters,
        "strict": False,
    }


def for_anthropic(tool: BaseTool) -> Schema:
    """Return the schema for `messages.create(tools=[…])`."""
    return _name_and_description(tool) | {"input_schema": tool.parameters}


def for_gemini(tool: BaseTool) -> Schema:
    """Return the schema for `{"tools": [{"functionDeclarations": […]}]}`."""
    return _name_and_description(tool) | {"parametersJsonSchema": tool.parameters}


def for_litellm(tool: BaseTool) -> Schema:
    """Return the schema for `litellm.completion(tools=[…])`: OpenAI's form for every model."""
    return for_openai(tool)


async def run_openai(reply: Any, tools: Iterable[BaseTool]) -> list[Schema]:
    """Run the calls of a chat completion, or of its message; return the `tool` messages."""
    message = _plain(reply)
    if "choices" in message:
        message = message["choices"][0]["message"]
    calls = message.get("tool_calls") or []
    functions = [c["function"] for c in calls]
    results = await run_calls([(f["name"], f.get("arguments")) for f in functions], tools)
    return [
        {"role": "tool", "tool_call_id": call["id"], "content": result.text}
        for call, result in zip(calls, results, strict=True)
    ]


run_litellm = run_openai


async def run_openai_responses(reply: Any, tools: Iterable[BaseTool]) -> list[Schema]:
    """Run the calls of a response; return the `function_call_output` items."""
    calls = [i for i in _plain(reply)["output"] if i["type"] == "function_call"]
    results = await run_calls([(c["name"], c.get("arguments")) for c in calls], tools)
    return [
        {"type": "function_call_output", "call_id": call["call_id"], "output": result.text}
        for call, result in zip(calls, results, strict=True)
    ]


async def run_anthropic(reply: Any, tools: Iterable[BaseTool]) -> list[Schema]:
    """Run the calls of a message; return a list with the `user` message, or an empty list."""
    calls = [b for b in _plain(reply)["content"] if b["type"] == "tool_use"]
    results = await run_calls([(c["name"], c.get("input")) for c in calls], tools)
    content = [
        {"type": "tool_result", "tool_use_id": call["id"], "content": result.text,
         "is_error": result.is_error}
        for call, result in zip(calls, results, strict=True)
    ]  # fmt: skip
    return [{"role": "user", "content": content}] if content else []


async def run_gemini(reply: Any, tools: Iterable[BaseTool]) -> list[Schema]:
    """Run the calls of a reply; return a list with the content that answers, or an empty list."""
    candidates = _plain(reply).get("candidates") or [{}]
    parts = (candidates[0].get("content") or {}).get("parts") or []
    calls = [c for p in parts if (c := p.get("functionCall") or p.get("function_call"))]
    results = await run_calls([(c["name"], c.get("args")) for c in calls], tools)
    answers = [
        {"functionResponse": {
            **({"id": call["id"]} if call.get("id") else {}),
            "name": call["name"],
            "response": {"error" if result.is_error else "output": result.text},
        }}
        for call, result in zip(calls, results, strict=True)
    ]  # fmt: skip
    return [{"role": "user", "parts": answers}] if answers else []


def _name_and_description(tool: BaseTool) -> Schema:
    return {"name": tool.name, "description": tool.description}


def _plain(reply: Any) -> Mapping[str, Any]:
    """Return the reply as plain JSON; SDKs return pydantic models."""
    if isinstance(reply, str):
        reply = decode_json(reply)
    if isinstance(reply, Mapping):
        return reply
    plain: Mapping[str, Any] = reply.model_dump()
    return plain

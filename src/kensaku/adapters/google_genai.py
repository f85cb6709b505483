"""Google Gen AI SDK: declarations for `GenerateContentConfig`, and the loop that answers calls.

    declarations = kensaku.tools_for("google-genai")
    reply = await generate(genai.Client(), model="gemini-…", contents="…", tools=ToolRegistry())

The SDK's automatic calling reads schemas from signatures, knows no bounds, and cannot run a
coroutine from its sync client; so the loop is ours.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from kensaku.errors import MissingExtra, UnknownName
from kensaku.tools.base import ToolResult

try:
    from google.genai import types
except ImportError:
    raise MissingExtra("google-genai", "google") from None

if TYPE_CHECKING:
    from google.genai import Client

    from kensaku.tools.base import BaseTool

__all__ = ["answer", "answer_sync", "generate", "generate_sync", "wrap"]

MAX_TURNS = 10


def wrap(tool: BaseTool) -> types.FunctionDeclaration:
    """The tool as a declaration, for `types.Tool(function_declarations=[…])`."""
    return types.FunctionDeclaration(
        name=tool.name, description=tool.description, parameters_json_schema=tool.parameters
    )


async def answer(
    reply: types.GenerateContentResponse, tools: Iterable[BaseTool]
) -> types.Content | None:
    """Run what a reply calls and say what came of it; None when it calls nothing."""
    known, calls = {t.name: t for t in tools}, reply.function_calls or []
    work = [_invoked(known, call) for call in calls]
    return _content(calls, await asyncio.gather(*work)) if calls else None


def answer_sync(
    reply: types.GenerateContentResponse, tools: Iterable[BaseTool]
) -> types.Content | None:
    """The same without await."""
    known, calls = {t.name: t for t in tools}, reply.function_calls or []
    done = [
        tool.invoke_sync(call.args) if (tool := known.get(call.name or "")) else _no(call, known)
        for call in calls
    ]
    return _content(calls, done) if calls else None


async def generate(
    client: Client,
    *,
    model: str,
    contents: Any,
    tools: Iterable[BaseTool],
    config: types.GenerateContentConfig | None = None,
    max_turns: int = MAX_TURNS,
) -> types.GenerateContentResponse:
    """Ask the model and answer its calls, until it calls no more or has had its turns."""
    known = list(tools)
    said, settings = _begun(contents), _offering(config, known)
    reply = await client.aio.models.generate_content(model=model, contents=said, config=settings)
    for _ in range(max_turns):
        if (told := await answer(reply, known)) is None:
            break
        said += [_turn(reply), told]
        reply = await client.aio.models.generate_content(
            model=model, contents=said, config=settings
        )
    return reply


def generate_sync(
    client: Client,
    *,
    model: str,
    contents: Any,
    tools: Iterable[BaseTool],
    config: types.GenerateContentConfig | None = None,
    max_turns: int = MAX_TURNS,
) -> types.GenerateContentResponse:
    """The same without await."""
    known = list(tools)
    said, settings = _begun(contents), _offering(config, known)
    reply = client.models.generate_content(model=model, contents=said, config=settings)
    for _ in range(max_turns):
        if (told := answer_sync(reply, known)) is None:
            break
        said += [_turn(reply), told]
        reply = client.models.generate_content(model=model, contents=said, config=settings)
    return reply


def _begun(contents: Any) -> list[Any]:
    return list(contents) if isinstance(contents, list) else [contents]


def _offering(
    config: types.GenerateContentConfig | None, tools: list[BaseTool]
) -> types.GenerateContentConfig:
    ours = types.Tool(function_declarations=[wrap(tool) for tool in tools])
    config = config or types.GenerateContentConfig()
    off = types.AutomaticFunctionCallingConfig(disable=True)
    given = [*(config.tools or []), ours]
    return config.model_copy(update={"tools": given, "automatic_function_calling": off})


def _turn(reply: types.GenerateContentResponse) -> types.Content:
    """What the model said, whole: thought signatures must come back with the call."""
    found = reply.candidates[0].content if reply.candidates else None
    return found or types.Content(role="model", parts=[])


async def _invoked(known: dict[str, BaseTool], call: types.FunctionCall) -> ToolResult:
    tool = known.get(call.name or "")
    return await tool.invoke(call.args) if tool else _no(call, known)


def _no(call: types.FunctionCall, known: Iterable[str]) -> ToolResult:
    return ToolResult(False, text=f"Error: {UnknownName('tool', call.name or '', known)}")


def _content(calls: list[types.FunctionCall], results: list[ToolResult]) -> types.Content:
    parts = [
        types.Part(
            function_response=types.FunctionResponse(
                id=call.id,
                name=call.name,
                response={"output" if result.success else "error": result.text},
            )
        )
        for call, result in zip(calls, results, strict=True)
    ]
    return types.Content(role="user", parts=parts)

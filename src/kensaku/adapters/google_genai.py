"""Google Gen AI SDK: declarations for `GenerateContentConfig`, and the loop that answers calls.

    declarations = kensaku.tools_for("google-genai")
    reply = await generate(genai.Client(), model="gemini-…", contents="…", tools=ToolRegistry())

The SDK's automatic calling reads schemas from signatures, knows no bounds, and cannot run a
coroutine from its sync client; so the loop is ours.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

from kensaku.adapters._calls import run_calls
from kensaku.errors import MissingExtra
from kensaku.tools.base import ToolResult, shared_portal

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
    """Return the tool as a declaration, for `types.Tool(function_declarations=[…])`."""
    return types.FunctionDeclaration(
        name=tool.name, description=tool.description, parameters_json_schema=tool.parameters
    )


async def answer(
    reply: types.GenerateContentResponse, tools: Iterable[BaseTool]
) -> types.Content | None:
    """Run the calls of a reply and return what answers them; None when it calls nothing."""
    calls = reply.function_calls or []
    results = await run_calls([(call.name or "", call.args) for call in calls], tools)
    return _content(calls, results) if calls else None


def answer_sync(
    reply: types.GenerateContentResponse, tools: Iterable[BaseTool]
) -> types.Content | None:
    """Do the same without await; works inside a running loop, too."""
    return shared_portal().run(answer(reply, tools))


async def generate(
    client: Client,
    *,
    model: str,
    contents: Any,
    tools: Iterable[BaseTool],
    config: types.GenerateContentConfig | None = None,
    max_turns: int = MAX_TURNS,
) -> types.GenerateContentResponse:
    """Ask the model and answer its calls, until it calls no more or `max_turns` are over."""
    send = partial(client.aio.models.generate_content, model=model)
    return await _converse(send, contents, list(tools), config, max_turns)


def generate_sync(
    client: Client,
    *,
    model: str,
    contents: Any,
    tools: Iterable[BaseTool],
    config: types.GenerateContentConfig | None = None,
    max_turns: int = MAX_TURNS,
) -> types.GenerateContentResponse:
    """Do the same without await, by the client's sync half."""

    async def send(**request: Any) -> types.GenerateContentResponse:
        # The async half of a client stays with one event loop; the sync half has none.
        return await asyncio.to_thread(client.models.generate_content, model=model, **request)

    return shared_portal().run(_converse(send, contents, list(tools), config, max_turns))


async def _converse(
    send: Callable[..., Awaitable[types.GenerateContentResponse]],
    contents: Any,
    tools: list[BaseTool],
    config: types.GenerateContentConfig | None,
    max_turns: int,
) -> types.GenerateContentResponse:
    turns = list(contents) if isinstance(contents, list) else [contents]
    config = _with_tools(config, tools)
    reply = await send(contents=turns, config=config)
    for _ in range(max_turns):
        if (answers := await answer(reply, tools)) is None:
            break
        turns += [_turn(reply), answers]
        reply = await send(contents=turns, config=config)
    return reply


def _with_tools(
    config: types.GenerateContentConfig | None, tools: list[BaseTool]
) -> types.GenerateContentConfig:
    ours = types.Tool(function_declarations=[wrap(tool) for tool in tools])
    config = config or types.GenerateContentConfig()
    off = types.AutomaticFunctionCallingConfig(disable=True)
    tools_and_ours = [*(config.tools or []), ours]
    return config.model_copy(update={"tools": tools_and_ours, "automatic_function_calling": off})


def _turn(reply: types.GenerateContentResponse) -> types.Content:
    """Return the model's turn unchanged: thought signatures must come back with the call."""
    content = reply.candidates[0].content if reply.candidates else None
    return content or types.Content(role="model", parts=[])


def _content(calls: list[types.FunctionCall], results: list[ToolResult]) -> types.Content:
    parts = [
        types.Part(
            function_response=types.FunctionResponse(
                id=call.id,
                name=call.name,
                response={"error" if result.is_error else "output": result.text},
            )
        )
        for call, result in zip(calls, results, strict=True)
    ]
    return types.Content(role="user", parts=parts)

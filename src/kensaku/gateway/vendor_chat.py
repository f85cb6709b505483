"""A model of any vendor by pydantic-ai, with functions to call.

VendorChat("anthropic:…") → stream(messages, tools, options) → Text | Thought | Called | End
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from kensaku.answers.stream import read_in_time
from kensaku.answers.vendor_model import VendorModel, opened, vendor_error
from kensaku.errors import InvalidQuery, ProviderError
from kensaku.gateway.model import IDLE_SECONDS, SECONDS, End, Part, model_failed
from kensaku.gateway.turn import Called, Message, Reason, Text, Thought
from kensaku.messages import msg

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage

# Of chat completions → pydantic-ai's; other options are the vendor's own and not sent.
_OPTIONS = {
    "max_tokens": "max_tokens",
    "max_completion_tokens": "max_tokens",
    "temperature": "temperature",
    "top_p": "top_p",
    "seed": "seed",
    "presence_penalty": "presence_penalty",
    "frequency_penalty": "frequency_penalty",
    "stop": "stop_sequences",
    "parallel_tool_calls": "parallel_tool_calls",
}
_REASONS = {"stop": "stop", "length": "length", "tool_call": "tool_calls"}


@dataclass(frozen=True, slots=True)
class VendorChat:
    """A model by the name that pydantic-ai knows."""

    name: str

    async def stream(
        self,
        messages: Sequence[Message],
        tools: Sequence[Mapping[str, Any]],
        options: Mapping[str, Any],
    ) -> AsyncGenerator[Part, None]:
        """Ask once. Raises `ModelFailed`."""
        try:
            await VendorModel(self.name).prepare()
            parts = read_in_time(
                _stream(self.name, messages, tools, options), SECONDS, idle=IDLE_SECONDS
            )
            async with aclosing(parts):
                async for part in parts:
                    yield part
        except InvalidQuery:
            raise
        except ProviderError as error:
            raise model_failed(error) from None
        except Exception as error:
            raise model_failed(vendor_error(error, self.name)) from None


async def _stream(
    name: str,
    messages: Sequence[Message],
    tools: Sequence[Mapping[str, Any]],
    options: Mapping[str, Any],
) -> AsyncGenerator[Part, None]:
    from pydantic_ai.direct import model_request_stream
    from pydantic_ai.messages import (
        PartDeltaEvent,
        PartStartEvent,
        TextPart,
        TextPartDelta,
        ThinkingPart,
        ThinkingPartDelta,
        ToolCallPart,
    )
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.settings import ModelSettings

    asked = ModelRequestParameters(function_tools=_definitions(tools), allow_text_output=True)
    settings = cast(ModelSettings, _settings(options))
    async with (
        opened(name) as model,
        model_request_stream(
            model, _messages(messages), model_settings=settings, model_request_parameters=asked
        ) as reply,
    ):
        async for event in reply:
            match event:
                case PartStartEvent(part=TextPart(content=text)) if text:
                    yield Text(text)
                case PartDeltaEvent(delta=TextPartDelta(content_delta=text)) if text:
                    yield Text(text)
                case PartStartEvent(part=ThinkingPart(content=text)) if text:
                    yield Thought(text)
                case PartDeltaEvent(delta=ThinkingPartDelta(content_delta=text)) if text:
                    yield Thought(text)
        whole = reply.get()
    calls = [part for part in whole.parts if isinstance(part, ToolCallPart)]
    for call in calls:
        yield Called(call.tool_call_id, call.tool_name, call.args_as_json_str())
    reason = _REASONS.get(str(whole.finish_reason), "tool_calls" if calls else "stop")
    used = whole.usage() if callable(whole.usage) else whole.usage
    yield End(cast(Reason, reason), used.input_tokens or 0, used.output_tokens or 0)


def _definitions(tools: Sequence[Mapping[str, Any]]) -> list[Any]:
    from pydantic_ai.tools import ToolDefinition

    functions = [tool["function"] for tool in tools]
    return [
        ToolDefinition(
            name=f["name"],
            description=f.get("description"),
            parameters_json_schema=f.get("parameters") or {"type": "object", "properties": {}},
        )
        for f in functions
    ]


def _settings(options: Mapping[str, Any]) -> dict[str, Any]:
    settings = {
        ours: options[theirs]
        for theirs, ours in _OPTIONS.items()
        if options.get(theirs) is not None
    }
    if isinstance(stop := settings.get("stop_sequences"), str):
        settings["stop_sequences"] = [stop]
    return settings


def _messages(messages: Sequence[Message]) -> list[ModelMessage]:
    """Translate a conversation. Raises `InvalidQuery` for a part that nobody here knows."""
    from pydantic_ai.messages import (
        ModelRequest,
        ModelResponse,
        SystemPromptPart,
        TextPart,
        ToolCallPart,
        ToolReturnPart,
        UserPromptPart,
    )

    made: list[Any] = []
    names: dict[str, str] = {}
    for message in messages:
        role, content = message["role"], message.get("content")
        if role == "assistant":
            calls = message.get("tool_calls") or ()
            names |= {call["id"]: call["function"]["name"] for call in calls}
            text = [TextPart(_text(content))] if content else []
            made.append(
                ModelResponse(
                    parts=[
                        *text,
                        *(
                            ToolCallPart(c["function"]["name"], c["function"]["arguments"], c["id"])
                            for c in calls
                        ),
                    ]
                )
            )
        elif role == "tool":
            call_id = str(message.get("tool_call_id"))
            name = names.get(call_id, "tool")
            made.append(ModelRequest(parts=[ToolReturnPart(name, _text(content), call_id)]))
        elif role in ("system", "developer"):
            made.append(ModelRequest(parts=[SystemPromptPart(_text(content))]))
        else:
            made.append(ModelRequest(parts=[UserPromptPart(_parts(content))]))
    return made


def _parts(content: Any) -> Any:
    """Return what a person said: text, or text and images."""
    from pydantic_ai.messages import BinaryContent, ImageUrl

    if isinstance(content, str):
        return content
    parts: list[Any] = []
    for part in content or ():
        if part.get("type") == "text":
            parts.append(part["text"])
            continue
        if part.get("type") != "image_url":
            raise InvalidQuery(
                msg("the model takes no part of the type {part!r}", part=part.get("type"))
            )
        url = part["image_url"]["url"]
        is_data = url.startswith("data:")
        parts.append(BinaryContent.from_data_uri(url) if is_data else ImageUrl(url))
    return parts


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    texts = (p.get("text") for p in content or () if isinstance(p, Mapping))
    joined = "\n".join(t for t in texts if isinstance(t, str))
    return joined or (json.dumps(content, ensure_ascii=False) if content else "")

"""The operator's model with functions to call: one request → pieces of text, calls, the end.

open_chat(client) → the one at `llm.url` | the vendor's by pydantic-ai (`vendor_chat.py`)
                  → stream(messages, tools, options) → Piece | Thought | Called | End
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Protocol, cast

from kensaku.answers.model import find_model, has_model
from kensaku.answers.stream import read_events, read_in_time
from kensaku.answers.url_model import UrlModel
from kensaku.errors import ConfigError, KensakuError, ProviderError, Unreadable
from kensaku.gateway.template import as_template
from kensaku.gateway.turn import Called, Message, Reason, Text, Thought
from kensaku.messages import msg
from kensaku.text.clean import visible

if TYPE_CHECKING:
    from kensaku.client import Kensaku

SECONDS = 900.0  # for one reply of a model; agents send long conversations to small machines
IDLE_SECONDS = 180.0  # between two pieces of it
MAX_CALLS = 64  # functions that one reply may call
MAX_ARGUMENTS = 2**20  # characters of the arguments of all of them
_REASONS = ("stop", "length", "tool_calls", "content_filter")
_OURS = frozenset({400, 413, 422, 429})  # what the client can change; all else is the operator's


class ModelFailed(KensakuError):
    """The operator's model did not answer."""

    def __init__(self, message: str, status: int = 502, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.status, self.retry_after = status, retry_after


@dataclass(frozen=True, slots=True)
class End:
    """The reply is whole."""

    reason: Reason
    prompt_tokens: int = 0
    completion_tokens: int = 0


Part = Text | Thought | Called | End


class ChatModel(Protocol):
    """A model that can be given functions."""

    def stream(
        self,
        messages: Sequence[Message],
        tools: Sequence[Mapping[str, Any]],
        options: Mapping[str, Any],
    ) -> AsyncGenerator[Part, None]:
        """Ask once. The calls come whole, behind the text; `End` comes last."""


def open_chat(client: Kensaku) -> ChatModel:
    """Return the model of the settings. Raises `ConfigError` when there is none."""
    s = client.settings
    if not has_model(s):
        raise ConfigError(
            msg("the gateway has no model"),
            remedy=msg("set KENSAKU_LLM_URL or KENSAKU_MODEL=vendor:name"),
        )
    found = find_model(client, s.model)
    if isinstance(found, UrlModel):
        return UrlChat(found)
    from kensaku.gateway.vendor_chat import VendorChat

    return VendorChat(s.model)


@dataclass(frozen=True, slots=True)
class UrlChat:
    """A model behind a URL that speaks the OpenAI format."""

    model: UrlModel

    async def stream(
        self,
        messages: Sequence[Message],
        tools: Sequence[Mapping[str, Any]],
        options: Mapping[str, Any],
    ) -> AsyncGenerator[Part, None]:
        """Ask once. Raises `ModelFailed`."""
        body = {
            **options,
            "messages": as_template(messages),
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if tools:
            body["tools"] = list(tools)
        else:
            body.pop("tool_choice", None)
            body.pop("parallel_tool_calls", None)
        try:
            async with aclosing(self.model.http.stream(self.model.request(body), "llm")) as data:
                parts = read_in_time(_read(data), SECONDS, idle=IDLE_SECONDS)
                async with aclosing(parts):
                    async for part in parts:
                        yield part
        except ProviderError as error:
            raise model_failed(error) from None


def model_failed(error: ProviderError) -> ModelFailed:
    """Return what a client is told: a status it can act on, and the server's own sentence."""
    said = visible(error.body or "").strip()[:500]
    status = error.status if error.status in _OURS else 502
    message = f"the model: {error.message}" + (f": {said}" if said and status != 502 else "")
    return ModelFailed(message, status or 502, error.retry_after)


async def _read(data: AsyncGenerator[bytes, None]) -> AsyncGenerator[Part, None]:
    """Read chunks of a completion, or one that came whole."""
    calls, reason, prompt, completion = _Calls(), "", 0, 0
    async for event in read_events(data):
        if event == "[DONE]":
            break
        chunk = _object(event)
        usage = chunk.get("usage")
        if isinstance(usage, dict):
            prompt = _count(usage.get("prompt_tokens")) or prompt
            completion = _count(usage.get("completion_tokens")) or completion
        choices = chunk.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else {}
        if not isinstance(choice, dict):
            continue
        delta = choice.get("delta") or choice.get("message") or {}
        if isinstance(delta, dict):
            for part in _said(delta):
                yield part
            calls.add(delta.get("tool_calls"))
        reason = choice.get("finish_reason") or reason
    if not reason:
        raise Unreadable("llm", msg("the reply broke off"))
    made = calls.made()
    for call in made:
        yield call
    if made and reason == "stop":  # some servers say so behind calls, too
        reason = "tool_calls"
    known = reason if reason in _REASONS else "stop"
    yield End(cast(Reason, known), prompt, completion)


def _said(delta: Mapping[str, Any]) -> list[Part]:
    thought = delta.get("reasoning_content") or delta.get("reasoning")
    text = delta.get("content")
    parts: list[Part] = []
    if isinstance(thought, str) and thought:
        parts.append(Thought(thought))
    if isinstance(text, str) and text:
        parts.append(Text(text))
    return parts


class _Calls:
    """The calls of a reply, which come in pieces by their index."""

    def __init__(self) -> None:
        self._parts: dict[int, dict[str, str]] = {}
        self._size = 0

    def add(self, pieces: Any) -> None:
        for position, piece in enumerate(pieces if isinstance(pieces, list) else []):
            if not isinstance(piece, dict):
                continue
            index = piece.get("index")
            index = index if isinstance(index, int) else position
            if index not in self._parts and len(self._parts) >= MAX_CALLS:
                raise Unreadable(
                    "llm",
                    msg("it called more than {max_calls} functions at once", max_calls=MAX_CALLS),
                )
            call = self._parts.setdefault(index, {"id": "", "name": "", "arguments": ""})
            function = piece.get("function")
            function = function if isinstance(function, dict) else {}
            call["id"] = call["id"] or str(piece.get("id") or "")
            call["name"] = call["name"] or str(function.get("name") or "")
            arguments = function.get("arguments") or ""
            call["arguments"] += arguments if isinstance(arguments, str) else json.dumps(arguments)
            self._size += len(str(arguments))
            if self._size > MAX_ARGUMENTS:
                raise Unreadable("llm", msg("the arguments of its calls are too long"))

    def made(self) -> list[Called]:
        named = [call for _, call in sorted(self._parts.items()) if call["name"]]
        return [
            Called(c["id"] or f"call_{token_hex(8)}", c["name"], c["arguments"] or "{}")
            for c in named
        ]


def _object(event: str) -> dict[str, Any]:
    try:
        chunk = json.loads(event)
    except (ValueError, RecursionError):
        chunk = None
    if not isinstance(chunk, dict):
        raise Unreadable("llm", msg("it sent an event that is not JSON"))
    if chunk.get("error"):
        error = chunk["error"]
        said = error.get("message") if isinstance(error, dict) else error
        raise Unreadable("llm", msg("it failed while it answered"), body=visible(str(said))[:500])
    return chunk


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0

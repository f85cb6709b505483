"""The reply of a model while it arrives: server-sent events of the OpenAI format → pieces of text.

    bytes → lines → {"choices": [{"delta": {"content": "…"}}]} → "…"

A server that ignores `stream` and sends one JSON completion is read as one piece. A reply that
breaks off is an error, so that half a sentence is never taken for the end.
"""

from __future__ import annotations

import asyncio
import codecs
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Any, TypeVar

from kensaku.errors import Timeout, Unreadable
from kensaku.foreign_json import decode_json
from kensaku.messages import msg

MODEL_SECONDS = 60.0  # for one reply
IDLE_SECONDS = 20.0  # between two pieces; the first one may take as long as the whole reply
MAX_BYTES = 4 * 2**20  # of one event, or of a whole completion
EARLY = ("length", "content_filter")  # why a model stopped before it was done
Piece = TypeVar("Piece")
NO_ANSWER = msg("the model's server sent no answer")


async def read_completion(body: AsyncIterator[bytes]) -> AsyncGenerator[str, None]:
    """Yield the text of a reply as it arrives. Raises `Unreadable` when it ends early."""
    ended = False
    async for data in read_events(body):
        if data == "[DONE]":
            return
        choice = _choice(data)
        message = choice.get("delta") or choice.get("message") or {}
        text = message.get("content") if isinstance(message, dict) else None
        if isinstance(text, str) and text:
            yield text
        reason = choice.get("finish_reason")
        if reason in EARLY:
            raise Unreadable("llm", msg("the model ended early ({reason})", reason=reason))
        ended = ended or bool(reason) or "message" in choice
    if not ended:
        raise Unreadable("llm", msg("the model's reply broke off"))


async def read_in_time(
    pieces: AsyncGenerator[Piece, None], seconds: float, idle: float = IDLE_SECONDS
) -> AsyncGenerator[Piece, None]:
    """Yield the pieces of a reply. Raises `Timeout` when it takes too long, or stalls."""
    loop = asyncio.get_running_loop()
    deadline = limit = loop.time() + seconds
    async with aclosing(pieces):
        while True:
            try:
                async with asyncio.timeout_at(limit):
                    piece = await anext(pieces)
            except StopAsyncIteration:
                return
            except TimeoutError:
                stalled = limit < deadline
                message = "stalled" if stalled else f"took longer than {seconds:g} s"
                raise Timeout("llm", msg("the model {message}", message=message)) from None
            yield piece
            limit = min(deadline, loop.time() + idle)


async def read_events(body: AsyncIterator[bytes]) -> AsyncIterator[str]:
    """Yield the data of each event; a body that is JSON is one event."""
    decode = codecs.getincrementaldecoder("utf-8")("replace").decode
    parts, size, whole = list[str](), 0, None  # of the line that has not ended yet
    async for data in body:
        text = decode(data)
        parts.append(text)
        size += len(text)
        if size > MAX_BYTES:
            raise Unreadable("llm", msg("the model's server sent an event that is too large"))
        if whole is None and text.strip():
            whole = text.lstrip().startswith("{")
        if whole or "\n" not in text:
            continue
        *lines, rest = "".join(parts).split("\n")
        parts, size = [rest], len(rest)
        for line in lines:
            if line.startswith("data:"):
                yield line.removeprefix("data:").strip()
    rest = "".join(parts)
    if whole and rest.strip():
        yield rest
    elif rest.startswith("data:"):
        yield rest.removeprefix("data:").strip()


def _choice(data: str) -> dict[str, Any]:
    """Return the first choice of an event; nothing for one without, as the last with the usage."""
    try:
        event = decode_json(data)
        if event.get("error") or not isinstance(event["choices"], list):
            raise Unreadable("llm", NO_ANSWER)
        choice = event["choices"][0] if event["choices"] else {}
    except (ValueError, KeyError, TypeError, AttributeError):
        raise Unreadable("llm", NO_ANSWER) from None
    return choice if isinstance(choice, dict) else {}

"""An input → one response, or its events; a response is kept, and gone on with, by its id."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from dataclasses import replace
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from kensaku.errors import KensakuError
from kensaku.server.auth import ANYONE
from kensaku.server.wires._completion import MODEL
from kensaku.server.wires._responses_reply import ResponsesReply
from kensaku.server.wires._responses_turn import Responding, read_responding
from kensaku.server.wires._turns import answer, forget, keep, recall, stream, whole
from kensaku.server.wires.base import Asked

if TYPE_CHECKING:
    from kensaku.gateway import turn
    from kensaku.server.request import Request

RESPONSES: dict[str, Any] = {
    "input": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "object"}}]},
    "model": {"type": "string", "maxLength": 200, "default": MODEL},
    "instructions": {"type": "string"},
    "tools": {"type": "array", "items": {"type": "object"}},
    "previous_response_id": {"type": "string", "maxLength": 200},
    "store": {"type": "boolean"},
    "stream": {"type": "boolean"},
}


class NotStored(KensakuError):
    """Nothing is kept under this id."""

    status = 404


def read(asked: Asked) -> Responding:
    """Read a request for a response. Raises `InvalidQuery`."""
    return read_responding(asked.body)


async def respond(request: Request, asked: Responding) -> Any:
    """Answer an input: in one piece, or as a stream."""
    asked = await _continued(request, asked)
    # Not the id of the request, which a client may choose: who knows it goes on with it.
    reply = ResponsesReply(token_hex(16), int(time.time()), asked)
    happening = answer(request, asked.turn, asked.model)
    if asked.stream:
        return _responses_stream(request, asked, reply, happening)
    response = await whole(reply, happening)
    await _keep(request, asked, reply)
    return response


async def _responses_stream(
    request: Request,
    asked: Responding,
    reply: ResponsesReply,
    happening: AsyncIterator[turn.Event],
) -> AsyncIterator[bytes]:
    begun = False
    try:
        async for frame in stream(reply, happening):
            begun = True
            yield frame
    except KensakuError as error:
        if not begun:
            raise
        yield reply.fail("server_error", str(error))
        return
    await _keep(request, asked, reply)


async def _continued(request: Request, asked: Responding) -> Responding:
    """Put the conversation before a request that goes on with a response. Raises `NotStored`."""
    if asked.previous is None:
        return asked
    found = await recall(request, asked.previous)
    if found is None:
        raise NotStored(
            f"previous_response_id is {asked.previous[:60]!r}; no response of this key is kept "
            "under it",
            remedy="send the whole conversation as input",
        )
    messages = [*found["messages"], *asked.turn.messages]
    return replace(asked, turn=replace(asked.turn, messages=messages))


async def _keep(request: Request, asked: Responding, reply: ResponsesReply) -> None:
    if not asked.store or request.principal is ANYONE:  # whose it is could not be told
        return
    said: dict[str, Any] = {"role": "assistant", "content": reply.text}
    if reply.calls:
        said["tool_calls"] = reply.calls
    instructed = bool(asked.said.get("instructions")) and asked.previous is None
    messages = [*asked.turn.messages[1 if instructed else 0 :], said]  # they are not carried over
    await keep(request, reply.id, messages, reply.whole())


async def kept(request: Request, asked: Asked) -> Any:
    """Return a response that is kept. Raises `NotStored`."""
    if (found := await recall(request, asked.path["id"])) is None:
        raise NotStored(f"no response of this key is kept under {asked.path['id'][:60]!r}")
    return found["response"]


async def delete(request: Request, asked: Asked) -> Any:
    """Delete a response that is kept. Raises `NotStored`."""
    id = asked.path["id"]
    if not await forget(request, id):
        raise NotStored(f"no response of this key is kept under {id[:60]!r}")
    return {"id": id, "object": "response.deleted", "deleted": True}

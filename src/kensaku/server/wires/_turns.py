"""Which model answers a request of `/v1`: the assistant, or the operator's by the gateway.

model "kensaku", or no gateway → the assistant     any other name → the operator's model
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, Protocol

from kensaku._logger import get_logger
from kensaku.errors import InvalidQuery
from kensaku.gateway.run import run
from kensaku.server.wires._assistant_run import as_turn
from kensaku.server.wires._completion import MODEL, read_chat

if TYPE_CHECKING:
    from kensaku.gateway.turn import Event, Message, Turn
    from kensaku.server.request import Request

log = get_logger("kensaku.server")
STORED_SECONDS = 30 * 86_400.0  # as long as OpenAI keeps a response
MAX_STORED = 2**20  # bytes of one conversation


def is_gateways(request: Request, model: str) -> bool:
    """Whether the operator's model answers under this name."""
    return request.client.settings.gateway and model != MODEL


def answer(request: Request, turn: Turn, model: str) -> AsyncIterator[Event]:
    """Return the events of a turn, by whoever answers it. Raises `InvalidQuery`."""
    if is_gateways(request, model):
        return _run(request, turn)
    check_assistant(turn.options)
    return as_turn(request, read_chat({"messages": list(turn.messages)}))


async def _run(request: Request, turn: Turn) -> AsyncIterator[Event]:
    async for event in run(turn, request.client, request.run_budget):
        yield event
    request.outcome = "found"


class Reply(Protocol):
    """A reply in a vendor's shape, which is fed with the events of a turn."""

    def begin(self) -> Iterator[bytes]:
        """Yield the frames before the first event."""

    def feed(self, event: Event) -> Iterator[bytes]:
        """Take an event, and yield its frames."""

    def whole(self) -> dict[str, Any]:
        """Return the reply in one piece."""


async def stream(reply: Reply, happening: AsyncIterator[Event]) -> AsyncIterator[bytes]:
    """Yield the frames of a reply. What fails before the first event is raised before any."""
    begun = False
    async with aclosing(happening) as events:  # type: ignore[type-var]  # it is a generator
        async for event in events:
            for frame in () if begun else reply.begin():
                yield frame
            begun = True
            for frame in reply.feed(event):
                yield frame


async def whole(reply: Reply, happening: AsyncIterator[Event]) -> dict[str, Any]:
    """Return a reply in one piece."""
    async for _ in stream(reply, happening):
        pass
    return reply.whole()


def check_assistant(options: Mapping[str, Any]) -> None:
    """Refuse by name what the assistant cannot honour."""
    form = options.get("response_format")
    if isinstance(form, dict) and form.get("type") not in (None, "text"):
        raise InvalidQuery(
            f"response_format is {str(form.get('type'))[:40]!r}; the assistant writes text",
            remedy="ask a model for it: set KENSAKU_GATEWAY and a model",
        )
    choice = options.get("tool_choice")
    if choice not in (None, "auto", "none"):
        raise InvalidQuery(
            "tool_choice asks for a call; the assistant calls none of the client's functions",
            remedy="ask a model for it: set KENSAKU_GATEWAY and a model",
        )


# --- conversations that a client goes on with by an id


def _key(request: Request, id: str) -> str:
    who = request.principal
    return f"response:{who.tenant}:{who.key_id}:{id}"


async def keep(
    request: Request, id: str, messages: Sequence[Message], response: Mapping[str, Any]
) -> None:
    """Keep a conversation and its last response under an id, for the key that asked."""
    value = json.dumps({"messages": list(messages), "response": response}).encode()
    if len(value) <= MAX_STORED:
        await request.client.resources.store.put(_key(request, id), value, STORED_SECONDS)
    else:
        log.info("a response of %d bytes is not kept: at most %d are", len(value), MAX_STORED)


async def recall(request: Request, id: str) -> Any:
    """Return what was kept under an id; None when nothing is."""
    [value] = await request.client.resources.store.get([_key(request, id)])
    return None if value is None else json.loads(value)


async def forget(request: Request, id: str) -> bool:
    """Delete what was kept under an id; say whether there was something."""
    return bool(await request.client.resources.store.forget(_key(request, id)))

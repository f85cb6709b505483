"""AG-UI at `/agent`: the assistant behind front ends that speak the protocol.

    RunAgentInput → a new exchange, or the one that waits → its events, as SSE

A question to the person ends the stream with an interrupt. The exchange waits meanwhile; the next
run answers the interrupt and follows the exchange from there.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from kensaku.answers.events import ApprovalNeeded, QuestionAsked
from kensaku.assistant.exchange import Exchange
from kensaku.errors import InvalidQuery, KensakuError
from kensaku.server.auth import KEY_HEADERS
from kensaku.server.http import Whole, encode, status_of
from kensaku.server.wires.base import Asked, Endpoint, Wire

if TYPE_CHECKING:
    from ag_ui.core import RunAgentInput
    from starlette.types import ASGIApp

    from kensaku.answers.person import Question
    from kensaku.assistant.assistant import Assistant
    from kensaku.database.conversations import Sender
    from kensaku.server.request import Request
    from kensaku.server.wires._agui_frames import Frames

CHANNEL = "agui"
_IDS = {"type": "string", "minLength": 1, "maxLength": 200}
_OBJECTS = {"type": "array", "items": {"type": "object"}}
PARAMETERS = {"threadId": _IDS, "runId": _IDS, "messages": _OBJECTS, "resume": _OBJECTS}


class UnknownInterrupt(InvalidQuery):
    """Nothing waits for this answer: it was given before, or too late."""

    status = 409


class TakenBefore(InvalidQuery):
    """The same run was asked for before."""

    status = 409


class _Shown:
    """How much of an exchange a client has seen."""

    def __init__(self, frames: Frames) -> None:
        self.frames, self.events = frames, 0


class AgUi(Wire):
    name = "agui"
    label = "Assistant"
    docs = "https://docs.ag-ui.com"
    client = 'HttpAgent({{url: "{url}/agent"}})'
    prefixes = ("",)
    keys = KEY_HEADERS

    def __init__(self) -> None:
        self._shown: WeakKeyDictionary[Exchange, _Shown] = WeakKeyDictionary()

    def endpoints(self) -> Sequence[Endpoint]:
        return [
            Endpoint(
                "POST",
                "/agent",
                _read,
                summary="Run the assistant; its events in the AG-UI protocol",
                parameters=PARAMETERS,
                required=("threadId", "runId", "messages"),
                statuses={"409": "no run waits for this"},
                takes_bytes=True,
                do=self._run,
                cost=lambda _: None,
                is_owners=True,  # conversations are kept
            )
        ]

    def refuse(self, request: Request | None, error: KensakuError) -> ASGIApp:
        status, headers = status_of(error)
        return Whole(encode({"error": error.to_dict()}), status, headers)

    async def _run(self, request: Request, asked: RunAgentInput) -> AsyncIterator[bytes]:
        from kensaku.database.conversations import Sender

        who, assistant = request.principal, request.state.assistant
        sender = Sender(CHANNEL, who.key_id, asked.thread_id, who.tenant)
        if asked.resume:
            exchange = await self._resume(assistant, sender, asked)
        else:
            exchange = await _begin(assistant, sender, asked)
        return self._frames(request, exchange, asked)

    async def _resume(self, assistant: Assistant, sender: Sender, asked: RunAgentInput) -> Exchange:
        """Give the answers of a request to the exchange that waits for them."""
        from kensaku.server.wires._agui_frames import read_resume

        exchange = await _waiting(assistant, sender)
        for entry in asked.resume or ():
            question = await self._question(exchange, entry.interrupt_id) if exchange else None
            if exchange is None or question is None:
                raise UnknownInterrupt(
                    "no run waits for this answer", remedy="ask again: it was late, or given before"
                )
            exchange.reply(read_resume(entry, question), entry.interrupt_id)
        assert exchange is not None  # there is an entry
        return exchange

    async def _question(self, exchange: Exchange, id: str) -> Question | None:
        """Return a question that is not answered yet, once an exchange that goes on asks it."""
        from kensaku.server.wires._agui_frames import Frames

        shown, after = self._shown.get(exchange), 0
        passed = Frames(exchange.id)
        async for event in exchange.follow():
            after += 1
            passed.skip(event)
            if isinstance(event, ApprovalNeeded | QuestionAsked) and event.question.id == id:
                if shown is None:
                    shown = self._shown[exchange] = _Shown(passed)
                    shown.events = after
                return event.question if exchange.waits_for(id) else None
        return None

    async def _frames(
        self, request: Request, exchange: Exchange, asked: RunAgentInput
    ) -> AsyncIterator[bytes]:
        """Yield the events that the client has not seen, until the exchange ends or asks."""
        from kensaku.server.wires._agui_frames import Frames, encode_event

        shown = self._shown.setdefault(exchange, _Shown(Frames(exchange.id)))
        frames = shown.frames
        yield encode_event(frames.begin(asked))
        try:
            async for event in exchange.follow(shown.events):
                shown.events += 1
                is_question = isinstance(event, ApprovalNeeded | QuestionAsked)
                if is_question and not exchange.waits_for(event.question.id):  # type: ignore[attr-defined]
                    continue  # it was answered meanwhile
                for frame in frames.of(event):
                    yield encode_event(frame)
                if is_question:
                    break
        except KensakuError as error:
            yield encode_event(frames.failed(str(error), type(error).__name__))
        except asyncio.CancelledError:
            if exchange.task is None or not exchange.task.cancelled():
                exchange.cancel()  # the client is gone, and nobody can follow the rest
                raise
            yield encode_event(frames.cancelled())
        request.outcome = str(exchange.last.answer.outcome) if exchange.last else "found"


def _read(asked: Asked) -> Any:
    from kensaku.server.wires._agui_frames import read_input

    return read_input(asked.raw)


async def _begin(assistant: Assistant, sender: Sender, asked: RunAgentInput) -> Exchange:
    """Return the exchange that a request begins, or whose question it answers."""
    from kensaku.server.wires._agui_frames import earlier_of, question_of, update_of

    waiting = assistant.current(sender)
    update = update_of(f"{sender.tenant}/{sender.person}", asked)
    said = question_of(asked)
    exchange = await assistant.receive(sender, said, update=update, earlier=earlier_of(asked))
    if exchange is None and waiting is not None and waiting.sender == sender:
        return waiting  # the words answered its question
    if exchange is None:
        raise TakenBefore("this run was asked for before", remedy="use a new runId")
    return exchange


async def _waiting(assistant: Assistant, sender: Sender) -> Exchange | None:
    """Return the exchange of a thread; a process that is gone may have left it behind."""
    found = assistant.current(sender)
    if found is None:
        await assistant.resume(CHANNEL)
        found = assistant.current(sender)
    return found if found is not None and found.sender == sender else None

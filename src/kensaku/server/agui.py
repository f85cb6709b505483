"""AG-UI at `/agent`: the assistant behind front ends that speak the protocol.

    RunAgentInput → key → rate, quota → a new exchange, or the one that waits → its events, as SSE

A question to the person ends the stream with an interrupt. The exchange waits meanwhile; the next
run answers the interrupt and follows the exchange from there.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from starlette.routing import BaseRoute, Route

from kensaku.answers.events import ApprovalNeeded, QuestionAsked
from kensaku.assistant.exchange import Exchange
from kensaku.errors import InvalidQuery, KensakuError
from kensaku.server.endpoint import EndsWithClient, status_of
from kensaku.server.http import ClientDisconnected, encode, headers_of, read_body, reply

if TYPE_CHECKING:
    from ag_ui.core import BaseEvent, RunAgentInput
    from starlette.types import Receive, Scope, Send

    from kensaku.answers.person import Question
    from kensaku.database.conversations import Sender
    from kensaku.server.state import State
    from kensaku.server.wires.agui import Frames

PATH = "/agent"
CHANNEL = "agui"


class UnknownInterrupt(InvalidQuery):
    """Nothing waits for this answer: it was given before, or too late."""

    status = 409


class TakenBefore(InvalidQuery):
    """The same run was asked for before."""

    status = 409


def routes(state: State) -> list[BaseRoute]:
    """The route of this file."""
    return [Route(PATH, AgentEndpoint(state), methods=["POST"])]


class _Shown:
    """How much of an exchange a client has seen."""

    def __init__(self, frames: Frames) -> None:
        self.frames, self.events = frames, 0


class AgentEndpoint:
    """Runs of the protocol."""

    name = "agui/agent"

    def __init__(self, state: State) -> None:
        self._state = state
        self._shown: WeakKeyDictionary[Exchange, _Shown] = WeakKeyDictionary()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        from kensaku.database.conversations import Sender
        from kensaku.server.wires.agui import read_input

        headers = headers_of(scope)
        try:
            raw = await read_body(receive)
            async with self._state.request(scope, self.name, headers, {}) as session:
                asked, who = read_input(raw), session.principal
                await session.check_run()
                sender = Sender(CHANNEL, who.key_id, asked.thread_id, who.tenant)
                exchange = await self._exchange(sender, asked)
                async with EndsWithClient(receive):
                    await self._stream(exchange, asked, send)
                last = exchange.last
                session.outcome = str(last.answer.outcome) if last else "found"
        except ClientDisconnected:
            return
        except KensakuError as error:
            status, more = status_of(error)
            await reply(send, status, encode({"error": error.to_dict()}), headers=more)

    async def _exchange(self, sender: Sender, asked: RunAgentInput) -> Exchange:
        """Return what a request begins or answers."""
        from kensaku.server.wires.agui import earlier_of, question_of, update_of

        if asked.resume:
            return await self._resume(sender, asked)
        assistant = self._state.assistant
        waiting = assistant.current(sender)
        update = update_of(f"{sender.tenant}/{sender.person}", asked)
        said = question_of(asked)
        earlier = earlier_of(asked)
        exchange = await assistant.receive(sender, said, update=update, earlier=earlier)
        if exchange is None and waiting is not None and waiting.sender == sender:
            return waiting  # the words answered its question
        if exchange is None:
            raise TakenBefore("this run was asked for before", remedy="use a new runId")
        return exchange

    async def _resume(self, sender: Sender, asked: RunAgentInput) -> Exchange:
        """Give the answers of a request to the exchange that waits for them."""
        from kensaku.server.wires.agui import read_resume

        exchange = await self._waiting(sender)
        for entry in asked.resume or ():
            question = await self._question(exchange, entry.interrupt_id) if exchange else None
            if exchange is None or question is None:
                raise UnknownInterrupt(
                    "no run waits for this answer", remedy="ask again: it was late, or given before"
                )
            exchange.reply(read_resume(entry, question), entry.interrupt_id)
        assert exchange is not None  # there is an entry
        return exchange

    async def _waiting(self, sender: Sender) -> Exchange | None:
        """Return the exchange of a thread; a process that is gone may have left it behind."""
        assistant = self._state.assistant
        found = assistant.current(sender)
        if found is None:
            await assistant.resume(CHANNEL)
            found = assistant.current(sender)
        return found if found is not None and found.sender == sender else None

    async def _question(self, exchange: Exchange, id: str) -> Question | None:
        """Return a question that is not answered yet, once an exchange that goes on asks it."""
        from kensaku.server.wires.agui import Frames

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

    async def _stream(self, exchange: Exchange, asked: RunAgentInput, send: Send) -> None:
        """Send the events that the client has not seen, until the exchange ends or asks."""
        from kensaku.server.openai import STREAM_HEADERS
        from kensaku.server.wires.agui import Frames, encode_event

        shown = self._shown.setdefault(exchange, _Shown(Frames(exchange.id)))
        frames = shown.frames
        await send({"type": "http.response.start", "status": 200, "headers": STREAM_HEADERS})

        async def put(*events: BaseEvent) -> None:
            for event in events:
                frame = encode_event(event)
                await send({"type": "http.response.body", "body": frame, "more_body": True})

        await put(frames.begin(asked))
        try:
            async for event in exchange.follow(shown.events):
                shown.events += 1
                if not isinstance(event, ApprovalNeeded | QuestionAsked):
                    await put(*frames.of(event))
                elif exchange.waits_for(event.question.id):  # not one that was answered meanwhile
                    await put(*frames.of(event))
                    break
        except KensakuError as error:
            await put(frames.failed(str(error), type(error).__name__))
        except asyncio.CancelledError:
            if exchange.task is None or not exchange.task.cancelled():
                exchange.cancel()  # the client is gone, and nobody can follow the rest
                raise
            await put(frames.cancelled())
        await send({"type": "http.response.body", "body": b"", "more_body": False})

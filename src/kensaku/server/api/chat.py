"""Chat: ask, follow the run as events, reply, cancel; list, read and delete conversations."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kensaku.answers.events import Answered, Failed
from kensaku.answers.events import Event as RunEvent
from kensaku.assistant.record import record_of
from kensaku.errors import KensakuError
from kensaku.server import chat
from kensaku.server.api.base import Call, Endpoint, Event
from kensaku.server.chat import Thread
from kensaku.server.page.chat import live_turns
from kensaku.server.page.chat_export import to_json
from kensaku.server.page.render import render
from kensaku.server.page.turns import Turn, ask_view

if TYPE_CHECKING:
    from kensaku.assistant.exchange import Exchange

BEAT = 2.0  # seconds after which a follower that hears nothing is told so
FOLLOWED = 60.0  # seconds of one stream; the page then follows again from where it was
PARTS = {"steps": "_steps.html", "said": "_said.html"}


async def listed(call: Call) -> dict[str, Any]:
    """The conversations of the person, newest first."""
    found = await chat.listed(call.state, call.principal)
    return {
        "conversations": [
            {"id": id, "title": c.title, "updated": c.updated.isoformat()} for id, c in found
        ]
    }


async def read(call: Call) -> dict[str, Any]:
    """One conversation with all that was said."""
    thread = _thread(call)
    return to_json(await chat.load(call.state, thread), thread.id)


async def start(call: Call) -> dict[str, Any]:
    """Begin a conversation with `text`."""
    return await _ask(call, Thread.new(call.principal))


async def add(call: Call) -> dict[str, Any]:
    """Ask on in a conversation. `text` may also reply to the question that a run waits with."""
    return await _ask(call, _thread(call))


async def _ask(call: Call, thread: Thread) -> dict[str, Any]:
    call.text("text", 10_000)
    exchange = await chat.ask(call.state, thread, call.fields)
    html = ""
    if exchange is not None:
        first = call.state.assistant.current(thread.sender) is exchange
        turn = Turn(exchange.id, exchange.question, call.page.t, started=first)
        html = render(call.page, "_turn.html", turn=turn, thread=thread.id)
    return {
        "id": thread.id,
        "run": exchange.id if exchange else None,
        "address": f"{call.page.root}/chat/{thread.id}",
        "html": html,
    }


async def reply(call: Call) -> dict[str, Any]:
    """Answer a question of the run: `question`, `action`, and `text` for other words."""
    return {"taken": await chat.reply(call.state, _thread(call), call.fields)}


async def cancel(call: Call) -> dict[str, Any]:
    """Stop the run that is under way."""
    return {"cancelled": await chat.cancel(call.state, _thread(call))}


async def delete(call: Call) -> dict[str, Any]:
    """Delete a conversation with all that was said."""
    thread = _thread(call)
    await chat.delete(call.state, thread)
    return {"deleted": thread.id}


async def follow(call: Call) -> AsyncIterator[Event]:
    """The events of the runs of a conversation, each with the parts of the page that it changes.

    The id of an event is `run:number`; with it as `Last-Event-ID` the stream goes on behind it.
    A run of `?runs=` that has ended meanwhile is sent as a whole.
    """
    thread, loop = _thread(call), asyncio.get_running_loop()
    until = loop.time() + FOLLOWED
    last = call.page.headers.get("last-event-id", "")[:100]
    asked: dict[str, Any] = {}  # of runs of other processes, as they were sent
    followed = set(call.page.params.get("runs", "").split(","))  # that the page shows as running
    while loop.time() < until and not call.state.draining:
        exchange = call.state.assistant.current(thread.sender)
        if exchange is not None:
            followed.add(exchange.id)
            async for event in _run(call, thread, exchange, last, until):
                yield event
        turns = live_turns(call.page, thread, await chat.load(call.state, thread))
        for turn in turns:
            if not turn.running and turn.id in followed:
                followed.remove(turn.id)
                yield "turn", {"run": turn.id, **Follow(call, thread, turn).changes()}
            elif turn.running and call.state.assistant.find(turn.id, thread.sender.tenant) is None:
                asks = Follow(call, thread, turn).asks()
                if asks != asked.get(turn.id, []):
                    yield "turn", {"run": turn.id, "asks": asks}
                asked[turn.id] = asks
        if not any(turn.running for turn in turns):
            yield "end", {}
            return
        if exchange is None:
            yield "wait", {}  # another process has the run, or will soon go on with it
            await asyncio.sleep(BEAT)


async def _run(
    call: Call, thread: Thread, exchange: Exchange, last: str, until: float
) -> AsyncIterator[Event]:
    """Follow one run to its end, or as long as a stream may last."""
    turn = Turn(exchange.id, exchange.question, call.page.t)
    seen, follow = _number(last, exchange), Follow(call, thread, turn)
    for event in exchange.events[:seen]:
        follow.take(event, exchange)
    number, loop = seen, asyncio.get_running_loop()
    events = aiter(exchange.follow(seen))
    coming: asyncio.Future[RunEvent] | None = None
    try:
        while loop.time() < until and not call.state.draining:
            coming = coming or asyncio.ensure_future(anext(events))
            await asyncio.wait([coming], timeout=BEAT)
            if not coming.done():
                yield "wait", {}  # so that a browser that has gone is noticed
                continue
            try:
                event, coming = coming.result(), None
            except (StopAsyncIteration, asyncio.CancelledError, KensakuError):
                return  # the stored turn says how it ended
            number += 1
            follow.take(event, exchange)
            yield "event", {
                "run": exchange.id, "event": event.to_dict(), **follow.changes(),
            }, f"{exchange.id}:{number}"  # fmt: skip
    finally:
        if coming is not None:
            coming.cancel()
            with suppress(asyncio.CancelledError, StopAsyncIteration, Exception):
                await coming


@dataclass
class Follow:
    """What a page was sent of a turn, so that only changes follow."""

    call: Call
    thread: Thread
    turn: Turn
    sent: dict[str, Any] = field(default_factory=dict)

    def take(self, event: RunEvent, exchange: Exchange) -> None:
        """Take in an event of the run."""
        if isinstance(event, Answered | Failed):
            state = "done" if isinstance(event, Answered) else "failed"
            self.turn.end(record_of(event.answer, exchange.events), state)
        else:
            self.turn.take(event.to_dict())
            self.turn.asks = [ask_view(question) for question in exchange.waiting]

    def asks(self) -> list[list[str]]:
        """The questions to the person: id and form."""
        values = {"turn": self.turn, "thread": self.thread.id}
        return [
            [ask.id, render(self.call.page, "_ask.html", ask=ask, **values)]
            for ask in self.turn.asks
        ]

    def changes(self) -> dict[str, Any]:
        """The parts of the page that have changed since the last call."""
        page, values = self.call.page, {"turn": self.turn, "thread": self.thread.id}
        parts: dict[str, Any] = {n: render(page, t, **values) for n, t in PARTS.items()}
        parts["asks"] = self.asks()
        parts["state"] = self.turn.state
        changed = {n: part for n, part in parts.items() if self.sent.get(n) != part}
        self.sent = parts
        return changed


def _thread(call: Call) -> Thread:
    return Thread.of(call.principal, call.path["thread"])


def _number(last: str, exchange: Exchange) -> int:
    """How many events of a run a follower has seen. After a restart they are counted anew."""
    run, _, number = last.partition(":")
    seen = int(number) if run == exchange.id and number.isascii() and number.isdigit() else 0
    return seen if seen <= len(exchange.events) else 0


ENDPOINTS = [
    Endpoint("GET", "/api/chat", listed),
    Endpoint("POST", "/api/chat", start, searches=1),
    Endpoint("GET", "/api/chat/{thread}", read),
    Endpoint("POST", "/api/chat/{thread}", add, searches=1),
    Endpoint("DELETE", "/api/chat/{thread}", delete),
    Endpoint("GET", "/api/chat/{thread}/events", follow, admitted=False),
    Endpoint("POST", "/api/chat/{thread}/reply", reply),
    Endpoint("POST", "/api/chat/{thread}/cancel", cancel),
]

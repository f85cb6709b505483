"""Chat: ask, follow the run as events, reply, cancel; list, read and delete conversations."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sse_starlette import ServerSentEvent

from kensaku.answers.events import Answered, Failed
from kensaku.answers.events import Event as RunEvent
from kensaku.assistant.channels import web
from kensaku.assistant.channels.web import Thread
from kensaku.assistant.record import record_of
from kensaku.errors import KensakuError
from kensaku.server.page.chat.export import to_json
from kensaku.server.page.chat.turns import Turn, ask_view, live_turns
from kensaku.server.page.render import render
from kensaku.server.page.tabs import api, event, one_search, text_in

if TYPE_CHECKING:
    from kensaku.assistant.exchange import Exchange
    from kensaku.server.page.request import PageRequest
    from kensaku.server.wires.base import Asked

BEAT = 2.0  # seconds after which a follower that hears nothing is told so
FOLLOWED = 60.0  # seconds of one stream; the page then follows again from where it was
PARTS = {"steps": "_steps.html", "said": "_said.html"}


async def listed(page: PageRequest, asked: Asked) -> dict[str, Any]:
    """List the conversations of the person, newest first."""
    found = await web.listed(page.state, page.principal)
    return {
        "conversations": [
            {"id": id, "title": c.title, "updated": c.updated.isoformat()} for id, c in found
        ]
    }


async def read(page: PageRequest, asked: Asked) -> dict[str, Any]:
    """Read one conversation with all that was said."""
    thread = _thread(page, asked)
    return to_json(await web.load(page.state, thread), thread.id)


async def start(page: PageRequest, asked: Asked) -> dict[str, Any]:
    """Begin a conversation with `text`."""
    return await _ask(page, asked, Thread.new(page.principal))


async def add(page: PageRequest, asked: Asked) -> dict[str, Any]:
    """Ask on in a conversation. `text` may also reply to the question that a run waits with."""
    return await _ask(page, asked, _thread(page, asked))


async def _ask(page: PageRequest, asked: Asked, thread: Thread) -> dict[str, Any]:
    text_in(asked, "text", 10_000)
    exchange = await web.ask(page.state, thread, asked.fields)
    html = ""
    if exchange is not None:
        first = page.state.assistant.current(thread.sender) is exchange
        turn = Turn(exchange.id, exchange.question, page.t, started=first)
        html = render(page, "_turn.html", turn=turn, thread=thread.id)
    return {
        "id": thread.id,
        "run": exchange.id if exchange else None,
        "address": f"{page.root}/chat/{thread.id}",
        "html": html,
    }


async def reply(page: PageRequest, asked: Asked) -> dict[str, Any]:
    """Answer a question of the run: `question`, `action`, and `text` for other words."""
    return {"taken": await web.reply(page.state, _thread(page, asked), asked.fields)}


async def cancel(page: PageRequest, asked: Asked) -> dict[str, Any]:
    """Stop the run that is under way."""
    return {"cancelled": await web.cancel(page.state, _thread(page, asked))}


async def delete(page: PageRequest, asked: Asked) -> dict[str, Any]:
    """Delete a conversation with all that was said."""
    thread = _thread(page, asked)
    await web.delete(page.state, thread)
    return {"deleted": thread.id}


async def follow(page: PageRequest, asked: Asked) -> AsyncIterator[ServerSentEvent]:
    """Follow the runs of a conversation: events with the parts of the page that they change.

    The id of an event is `run:number`; with it as `Last-Event-ID` the stream goes on behind it.
    A run of `?runs=` that has ended meanwhile is sent as a whole.
    """
    thread, loop = _thread(page, asked), asyncio.get_running_loop()
    until = loop.time() + FOLLOWED
    last = page.headers.get("last-event-id", "")[:100]
    sent: dict[str, Any] = {}  # of runs of other processes, as they were sent
    followed = set(page.params.get("runs", "").split(","))  # that the page shows as running
    while loop.time() < until and not page.state.draining:
        exchange = page.state.assistant.current(thread.sender)
        if exchange is not None:
            followed.add(exchange.id)
            async for said in _run(page, thread, exchange, last, until):
                yield said
        turns = live_turns(page.state.assistant, thread, await web.load(page.state, thread), page.t)
        for turn in turns:
            if not turn.running and turn.id in followed:
                followed.remove(turn.id)
                yield event("turn", {"run": turn.id, **Follow(page, thread, turn).changes()})
            elif turn.running and page.state.assistant.find(turn.id, thread.sender.tenant) is None:
                asks = Follow(page, thread, turn).asks()
                if asks != sent.get(turn.id, []):
                    yield event("turn", {"run": turn.id, "asks": asks})
                sent[turn.id] = asks
        if not any(turn.running for turn in turns):
            yield event("end", {})
            return
        if exchange is None:
            yield event("wait", {})  # another process has the run, or will soon go on with it
            await asyncio.sleep(BEAT)


async def _run(
    page: PageRequest, thread: Thread, exchange: Exchange, last: str, until: float
) -> AsyncIterator[ServerSentEvent]:
    """Follow one run to its end, or as long as a stream may last."""
    turn = Turn(exchange.id, exchange.question, page.t)
    seen, follow = _number(last, exchange), Follow(page, thread, turn)
    for said in exchange.events[:seen]:
        follow.take(said, exchange)
    number, loop = seen, asyncio.get_running_loop()
    events = aiter(exchange.follow(seen))
    coming: asyncio.Future[RunEvent] | None = None
    try:
        while loop.time() < until and not page.state.draining:
            coming = coming or asyncio.ensure_future(anext(events))
            await asyncio.wait([coming], timeout=BEAT)
            if not coming.done():
                yield event("wait", {})  # so that a browser that has gone is noticed
                continue
            try:
                said, coming = coming.result(), None
            except (StopAsyncIteration, asyncio.CancelledError, KensakuError):
                return  # the stored turn says how it ended
            number += 1
            follow.take(said, exchange)
            data = {"run": exchange.id, "event": said.to_dict(), **follow.changes()}
            yield event("event", data, f"{exchange.id}:{number}")
    finally:
        if coming is not None:
            coming.cancel()
            with suppress(asyncio.CancelledError, StopAsyncIteration, Exception):
                await coming


@dataclass
class Follow:
    """What a page was sent of a turn, so that only changes follow."""

    page: PageRequest
    thread: Thread
    turn: Turn
    sent: dict[str, Any] = field(default_factory=dict)

    def take(self, said: RunEvent, exchange: Exchange) -> None:
        """Take in an event of the run."""
        if isinstance(said, Answered | Failed):
            state = "done" if isinstance(said, Answered) else "failed"
            self.turn.end(record_of(said.answer, exchange.events), state)
        else:
            self.turn.take(said.to_dict())
            self.turn.asks = [ask_view(question) for question in exchange.waiting]

    def asks(self) -> list[list[str]]:
        """The questions to the person: id and form."""
        values = {"turn": self.turn, "thread": self.thread.id}
        return [
            [ask.id, render(self.page, "_ask.html", ask=ask, **values)] for ask in self.turn.asks
        ]

    def changes(self) -> dict[str, Any]:
        """The parts of the page that have changed since the last call."""
        page, values = self.page, {"turn": self.turn, "thread": self.thread.id}
        parts: dict[str, Any] = {n: render(page, t, **values) for n, t in PARTS.items()}
        parts["asks"] = self.asks()
        parts["state"] = self.turn.state
        changed = {n: part for n, part in parts.items() if self.sent.get(n) != part}
        self.sent = parts
        return changed


def _thread(page: PageRequest, asked: Asked) -> Thread:
    return Thread.of(page.principal, asked.path["thread"])


def _number(last: str, exchange: Exchange) -> int:
    """How many events of a run a follower has seen. After a restart they are counted anew."""
    run, _, number = last.partition(":")
    seen = int(number) if run == exchange.id and number.isascii() and number.isdigit() else 0
    return seen if seen <= len(exchange.events) else 0


ENDPOINTS = [
    api("GET", "/api/chat", listed),
    api("POST", "/api/chat", start, cost=one_search),
    api("GET", "/api/chat/{thread}", read),
    api("POST", "/api/chat/{thread}", add, cost=one_search),
    api("DELETE", "/api/chat/{thread}", delete),
    api("GET", "/api/chat/{thread}/events", follow, is_admitted=False, is_counted=True),
    api("POST", "/api/chat/{thread}/reply", reply),
    api("POST", "/api/chat/{thread}/cancel", cancel),
]

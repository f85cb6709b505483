"""The assistant as a model: `POST /v1/chat/completions` and `GET /v1/models`.

    body → key → rate, quota → Chat → the events of a run → one message, or chunks as they come

A request keeps nothing: clients send the whole conversation. The run ends with its client.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from starlette.routing import BaseRoute, Route

from kensaku.answers.events import (
    Answered,
    ApprovalNeeded,
    Event,
    Failed,
    QuestionAsked,
    TextDelta,
)
from kensaku.answers.person import Question, Reply
from kensaku.assistant.registrations import registered_tiers
from kensaku.assistant.replies import read_reply
from kensaku.errors import InvalidQuery, KensakuError
from kensaku.models import Outcome
from kensaku.server.endpoint import EndsWithClient, status_of
from kensaku.server.http import (
    ClientDisconnected,
    Headers,
    decode_body,
    encode,
    headers_of,
    read_body,
    reply,
)
from kensaku.server.perform import Unavailable
from kensaku.server.wires._assistant import reply_text, tool_text
from kensaku.server.wires.openai import (
    ASKS,
    Chat,
    Completion,
    asking_text,
    error_body,
    is_asked,
    models,
    read_chat,
)

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from kensaku.answers.cited import CitedAnswer
    from kensaku.server.session import Session
    from kensaku.server.state import State

CHANNEL = "openai"
STATUS_SECONDS = 10.0  # after which a stream begins although its run has not said anything
STREAM_HEADERS: list[tuple[bytes, bytes]] = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]


def routes(state: State) -> list[BaseRoute]:
    """The routes of this file; also under /openai, as the other wires have a prefix."""
    chat, listed = ChatCompletions(state), Models(state)
    return [
        route
        for prefix in ("", "/openai")
        for route in (
            Route(f"{prefix}/v1/chat/completions", chat, methods=["POST"]),
            Route(f"{prefix}/v1/models", listed, methods=["GET"]),
        )
    ]


class Models:
    """The list of models."""

    name = "openai/v1/models"

    def __init__(self, state: State) -> None:
        self._state, self._began = state, int(time.time())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self._state.principal(scope, headers_of(scope), {})
        except KensakuError as error:
            await refuse(send, error)
            return
        await reply(send, 200, encode(models(self._began)))


class ChatCompletions:
    """One reply for each conversation that is sent."""

    name = "openai/v1/chat/completions"

    def __init__(self, state: State) -> None:
        self._state = state

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = headers_of(scope)
        try:
            body = decode_body(await read_body(receive), headers.get("content-type", ""))
            async with self._state.request(scope, self.name, headers, body) as session:
                chat = read_chat(body)
                events = await self._begin(chat, session)
                id = f"chatcmpl-{scope['state']['request_id']}"
                completion = Completion(id, int(time.time()), chat)
                written = _Written(completion, events)
                async with EndsWithClient(receive):
                    await written.begin(STATUS_SECONDS if chat.stream else None)
                    await (written.stream(send) if chat.stream else written.whole(send))
                session.outcome = str(written.outcome)
        except ClientDisconnected:
            return
        except KensakuError as error:
            await refuse(send, error)

    async def _begin(self, chat: Chat, session: Session) -> AsyncIterator[Event]:
        """Count the request; return the events of its run. Raises `LimitExceeded`."""
        if chat.done is not None:
            await session.check_limits()
            return _say(chat.done)
        return self._run(chat, session, await session.check_run())

    async def _run(self, chat: Chat, session: Session, budget: Any) -> AsyncIterator[Event]:
        """Yield the events of a run. It waits for ever with a question that is not answered yet."""
        from kensaku.database import url_of

        async def person(question: Question) -> Reply | None:
            if not is_asked(question):
                return Reply("proceed") if question.kind == "confirm" else None
            said = chat.reply_to(question)
            if said is None:
                await asyncio.get_running_loop().create_future()
            answered = read_reply(question, said or "")
            await self._record(session, question, answered)
            return answered

        principal, client = session.principal, session.client
        tiers = await registered_tiers(url_of(client.settings), principal.key_id)
        run = client.ask_events(
            chat.question, earlier=chat.earlier, person=person, approvals=tiers, budget=budget
        )
        async with aclosing(run) as events:  # type: ignore[type-var]  # it is a generator
            async for event in events:
                yield event
                if _is_open(event, chat):
                    return  # the question is the reply

    async def _record(self, session: Session, question: Question, said: Reply) -> None:
        """Add a decision to the audit trail."""
        from kensaku.database.conversations import Sender
        from kensaku.database.people import record_decisions

        principal = session.principal
        sender = Sender(CHANNEL, principal.key_id, "", principal.tenant)
        async with self._state.database.write() as connection:
            kinds = [(question.kind, question.tool, said.action)]
            await record_decisions(connection, sender, "", kinds)


async def _say(text: str) -> AsyncIterator[Event]:
    """A reply that needs no run."""
    yield TextDelta(text)


class _Written:
    """Writes the events of a run as one reply."""

    def __init__(self, completion: Completion, events: AsyncIterator[Event]) -> None:
        self._completion, self._events = completion, events
        self._first: asyncio.Task[Event] | None = None
        self._answer: CitedAnswer | None = None
        self._help = ""

    @property
    def outcome(self) -> Outcome:
        """What the run is counted as; a question is an answer, too."""
        return self._answer.outcome if self._answer else Outcome.FOUND

    async def begin(self, seconds: float | None = None) -> None:
        """Begin the run: what is wrong with the request is known before a status is sent.

        Wait so long at most: a proxy that gets no status gives up.
        """
        self._first = asyncio.ensure_future(anext(self._events))
        try:
            await asyncio.wait([self._first], timeout=seconds)
        except asyncio.CancelledError:
            self._first.cancel()
            await asyncio.gather(self._first, return_exceptions=True)
            raise
        if self._first.done():
            self._first.result()

    async def whole(self, send: Send) -> None:
        """Send one JSON object. Raises `KensakuError`."""
        content = "".join([text async for kind, text in self._parts() if kind == "content"])
        await reply(send, 200, encode(self._completion.whole(content, self._answer)))

    async def stream(self, send: Send) -> None:
        """Send chunks. An error after the first of them is the last frame."""
        parts = self._parts()
        start = {"type": "http.response.start", "status": 200, "headers": STREAM_HEADERS}
        await send(start)

        async def put(frame: bytes, *, more: bool = True) -> None:
            await send({"type": "http.response.body", "body": frame, "more_body": more})

        await put(self._completion.chunk(role="assistant", content=""))
        content = ""
        try:
            async for kind, text in parts:
                content += text if kind == "content" else ""
                await put(self._completion.chunk(**{kind: text}))
        except KensakuError as error:
            status, _ = status_of(error)
            await put(b"data: " + encode(error_body(status, str(error))) + b"\n\n", more=False)
            return
        for frame in self._completion.last(content, self._answer):
            await put(frame)
        await put(b"", more=False)

    async def _parts(self) -> AsyncIterator[tuple[str, str]]:
        """Yield the text of the reply, and the lines of the tools before it."""
        async with aclosing(self._events) as events:  # type: ignore[type-var]
            if self._first is not None:
                for part in self._parts_of(await self._first):
                    yield part
            async for event in events:
                for part in self._parts_of(event):
                    yield part

    def _parts_of(self, event: Event) -> list[tuple[str, str]]:
        if isinstance(event, TextDelta):
            # Of a page it may be, and would make the next message a reply.
            return [("content", event.text.replace(ASKS.strip(), "?"))]
        if isinstance(event, ApprovalNeeded | QuestionAsked):
            if _is_open(event, self._completion.chat):
                return [("content", asking_text(event.question))]
            self._help = event.question.text if event.question.kind == "help" else self._help
        if isinstance(event, Answered):
            self._answer = event.answer
            return [("content", text) for text in reply_text(event.answer)]
        if isinstance(event, Failed):
            self._answer = event.answer
            return [("content", self._failure(event))]
        line = tool_text(event)
        return [("reasoning_content", line)] if line else []

    def _failure(self, event: Failed) -> str:
        answer = event.answer
        if answer.outcome is Outcome.UNAVAILABLE and any(a.error for a in answer.attempts):
            raise Unavailable(answer.attempts)
        return "\n\n".join(filter(None, [event.message, self._help]))


def _is_open(event: Event, chat: Chat) -> bool:
    """Whether an event is a question that the conversation has no answer to."""
    asks = isinstance(event, ApprovalNeeded | QuestionAsked) and is_asked(event.question)
    return asks and chat.reply_to(event.question) is None  # type: ignore[attr-defined]


async def refuse(send: Send, error: KensakuError) -> None:
    """Send an error as OpenAI's clients read it."""
    status, more = status_of(error)
    body = error_body(status, str(error), "messages" if isinstance(error, InvalidQuery) else None)
    headers: Headers = more
    if status == 432:  # a status of Tavily's; the clients would ask again, in vain
        status, headers = 429, [*more, ("x-should-retry", "false")]
    await reply(send, status, encode(body), headers=headers)

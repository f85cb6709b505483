"""The assistant as a model: `POST /v1/chat/completions` and `GET /v1/models`.

    Chat → the events of a run → one message, or chunks as they come

A request keeps nothing: clients send the whole conversation. The run ends with its client.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

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
from kensaku.server.http import Whole, data_frame, encode, status_of
from kensaku.server.perform import Unavailable
from kensaku.server.wires._assistant import reply_text, tool_text
from kensaku.server.wires._completion import (
    ASKS,
    PARAMETERS,
    Chat,
    Completion,
    asking_text,
    error_body,
    is_asked,
    models,
    read_chat,
)
from kensaku.server.wires.base import Asked, Endpoint, Wire

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from kensaku.answers.cited import CitedAnswer
    from kensaku.server.request import Request

CHANNEL = "openai"
Parts = AsyncIterator[tuple[str, str]]  # of a reply: field of the message, text


class OpenAI(Wire):
    name = "openai"
    label = "Assistant"
    docs = "https://platform.openai.com/docs/api-reference/chat"
    client = 'OpenAI(api_key=…, base_url="{url}/v1")'
    prefixes = ("", "/openai")

    def __init__(self) -> None:
        self._began = int(time.time())

    def endpoints(self) -> Sequence[Endpoint]:
        return [
            Endpoint(
                "POST",
                "/v1/chat/completions",
                _read,
                summary="Answer the last message of a conversation, with citations",
                parameters=PARAMETERS,
                required=("messages",),
                do=complete,
            ),
            Endpoint(
                "GET",
                "/v1/models",
                summary="List the models",
                do=self._models,
                is_admitted=False,
            ),
        ]

    def refuse(self, request: Request | None, error: KensakuError) -> ASGIApp:
        status, headers = status_of(error)
        param = "messages" if isinstance(error, InvalidQuery) else None
        body = encode(error_body(status, str(error), param))
        if status == 432:  # a status of Tavily's; the clients would ask again, in vain
            status, headers = 429, [*headers, ("x-should-retry", "false")]
        return Whole(body, status, headers)

    def last_frame(self, error: KensakuError, begun: bool) -> bytes | None:
        if not begun:
            return None
        return data_frame(error_body(status_of(error)[0], str(error)))

    async def _models(self, request: Request, asked: Asked) -> Any:
        return models(self._began)


def _read(asked: Asked) -> Chat:
    return read_chat(asked.body)


async def complete(request: Request, chat: Chat) -> Any:
    """Answer a conversation: in one piece, or as a stream."""
    completion = Completion(f"chatcmpl-{request.id}", int(time.time()), chat)
    events = _say(chat.done) if chat.done is not None else _run(request, chat)
    written = _Written(chat, events)
    if chat.stream:
        return _stream(request, completion, written)
    content = "".join([text async for kind, text in written.parts() if kind == "content"])
    request.outcome = str(written.outcome)
    return completion.whole(content, written.answer)


async def _stream(
    request: Request, completion: Completion, written: _Written
) -> AsyncIterator[bytes]:
    content, begun = "", False
    async for kind, text in written.parts():
        if not begun:
            yield completion.chunk(role="assistant", content="")
            begun = True
        content += text if kind == "content" else ""
        yield completion.chunk(**{kind: text})
    for frame in completion.last(content, written.answer):
        yield frame
    request.outcome = str(written.outcome)


async def _say(text: str) -> AsyncIterator[Event]:
    """A reply that needs no run."""
    yield TextDelta(text)


async def _run(request: Request, chat: Chat) -> AsyncIterator[Event]:
    """Yield the events of a run. It waits for ever with a question that is not answered yet."""
    from kensaku.database import url_of

    async def person(question: Question) -> Reply | None:
        if not is_asked(question):
            return Reply("proceed") if question.kind == "confirm" else None
        said = chat.reply_to(question)
        if said is None:
            await asyncio.get_running_loop().create_future()
        answered = read_reply(question, said or "")
        await _record(request, question, answered)
        return answered

    client = request.client
    tiers = await registered_tiers(url_of(client.settings), request.principal.key_id)
    run = client.ask_events(
        chat.question, earlier=chat.earlier, person=person, approvals=tiers,
        budget=request.run_budget,
    )  # fmt: skip
    async with aclosing(run) as events:  # type: ignore[type-var]  # it is a generator
        async for event in events:
            yield event
            if _is_open(event, chat):
                return  # the question is the reply


async def _record(request: Request, question: Question, said: Reply) -> None:
    """Add a decision to the audit trail."""
    from kensaku.database.conversations import Sender
    from kensaku.database.people import record_decisions

    who = request.principal
    sender = Sender(CHANNEL, who.key_id, "", who.tenant)
    async with request.state.database.write() as connection:
        kinds = [(question.kind, question.tool, said.action)]
        await record_decisions(connection, sender, "", kinds)


class _Written:
    """The events of a run as the parts of one reply."""

    def __init__(self, chat: Chat, events: AsyncIterator[Event]) -> None:
        self._chat, self._events = chat, events
        self.answer: CitedAnswer | None = None
        self._help = ""

    @property
    def outcome(self) -> Outcome:
        """What the run is counted as; a question is an answer, too."""
        return self.answer.outcome if self.answer else Outcome.FOUND

    async def parts(self) -> Parts:
        """Yield the text of the reply, and the lines of the tools before it."""
        async with aclosing(self._events) as events:  # type: ignore[type-var]
            async for event in events:
                for part in self._parts_of(event):
                    yield part

    def _parts_of(self, event: Event) -> list[tuple[str, str]]:
        if isinstance(event, TextDelta):
            # Of a page it may be, and would make the next message a reply.
            return [("content", event.text.replace(ASKS.strip(), "?"))]
        if isinstance(event, ApprovalNeeded | QuestionAsked):
            if _is_open(event, self._chat):
                return [("content", asking_text(event.question))]
            self._help = event.question.text if event.question.kind == "help" else self._help
        if isinstance(event, Answered):
            self.answer = event.answer
            return [("content", text) for text in reply_text(event.answer)]
        if isinstance(event, Failed):
            self.answer = event.answer
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

"""A conversation → one message, or its chunks: by the assistant, or by the gateway's model."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Mapping
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
from kensaku.models import Outcome
from kensaku.server.perform import Unavailable
from kensaku.server.wires._assistant import reply_text, tool_text
from kensaku.server.wires._assistant_run import is_open, run_assistant
from kensaku.server.wires._chat_turn import ChatReply, read_turn
from kensaku.server.wires._completion import ASKS, MODEL, Chat, Completion, asking_text, read_chat
from kensaku.server.wires._turns import answer, check_assistant, is_gateways, stream, whole

if TYPE_CHECKING:
    from kensaku.answers.cited import Cited, CitedAnswer
    from kensaku.server.request import Request

Parts = AsyncIterator[tuple[str, str, tuple["Cited", ...]]]  # field, text, what it cites first


async def complete_chat(request: Request, body: Mapping[str, Any]) -> Any:
    """Let whoever is asked for answer a conversation."""
    if is_gateways(request, str(body.get("model") or "")):
        return await _pass_on(request, body)
    check_assistant(body)
    return await complete(request, read_chat(body))


async def _pass_on(request: Request, body: Mapping[str, Any]) -> Any:
    options = body.get("stream_options")
    reply = ChatReply(
        f"chatcmpl-{request.id}",
        int(time.time()),
        str(body.get("model") or MODEL),
        include_usage=isinstance(options, dict) and bool(options.get("include_usage")),
    )
    happening = answer(request, read_turn(body), str(body.get("model") or ""))
    streams = body.get("stream") is True
    return stream(reply, happening) if streams else await whole(reply, happening)


async def complete(request: Request, chat: Chat) -> Any:
    """Answer a conversation by the assistant: in one piece, or as a stream."""
    completion = Completion(f"chatcmpl-{request.id}", int(time.time()), chat)
    written = _Written(chat, run_assistant(request, chat))
    if chat.stream:
        return _stream(request, completion, written)
    content = "".join([text async for kind, text, _ in written.parts() if kind == "content"])
    request.outcome = str(written.outcome)
    return completion.whole(content, written.answer)


async def _stream(
    request: Request, completion: Completion, written: _Written
) -> AsyncIterator[bytes]:
    content, begun = "", False
    known: list[Cited] = []
    async for kind, text, cited in written.parts():
        if not begun:
            yield completion.chunk(role="assistant", content="")
            begun = True
        content += text if kind == "content" else ""
        known += cited
        yield completion.chunk(known if cited else (), **{kind: text})
    for frame in completion.last(content, written.answer):
        yield frame
    request.outcome = str(written.outcome)


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
                cited = event.cited if isinstance(event, TextDelta) else ()
                for kind, text in self._parts_of(event):
                    yield kind, text, cited

    def _parts_of(self, event: Event) -> list[tuple[str, str]]:
        if isinstance(event, TextDelta):
            # Of a page it may be, and would make the next message a reply.
            return [("content", event.text.replace(ASKS.strip(), "?"))]
        if isinstance(event, ApprovalNeeded | QuestionAsked):
            if is_open(event, self._chat):
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

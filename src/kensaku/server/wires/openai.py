"""OpenAI's API, with the assistant as a model, and the operator's own through the gateway.

    POST /v1/chat/completions   conversation → one message, or chunks as they come
    POST /v1/responses          input items → one response, or its events
    GET  /v1/models             kensaku, and the gateway's

A client sends the whole conversation, or goes on with a response by its id.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from kensaku.answers.events import (
    Answered,
    ApprovalNeeded,
    Event,
    Failed,
    QuestionAsked,
    TextDelta,
)
from kensaku.errors import InvalidQuery, KensakuError
from kensaku.models import Outcome
from kensaku.server.auth import ANYONE
from kensaku.server.http import Whole, data_frame, encode, status_of
from kensaku.server.perform import Unavailable
from kensaku.server.wires._assistant import reply_text, tool_text
from kensaku.server.wires._assistant_run import is_open, run_assistant
from kensaku.server.wires._chat_turn import ChatReply, read_turn
from kensaku.server.wires._completion import (
    ASKS,
    MODEL,
    PARAMETERS,
    Chat,
    Completion,
    asking_text,
    error_body,
    model_list,
    model_of,
    read_chat,
)
from kensaku.server.wires._native import MAX_GATEWAY_BODY
from kensaku.server.wires._responses_reply import ResponsesReply
from kensaku.server.wires._responses_turn import Responding, read_responding
from kensaku.server.wires._turns import (
    answer,
    check_assistant,
    forget,
    is_gateways,
    keep,
    recall,
    stream,
    whole,
)
from kensaku.server.wires.base import Asked, Endpoint, Wire, run_cost

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from kensaku.answers.cited import Cited, CitedAnswer
    from kensaku.gateway import turn
    from kensaku.server.request import Request

Parts = AsyncIterator[tuple[str, str, tuple["Cited", ...]]]  # field, text, what it cites first
RESPONSES: dict[str, Any] = {
    "input": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "object"}}]},
    "model": {"type": "string", "maxLength": 200, "default": MODEL},
    "instructions": {"type": "string"},
    "tools": {"type": "array", "items": {"type": "object"}},
    "previous_response_id": {"type": "string", "maxLength": 200},
    "store": {"type": "boolean"},
    "stream": {"type": "boolean"},
}
_ID = "/v1/responses/{id}"


class NotStored(KensakuError):
    """Nothing is kept under this id."""

    status = 404


class OpenAI(Wire):
    name = "openai"
    label = "Assistant"
    docs = "https://platform.openai.com/docs/api-reference"
    client = 'OpenAI(api_key=…, base_url="{url}/v1")'
    prefixes = ("", "/openai")

    def __init__(self) -> None:
        self._began = int(time.time())

    def endpoints(self) -> Sequence[Endpoint]:
        quick: Any = {"is_admitted": False, "is_counted": True, "is_owners": True}
        return [
            Endpoint(
                "POST",
                "/v1/chat/completions",
                _body,
                summary="Answer the last message of a conversation, with citations",
                parameters=PARAMETERS,
                required=("messages",),
                do=_complete,
                cost=_cost,
                max_body=MAX_GATEWAY_BODY,
            ),
            Endpoint(
                "POST",
                "/v1/responses",
                _read_responding,
                summary="Answer an input, with web search and citations",
                parameters=RESPONSES,
                required=("input",),
                do=_respond,
                cost=run_cost,
                max_body=MAX_GATEWAY_BODY,
            ),
            Endpoint("GET", _ID, summary="Return a response that is kept", do=_kept, **quick),
            Endpoint("DELETE", _ID, summary="Delete a response that is kept", do=_delete, **quick),
            Endpoint(
                "GET",
                "/v1/models",
                summary="List the models",
                do=self._models,
                is_admitted=False,
            ),
            Endpoint(
                "GET",
                "/v1/models/{name:path}",
                summary="Describe a model",
                do=self._model,
                is_admitted=False,
            ),
        ]

    @property
    def territory(self) -> tuple[str, ...]:
        return ("/openai", "/v1")

    def error(self, status: int, message: str) -> Any:
        return error_body(status, message)

    def refuse(self, request: Request | None, error: KensakuError) -> ASGIApp:
        status, headers = status_of(error)
        body = encode(error_body(status, str(error), _param(request, error)))
        if status == 432:  # a status of Tavily's; the clients would ask again, in vain
            status, headers = 429, [*headers, ("x-should-retry", "false")]
        return Whole(body, status, headers)

    def last_frame(self, error: KensakuError, begun: bool) -> bytes | None:
        if not begun:
            return None
        return data_frame(error_body(status_of(error)[0], str(error)))

    async def _models(self, request: Request, asked: Asked) -> Any:
        return model_list(self._names(request), self._began)

    async def _model(self, request: Request, asked: Asked) -> Any:
        return model_of(asked.path["name"], self._began)  # every name is answered

    def _names(self, request: Request) -> list[str]:
        settings = request.client.settings
        named = settings.model or settings.llm_model
        return [MODEL, *([named] if settings.gateway and named else [])]


def _param(request: Request | None, error: KensakuError) -> str | None:
    """Return the field that an error is about: its message begins with it."""
    if not isinstance(error, InvalidQuery):
        return None
    first = error.message.partition(" ")[0].partition("[")[0]
    named = request is not None and first in {*request.endpoint.parameters, *_NAMED}
    return first if named else "messages"


_NAMED = ("n", "response_format", "tool_choice", "tools", "input", "web_search_options")


def _body(asked: Asked) -> Mapping[str, Any]:
    return asked.body


def _cost(body: Mapping[str, Any]) -> int | None:
    """What a conversation counts as; a body that cannot be read is refused afterwards."""
    try:
        return read_chat(body).searches
    except InvalidQuery:
        return None


# --- chat completions


async def _complete(request: Request, body: Mapping[str, Any]) -> Any:
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


# --- responses


def _read_responding(asked: Asked) -> Responding:
    return read_responding(asked.body)


async def _respond(request: Request, asked: Responding) -> Any:
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
    kept = await recall(request, asked.previous)
    if kept is None:
        raise NotStored(
            f"previous_response_id is {asked.previous[:60]!r}; no response of this key is kept "
            "under it",
            remedy="send the whole conversation as input",
        )
    messages = [*kept["messages"], *asked.turn.messages]
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


async def _kept(request: Request, asked: Asked) -> Any:
    if (kept := await recall(request, asked.path["id"])) is None:
        raise NotStored(f"no response of this key is kept under {asked.path['id'][:60]!r}")
    return kept["response"]


async def _delete(request: Request, asked: Asked) -> Any:
    id = asked.path["id"]
    if not await forget(request, id):
        raise NotStored(f"no response of this key is kept under {id[:60]!r}")
    return {"id": id, "object": "response.deleted", "deleted": True}

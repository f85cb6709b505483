"""Anthropic's Messages: `POST /v1/messages`, with the web tools that Kensaku runs.

    Messaging → events of a turn → one message, or its stream

The operator's model answers through the gateway; without one, the assistant does.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kensaku.answers.tokenizer import count
from kensaku.server.http import Whole, encode, status_of
from kensaku.server.wires._messages_reply import MessagesReply
from kensaku.server.wires._messages_turn import Messaging, read_messaging
from kensaku.server.wires._native import MAX_GATEWAY_BODY
from kensaku.server.wires._turns import answer, stream, whole
from kensaku.server.wires.base import Asked, Endpoint, Wire, run_cost

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from kensaku.errors import KensakuError
    from kensaku.server.request import Request

PARAMETERS: dict[str, Any] = {
    "model": {"type": "string", "maxLength": 200},
    "messages": {"type": "array", "minItems": 1, "items": {"type": "object"}},
    "max_tokens": {"type": "integer", "minimum": 1},
    "system": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "object"}}]},
    "tools": {"type": "array", "items": {"type": "object"}},
    "stream": {"type": "boolean"},
}
_KINDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    432: "billing_error",
    503: "overloaded_error",
}


class Anthropic(Wire):
    name = "anthropic"
    label = "Anthropic Messages"
    docs = "https://docs.anthropic.com/en/api/messages"
    client = 'Anthropic(api_key=…, base_url="{url}")'
    prefixes = ("", "/anthropic")

    def endpoints(self) -> Sequence[Endpoint]:
        shared: Any = {"parameters": PARAMETERS, "max_body": MAX_GATEWAY_BODY}
        return [
            Endpoint(
                "POST",
                "/v1/messages",
                _read,
                summary="Answer the last message of a conversation, with web tools",
                required=("messages",),
                do=_message,
                cost=run_cost,
                **shared,
            ),
            Endpoint(
                "POST",
                "/v1/messages/count_tokens",
                _read,
                summary="Estimate the tokens of a conversation",
                required=("messages",),
                do=_count,
                is_admitted=False,
                **shared,
            ),
            Endpoint("GET", "/api/hello", do=_hello, is_open=True, is_admitted=False),
        ]

    def error(self, status: int, message: str) -> Any:
        kind = _KINDS.get(status, "api_error")
        return {"type": "error", "error": {"type": kind, "message": message}}

    def refuse(self, request: Request | None, error: KensakuError) -> ASGIApp:
        status, headers = status_of(error)
        body = self.error(status, str(error))
        if request is not None:
            headers = [*headers, ("request-id", request.id)]
        if status == 432:  # a status of Tavily's; the clients would ask again, in vain
            status, headers = 429, [*headers, ("x-should-retry", "false")]
        return Whole(encode(body), status, headers)

    def last_frame(self, error: KensakuError, begun: bool) -> bytes | None:
        if not begun:
            return None
        return (
            b"event: error\ndata: " + encode(self.error(status_of(error)[0], str(error))) + b"\n\n"
        )


def _read(asked: Asked) -> Messaging:
    return read_messaging(asked.body)


async def _hello(request: Request, asked: Asked) -> dict[str, str]:
    """Say that somebody is here: Claude Code asks before it opens a conversation."""
    return {"message": "hello"}


async def _message(request: Request, asked: Messaging) -> Any:
    """Answer a conversation: in one piece, or as a stream."""
    happening = answer(request, asked.turn, asked.model)
    reply = MessagesReply(request.id, asked.model, estimate(asked))
    return stream(reply, happening) if asked.stream else await whole(reply, happening)


async def _count(request: Request, asked: Messaging) -> Any:
    return {"input_tokens": estimate(asked)}


def estimate(asked: Messaging) -> int:
    """Return about how many tokens a conversation has, with its tools."""
    turn = asked.turn
    texts = [json.dumps(part, ensure_ascii=False) for part in (*turn.messages, *turn.tools)]
    return max(1, sum(map(count, texts)))

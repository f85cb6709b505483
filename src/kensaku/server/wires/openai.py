"""OpenAI's API, with the assistant as a model, and the operator's own through the gateway.

    POST /v1/chat/completions   conversation → one message, or chunks as they come
    POST /v1/responses          input items → one response, or its events
    GET  /v1/models             kensaku, and the gateway's

A client sends the whole conversation, or goes on with a response by its id.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kensaku.errors import InvalidQuery, KensakuError
from kensaku.server.http import Whole, data_frame, encode, status_of
from kensaku.server.wires import _responses as responses
from kensaku.server.wires._chat import complete_chat
from kensaku.server.wires._completion import (
    MODEL,
    PARAMETERS,
    error_body,
    model_list,
    model_of,
    read_chat,
)
from kensaku.server.wires._native import MAX_GATEWAY_BODY
from kensaku.server.wires.base import Asked, Endpoint, Wire, run_cost

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from kensaku.server.request import Request

_ID = "/v1/responses/{id}"


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
                do=complete_chat,
                cost=_cost,
                max_body=MAX_GATEWAY_BODY,
            ),
            Endpoint(
                "POST",
                "/v1/responses",
                responses.read,
                summary="Answer an input, with web search and citations",
                parameters=responses.RESPONSES,
                required=("input",),
                do=responses.respond,
                cost=run_cost,
                max_body=MAX_GATEWAY_BODY,
            ),
            Endpoint(
                "GET", _ID, summary="Return a response that is kept", do=responses.kept, **quick
            ),
            Endpoint(
                "DELETE",
                _ID,
                summary="Delete a response that is kept",
                do=responses.delete,
                **quick,
            ),
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

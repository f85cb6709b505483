"""One endpoint of the page's API: session or key → origin and token → fields → JSON or events.

    async def create(call: Call) -> dict: …
    Endpoint("POST", "/api/keys", create, admin=True)

A handler that yields is sent as server-sent events.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from starlette.responses import StreamingResponse
from starlette.routing import BaseRoute, Route

from kensaku.errors import FetchError, InvalidQuery, KensakuError
from kensaku.messages import msg
from kensaku.server.auth import Unauthorized
from kensaku.server.endpoint import status_of
from kensaku.server.http import (
    MAX_BODY,
    ClientDisconnected,
    decode_body,
    encode,
    read_body,
    reply,
)
from kensaku.server.page.request import PageRequest
from kensaku.server.page.viewer import TOKEN_HEADER, Forbidden, check_change
from kensaku.server.session import Session

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from kensaku.client import Kensaku
    from kensaku.server.auth import Principal
    from kensaku.server.state import State

NO_CACHE = (("cache-control", "no-store"),)
ADMIN_ONLY = msg(
    "Only an admin key opens this view. On the server: kensaku keys create NAME --admin"
)
# Name and data of a server-sent event; with an id where a stream can go on behind an event.
Event = tuple[str, Mapping[str, Any]] | tuple[str, Mapping[str, Any], str]


@dataclass(frozen=True, slots=True)
class Call:
    """What a handler is given."""

    page: PageRequest
    session: Session
    path: Mapping[str, str]
    fields: Mapping[str, Any]
    raw: bytes = field(default=b"", repr=False)

    @property
    def state(self) -> State:
        """The server."""
        return self.page.state

    @property
    def client(self) -> Kensaku:
        """The client of the tenant."""
        return self.session.client

    @property
    def principal(self) -> Principal:
        """Who asks."""
        return self.page.principal

    def text(self, name: str, most: int = 2_000) -> str:
        """A field that must be there, as text. Raises `InvalidQuery`."""
        value = self.fields.get(name)
        if not isinstance(value, str) or not 0 < len(value) <= most:
            raise InvalidQuery(f"{name} must be a text of 1 to {most:,} characters")
        return value


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An endpoint. `raw`: the body is a file, and not read as JSON."""

    method: str
    path: str
    handler: Callable[[Call], Any]
    admin: bool = False
    searches: int = 0  # that count against the key
    admitted: bool = True  # takes one of the server's slots: not who only watches
    raw: bool = False
    max_body: int = MAX_BODY

    def route(self, state: State) -> BaseRoute:
        """The endpoint as a route of the application."""
        return Route(self.path, _Handler(state, self), methods=[self.method])


class _Handler:
    """An endpoint as an ASGI application."""

    def __init__(self, state: State, endpoint: Endpoint) -> None:
        self._state, self._endpoint = state, endpoint

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        endpoint = self._endpoint
        try:
            page = await PageRequest.read(self._state, scope)
            self._check(page)
            raw = await read_body(receive, endpoint.max_body)
            kind = page.headers.get("content-type", "")
            fields = page.params if endpoint.raw or not raw else _json(raw, kind)
            async with self._session(page) as session:
                await session.check_limits(endpoint.searches)
                call = Call(page, session, scope.get("path_params", {}), fields, raw)
                done = endpoint.handler(call)
                if isinstance(done, AsyncGenerator):
                    await _stream(done, scope, receive, send)
                    return
                body = encode(await done)
                session.outcome = "found"
        except ClientDisconnected:
            return
        except KensakuError as error:
            status, more = status_of(error)
            if isinstance(error, FetchError):
                status = 502  # whatever another server said is not ours to say
            body = encode({"error": error.to_dict()})
            await reply(send, status, body, headers=[*more, *NO_CACHE])
            return
        await reply(send, 200, body, headers=NO_CACHE)

    def _session(self, page: PageRequest) -> AbstractAsyncContextManager[Session]:
        name, who = self._endpoint.path.strip("/"), page.principal
        if self._endpoint.admitted:
            return self._state.request(page.scope, name, page.headers, {}, who)
        return nullcontext(Session(who, page.client, self._state.limits))

    def _check(self, page: PageRequest) -> None:
        if page.viewer.principal is None:
            raise Unauthorized("sign in first, or send a key as Authorization: Bearer")
        if self._endpoint.method != "GET":
            token = page.headers.get(TOKEN_HEADER, "")
            check_change(page.viewer, page.scope, page.headers, token)
        if self._endpoint.admin and not page.principal.admin:
            raise Forbidden(page.t("Not with this key"), remedy=page.t(ADMIN_ONLY))


def _json(raw: bytes, kind: str) -> Mapping[str, Any]:
    # A form of another site can send text/plain and forms, and no JSON without being asked first.
    if kind.partition(";")[0].strip().lower() != "application/json":
        raise InvalidQuery("the body must be application/json")
    return decode_body(raw, kind)


async def _stream(events: AsyncIterator[Event], scope: Scope, receive: Receive, send: Send) -> None:
    async def written() -> AsyncIterator[bytes]:
        try:
            async for name, data, *id in events:
                number = b"".join(b"id: %s\n" % i.encode() for i in id)
                yield b"%sevent: %s\ndata: %s\n\n" % (number, name.encode(), encode(data))
        except KensakuError as error:
            yield b"event: failed\ndata: %s\n\n" % encode({"error": error.to_dict()})

    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    response = StreamingResponse(written(), media_type="text/event-stream", headers=headers)
    await response(scope, receive, send)

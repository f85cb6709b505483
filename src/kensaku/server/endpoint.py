"""The whole way of a request, on every surface, in one function: `ServedEndpoint.__call__`.

key → body → admission → read → rate, quota → do → write | stream → usage
                                error → status, in the wire's shape
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from sse_starlette import EventSourceResponse, ServerSentEvent

from kensaku.errors import KensakuError
from kensaku.server.disk import disk_faults
from kensaku.server.http import ClientDisconnected, Whole, encode
from kensaku.server.perform import outcome_of, perform
from kensaku.server.request import FAILED
from kensaku.server.wires.base import Asked, Endpoint, Exchange, Text, Wire

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from kensaku.server.request import Request
    from kensaku.server.state import State

WATCH_AFTER = 0.05  # seconds of work after which a client that hangs up is noticed
# A comment goes into a stream that says nothing for so many seconds, and with the first of them
# the status: nginx, Traefik and load balancers close a silent connection after 30 to 60.
PING_SECONDS = 10


class ServedEndpoint:
    """An endpoint of a wire as an ASGI application."""

    def __init__(self, state: State, wire: Wire, endpoint: Endpoint) -> None:
        self._state, self._wire, self._endpoint = state, wire, endpoint
        self.name = endpoint.name or f"{wire.name}{endpoint.path}".strip("/")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request: Request | None = None
        try:
            request = self._wire.request(self._state, self._wire, self._endpoint, scope, receive)
            await request.identify()
            scope["state"]["key_id"] = request.principal.key_id
            asked = await _asked(request)
            admits = _is_admitted(self._endpoint, asked)
            async with request.admitted() if admits else nullcontext():
                response = await self._do(request, asked, receive, admits)
                if not isinstance(response, Whole):  # a slow reader of a whole one holds no slot
                    await response(scope, receive, send)
                    return
        except ClientDisconnected:
            return
        except KensakuError as error:
            response = self._wire.refuse(request, error)
        finally:
            if request is not None:
                request.close()
        await response(scope, receive, send)

    async def _do(
        self, request: Request, asked: Asked, receive: Receive, admitted: bool
    ) -> ASGIApp:
        endpoint = self._endpoint
        call = endpoint.read(asked)
        if admitted or endpoint.is_counted:
            await request.count(endpoint.cost(call))
        with disk_faults():
            result = await self._result(request, call, receive)
        if isinstance(result, AsyncIterator):
            return self._stream(result)
        if request.outcome == FAILED:
            request.outcome = "found"
        elapsed = round(time.perf_counter() - request.began, 3)
        written = endpoint.write(call, result, Exchange(asked, request.id, elapsed))
        if isinstance(written, AsyncIterator):
            return self._stream(written)
        return _response(written, self._wire)

    async def _result(self, request: Request, call: Any, receive: Receive) -> Any:
        """Do what was asked for; return its result, or the frames of a stream."""
        endpoint = self._endpoint
        async with EndsWithClient(receive):
            done = endpoint.do(request, call) if endpoint.do else _perform(request, call)
            return done if isinstance(done, AsyncIterator) else await done

    def _stream(self, frames: AsyncIterator[Any]) -> ASGIApp:
        """Send frames as events. What fails before the first of them is raised."""
        comment = ServerSentEvent(comment="keep-alive", sep="\n")
        response = EventSourceResponse(
            _with_last(frames, self._wire),
            sep="\n",
            ping=PING_SECONDS,
            ping_message_factory=lambda: comment,
        )

        async def stream(scope: Scope, receive: Receive, send: Send) -> None:
            await response(scope, receive, _StartsLate(send))

        return stream


class _StartsLate:
    """A `send` that holds the status back until there is something to send."""

    def __init__(self, send: Send) -> None:
        self._send, self._lock = send, asyncio.Lock()
        self._start: Message | None = None

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._start = message
            return
        async with self._lock:
            if self._start is not None:
                start, self._start = self._start, None
                await self._send(start)
            await self._send(message)


async def _with_last(frames: AsyncIterator[Any], wire: Wire) -> AsyncIterator[Any]:
    """Yield the frames; those of a stream that fails end with the wire's last one."""
    begun = False
    try:
        async for frame in frames:
            begun = True
            yield frame
    except KensakuError as error:
        if (last := wire.last_frame(error, begun)) is None:
            raise
        yield last


async def _asked(request: Request) -> Asked:
    """Decode a request for its wire, which sees nothing else of it."""
    endpoint, takes_bytes = request.endpoint, request.endpoint.takes_bytes
    return Asked(
        {} if takes_bytes else await request.fields(),
        request.params,
        request.path_params,
        {name: request.headers[name] for name in endpoint.sees if request.headers.get(name)},
        request.scope.get("query_string", b"").decode("latin-1"),
        await request.body() if takes_bytes else b"",
    )


def _is_admitted(endpoint: Endpoint, asked: Asked) -> bool:
    admits = endpoint.is_admitted
    return admits(asked) if callable(admits) else admits


async def _perform(request: Request, call: Any) -> Any:
    """Let the core do what a wire has read."""
    result = await perform(request.client, call)
    request.outcome, request.cached = outcome_of(result)
    return result


def _response(written: Any, wire: Wire) -> ASGIApp:
    if isinstance(written, Text):
        body = written.body.encode("utf-8", "replace")
        return Whole(body, 200, wire.headers, written.media_type.encode())
    if callable(written):
        response: ASGIApp = written
        return response
    return Whole(encode(written), 200, wire.headers)


class EndsWithClient:
    """Cancels the work inside when the client hangs up. Quick work is not watched."""

    __slots__ = ("_gone", "_receive", "_task", "_timer", "_watcher")

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._watcher: asyncio.Task[None] | None = None
        self._gone = False

    async def __aenter__(self) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._task = task
        self._timer = asyncio.get_running_loop().call_later(WATCH_AFTER, self._start)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: object
    ) -> None:
        self._timer.cancel()
        if self._watcher is not None:
            self._watcher.cancel()
        is_cancelled = isinstance(error, asyncio.CancelledError)
        if is_cancelled and self._gone and self._task.uncancel() == 0:
            raise ClientDisconnected from None

    def _start(self) -> None:
        self._watcher = asyncio.ensure_future(self._watch())

    async def _watch(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self._gone = True
        self._task.cancel()

"""One endpoint of a wire over HTTP: the whole way of a request, in one function.

body → Prepared → key → principal → admission, rate, quota → read → perform → write → JSON
                                                             error → status, in the wire's shape
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from kensaku.errors import (
    BudgetExceeded,
    DatabaseFault,
    FetchError,
    IndexFault,
    KensakuError,
    UnknownJob,
    UsageError,
)
from kensaku.server.auth import Unauthorized
from kensaku.server.http import (
    MAX_BODY,
    BodyTooLarge,
    ClientDisconnected,
    Headers,
    encode,
    headers_of,
    read_body,
    reply,
)
from kensaku.server.perform import Unavailable, outcome_of, perform
from kensaku.server.prepared import prepare
from kensaku.server.wires.base import Endpoint, Search, Wire

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from kensaku.server.state import State

MAX_FILE = 20 * 2**20
WATCH_AFTER = 0.05  # seconds of work after which a client that hangs up is noticed


class WireEndpoint:
    """An endpoint of a wire as an ASGI application."""

    def __init__(self, state: State, wire: Wire, endpoint: Endpoint) -> None:
        self._state, self._wire, self._endpoint = state, wire, endpoint
        self.name = f"{wire.name}{endpoint.path}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        began = time.perf_counter()
        headers = headers_of(scope)
        try:
            raw = await read_body(receive, MAX_FILE if self._endpoint.takes_bytes else MAX_BODY)
            request = prepare(self._endpoint, scope, headers, raw)
            async with self._state.request(
                scope, self.name, headers, request.asked.body
            ) as session:
                call = request.read()
                await session.check_limits(int(isinstance(call, Search)))
                async with EndsWithClient(receive):
                    result = await perform(session.client, call)
                session.outcome, session.cached = outcome_of(result)
            elapsed = time.perf_counter() - began
            body, kind = request.write(call, result, scope["state"]["request_id"], elapsed)
        except ClientDisconnected:
            return
        except KensakuError as error:
            await self._refuse(send, error)
            return
        await reply(send, 200, body, kind)

    async def _refuse(self, send: Send, error: KensakuError) -> None:
        status, more = status_of(error)
        status = self._wire.status(status)
        await reply(send, status, encode(self._wire.error(status, str(error))), headers=more)


def status_of(error: KensakuError) -> tuple[int, Headers]:
    """Return the status of an error, and the headers that go with it."""
    retry = getattr(error, "retry_after", None)
    headers = [("retry-after", str(max(1, round(retry))))] if retry else []
    own = getattr(error, "status", None)
    if isinstance(error, Unavailable) or (isinstance(own, int) and 400 <= own < 600):
        return int(error.status), headers  # type: ignore[attr-defined]
    for kind, status in _STATUS:
        if isinstance(error, kind):
            return status, headers
    return 500, headers


_STATUS: tuple[tuple[type[KensakuError], int], ...] = (
    (Unauthorized, 401),
    (BodyTooLarge, 413),
    (UnknownJob, 404),
    (UsageError, 400),
    (FetchError, 422),  # the document, or its address, cannot be read: not a failure of ours
    (BudgetExceeded, 432),
    (IndexFault, 503),
    (DatabaseFault, 503),
)


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

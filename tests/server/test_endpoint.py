"""Errors as statuses, and work that ends with its client."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from kensaku.errors import (
    BudgetExceeded,
    DatabaseFault,
    FetchError,
    IndexFault,
    InvalidQuery,
    KensakuError,
    RateLimited,
    UnknownJob,
    UnknownName,
)
from kensaku.models import Attempt, Hit, Outcome, Query
from kensaku.server.auth import Unauthorized
from kensaku.server.endpoint import EndsWithClient, WireEndpoint, status_of
from kensaku.server.http import BodyTooLarge, ClientDisconnected
from kensaku.server.limits import Overloaded, QuotaExceeded, RateExceeded
from kensaku.server.perform import Unavailable
from kensaku.server.wires.base import Endpoint, Extract, Found, Search, Wire


def error_with(status: object) -> KensakuError:
    error = KensakuError("x")
    error.status = status  # type: ignore[attr-defined]
    return error


SLOW = Attempt("brave", Outcome.UNAVAILABLE, RateLimited("brave", "slow", retry_after=0.2))


@pytest.mark.parametrize(
    ("error", "status", "retry_after"),
    [
        (Unauthorized("x"), 401, None),
        (BodyTooLarge("x"), 413, None),
        (UnknownJob("x"), 404, None),
        (InvalidQuery("x"), 400, None),
        (UnknownName("tool", "x", ["y"]), 400, None),
        (FetchError("x"), 422, None),
        (BudgetExceeded("x"), 432, None),
        (IndexFault("x"), 503, None),
        (DatabaseFault("x"), 503, None),
        (KensakuError("x"), 500, None),
        (RateExceeded(2.6), 429, "3"),
        (RateExceeded(0.1), 429, "1"),
        (QuotaExceeded("searches", 100.0), 432, "100"),
        (Overloaded(7.4), 503, "7"),
        (Unavailable([SLOW]), 429, "1"),
        (Unavailable([]), 503, "5"),
        (error_with(400), 400, None),
        (error_with(599), 599, None),
        (error_with(399), 500, None),
        (error_with(600), 500, None),
        (error_with("404"), 500, None),
    ],
)
def test_an_error_has_a_status(error, status, retry_after):
    """With the seconds after which to come back, at least one."""
    headers = [("retry-after", retry_after)] if retry_after else []

    assert status_of(error) == (status, headers)


async def test_work_ends_when_its_client_hangs_up(clock):
    """Once it takes longer than a moment; what the client sends meanwhile is read over."""
    messages = [{"type": "http.request"}, {"type": "http.disconnect"}]

    async def receive():
        return messages.pop(0)

    async def work() -> None:
        async with EndsWithClient(receive):
            clock.advance(1)
            await asyncio.get_running_loop().create_future()

    with pytest.raises(ClientDisconnected):
        await work()
    assert asyncio.current_task().cancelling() == 0


async def test_work_that_somebody_else_cancels_stays_cancelled():
    """The server stops, and no client has gone."""

    async def receive():
        await asyncio.get_running_loop().create_future()

    async def work() -> None:
        async with EndsWithClient(receive):
            begun.set()
            await asyncio.get_running_loop().create_future()

    begun = asyncio.Event()
    task = asyncio.create_task(work())
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_quick_work_is_not_watched(clock):
    """The client's next request is not read before its turn."""
    read = []

    async def receive():
        read.append(1)
        return {"type": "http.disconnect"}

    async with EndsWithClient(receive):
        pass
    clock.advance(1)
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert read == []


class Session:
    """Notes what a request is counted as."""

    def __init__(self) -> None:
        self.client, self.outcome, self.cached = "client", "failed", False
        self.counted: list[int] = []

    async def check_limits(self, searches: int = 0) -> None:
        self.counted.append(searches)


class Told(Wire):
    name, label = "told", "Told"

    def error(self, status: int, message: str) -> Any:
        return {"told": message, "status": status}

    def status(self, status: int) -> int:
        return 422 if status == 400 else status


async def called(
    monkeypatch: Any, endpoint: Endpoint, body: bytes, result: Any = None, *, gone: bool = False
) -> tuple[Session, list[Any], list[Any]]:
    """Call an endpoint; return its session, the calls and what was sent."""
    session, calls, sent = Session(), [], []

    @asynccontextmanager
    async def request(scope: Any, name: str, headers: Any, fields: Any) -> Any:
        calls.append((name, dict(headers), dict(fields)))
        yield session

    async def perform(client: Any, call: Any) -> Any:
        calls.append((client, call))
        if isinstance(result, Exception):
            raise result
        return result

    messages = [{"type": "http.request", "body": body}] * (not gone)

    async def receive() -> Any:
        return messages.pop(0) if messages else {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    monkeypatch.setattr("kensaku.server.endpoint.perform", perform)
    scope: Any = {"headers": [(b"content-type", b"application/json")], "query_string": b"",
                  "state": {"request_id": "req-1"}}  # fmt: skip
    state: Any = SimpleNamespace(request=request)
    await WireEndpoint(state, Told(), endpoint)(scope, receive, send)
    return session, calls, sent


SEARCH = Search(Query("otters"))
EXTRACT = Extract(("https://a.example/",))


def endpoint_of(call: Any, **more: Any) -> Endpoint:
    def write(call: Any, result: Any, exchange: Any) -> Any:
        return {"hits": len(result.hits), "id": exchange.request_id}

    return Endpoint("POST", "/x", lambda _: call, write, **more)


@pytest.mark.parametrize(("call", "searches"), [(SEARCH, 1), (EXTRACT, 0)])
async def test_a_request_is_read_counted_done_and_written(monkeypatch, call, searches):
    """A search counts against the day of the key."""
    found = Found([Hit("https://a.example/", "A")], cached=True)

    session, calls, sent = await called(monkeypatch, endpoint_of(call), b'{"q": 1}', found)

    headers = {"content-type": "application/json"}
    assert calls == [("told/x", headers, {"q": 1}), ("client", call)]
    assert (session.counted, session.outcome, session.cached) == ([searches], "found", True)
    assert sent[0]["status"] == 200
    assert dict(sent[0]["headers"])[b"content-type"] == b"application/json"
    assert json.loads(sent[1]["body"]) == {"hits": 1, "id": "req-1"}


@pytest.mark.parametrize(
    ("error", "status", "headers"),
    [(InvalidQuery("no"), 422, {}), (RateExceeded(3.0), 429, {b"retry-after": b"3"})],
)
async def test_an_error_is_told_as_the_wire_tells_it(monkeypatch, error, status, headers):
    """With the status that its clients know."""
    _, _, sent = await called(monkeypatch, endpoint_of(SEARCH), b"{}", error)

    assert sent[0]["status"] == status
    told = dict(sent[0]["headers"])
    assert {n: told[n] for n in told if not n.startswith(b"content-")} == headers
    assert json.loads(sent[1]["body"]) == {"told": str(error), "status": status}
    assert len(sent) == 2


async def test_a_document_may_be_larger_than_fields(monkeypatch):
    """Twenty mebibytes, and four."""
    found = Found([])
    for takes_bytes, most in ((False, 4), (True, 20)):
        endpoint = endpoint_of(SEARCH, takes_bytes=takes_bytes)
        for more in (0, 1):
            body = b"{}" + b" " * (most * 1024 * 1024 - 2 + more)
            _, _, sent = await called(monkeypatch, endpoint, body, found)
            assert sent[0]["status"] == (413 if more else 200)


async def test_who_has_gone_is_told_nothing(monkeypatch):
    """There is nobody to read it."""
    _, calls, sent = await called(monkeypatch, endpoint_of(SEARCH), b"", gone=True)

    assert (calls, sent) == ([], [])

"""Errors as statuses, and work that ends with its client."""

from __future__ import annotations

import asyncio

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
from kensaku.models import Attempt, Outcome
from kensaku.server.auth import Unauthorized
from kensaku.server.endpoint import EndsWithClient, status_of
from kensaku.server.http import BodyTooLarge, ClientDisconnected
from kensaku.server.limits import Overloaded, QuotaExceeded, RateExceeded
from kensaku.server.perform import Unavailable


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

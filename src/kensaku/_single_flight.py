"""Run work once for all concurrent callers that ask for the same key."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from kensaku._shielded import shielded

T = TypeVar("T")


@dataclass(slots=True, eq=False)
class _Flight:
    """Work in progress, and how many wait for it."""

    task: asyncio.Future[Any]
    waiting: int = 0


class SingleFlight:
    """Run work once for all concurrent callers that ask for the same key."""

    def __init__(self) -> None:
        self._flights: dict[tuple[int, str], _Flight] = {}

    async def join(
        self, key: str, work: Callable[[], Awaitable[T]], good: Callable[[T], bool]
    ) -> T:
        """Run `work`, or wait for the caller that runs it.

        A failed or cancelled flight is repeated once by one of those who waited: its trouble may
        have been the first caller's alone.
        """
        slot = (id(asyncio.get_running_loop()), key)
        for last in (False, True):
            flight = self._flights.get(slot)
            leader = flight is None or flight.task.done()
            if flight is None or leader:
                flight = self._flights[slot] = _Flight(asyncio.ensure_future(work()))
            try:
                result = await self._wait(slot, flight)
            except asyncio.CancelledError:
                if last or leader or _being_cancelled():
                    raise
            except Exception:
                if last or leader:
                    raise
            else:
                if last or leader or good(result):
                    return result  # type: ignore[no-any-return]
        raise AssertionError("unreachable")

    async def _wait(self, slot: tuple[int, str], flight: _Flight) -> Any:
        flight.waiting += 1
        try:
            return await shielded(flight.task)
        finally:
            flight.waiting -= 1
            if not flight.waiting:
                flight.task.cancel()  # nobody is left who wants it; no effect if it has ended
                if self._flights.get(slot) is flight:
                    del self._flights[slot]  # at once: nobody may join what is being cancelled


def _being_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0

"""A run of a job without DBOS: steps are done at once, and noted."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any


class FakeJob:
    """`events` has its steps, reports and parts, in order; `results` are those of the parts."""

    id = "job-1"

    def __init__(self, client: Any = None, results: Sequence[dict[str, Any]] = ()) -> None:
        self.client, self.results = client, results
        self.executor = SimpleNamespace(parser=None)
        self.events: list[Any] = []
        self.attempts = 1

    async def step(self, name: str, work: Callable[[], Awaitable[Any]]) -> Any:
        self.events.append(name)
        for _ in range(self.attempts - 1):
            try:
                return await work()
            except OSError:
                self.events.append("again")
        return await work()

    async def steps(self, works: Mapping[str, Callable[[], Awaitable[Any]]]) -> list[Any]:
        return [await self.step(name, work) for name, work in works.items()]

    async def report(
        self, stage: str = "", done: int = 0, total: int = 0, documents: int = 0
    ) -> None:
        self.events.append((stage, done, total, documents))

    async def run_parts(self, parts: Sequence[Mapping[str, Any]]) -> AsyncIterator[dict[str, Any]]:
        self.events.append([dict(part) for part in parts])
        for result in self.results:
            yield result

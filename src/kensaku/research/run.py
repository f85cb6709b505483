"""Run a state to its end, and say what happens meanwhile.

state → pending steps side by side → record each as it ends → … → report
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from typing import TYPE_CHECKING, Any, TypedDict

from kensaku.research.events import Completed, Event, Failed, ended, started
from kensaku.research.report import Report
from kensaku.research.state import State, pending, start
from kensaku.research.steps import perform

if TYPE_CHECKING:
    from kensaku.client import Kensaku
    from kensaku.options import ResearchOptions
    from kensaku.search.budget import Budget

Save = Callable[[State], None]


class Means(TypedDict):
    """What a run may use that does not belong to its state."""

    budget: Budget | None
    cache: bool | None


def begin(text: str, options: ResearchOptions) -> tuple[State, Means]:
    """Return the state of a new run, and what it may use."""
    request = dict(options)
    means = Means(budget=options.get("budget"), cache=options.get("cache"))
    for name in means:
        request.pop(name, None)
    return start(text, request), means


async def run_events(
    state: State,
    client: Kensaku,
    *,
    budget: Budget | None = None,
    cache: bool | None = None,
    save: Save | None = None,
) -> AsyncIterator[Event]:
    """Do the steps that are left and yield events; `save` gets the state after each of them.

    A state that was saved goes on where it stopped. The last event is `Completed` or `Failed`.
    """
    while names := pending(state):
        tasks: dict[asyncio.Task[dict[str, Any]], str] = {}
        try:
            for name in names:
                for event in started(name, state):
                    yield event
            for name in names:
                work = perform(name, state, client, budget=budget, cache=cache)
                tasks[asyncio.create_task(work)] = name
            while tasks:
                done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    name = tasks.pop(task)
                    state = state.record(name, task.result())
                    if save is not None:
                        save(state)
                    for event in ended(name, state):
                        yield event
        finally:
            await _cancel(tasks)


async def run_research(
    state: State,
    client: Kensaku,
    *,
    budget: Budget | None = None,
    cache: bool | None = None,
    save: Save | None = None,
) -> Report:
    """Do the steps that are left and return the report."""
    last: Event | None = None
    async for event in run_events(state, client, budget=budget, cache=cache, save=save):
        last = event
    if last is None:  # it was finished already
        *_, last = events_of(state)
    assert isinstance(last, Completed | Failed)
    return last.report


def events_of(state: State) -> Iterator[Event]:
    """Yield the events of the finished steps again, for whoever joins later."""
    at = State(state.request)
    for name, result in state.results.items():
        yield from started(name, at)
        at = at.record(name, result)
        yield from ended(name, at)


async def _cancel(tasks: dict[asyncio.Task[dict[str, Any]], str]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)

"""A run that was killed goes on at the last finished step, and asks nothing twice."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from kensaku.errors import InvalidQuery
from kensaku.research import (
    Completed,
    State,
    events_of,
    pending,
    perform,
    report_of,
    run_events,
    run_research,
    start,
)
from kensaku.testing import faults
from tests.answers.ask.conftest import all_events
from tests.answers.conftest import Model, Web
from tests.search.support import until

TASK = "How do sea otters sleep? What do sea otters eat each day? Who painted the Mona Lisa?"


def through_json(state: State) -> State:
    """The state as another process reads it."""
    return State.from_dict(json.loads(json.dumps(state.to_dict())))


async def states_of(client: Any, task: str, **options: Any) -> list[State]:
    """The state before the run, and after each of its steps."""
    states = [start(task, options)]
    await run_research(states[0], client, save=states.append, cache=False)
    return states


async def test_it_goes_on_after_every_step(client: Any, web: Web) -> None:
    """The same report, and only the searches and pages that were missing."""
    k = client(cache_enabled=False)
    states = await states_of(k, TASK)
    whole = report_of(states[-1])
    for state in states:
        before = len(web.upstream.requests)
        report = await run_research(through_json(state), k, cache=False)
        sent = len(web.upstream.requests) - before
        left = [n for n in states[-1].results if n not in state.results]

        assert sorted(s.url for s in report.sources) == sorted(s.url for s in whole.sources)
        assert report.answered == whole.answered
        assert sent == sum(n.startswith("search") for n in left) + 2 * ("read-1" in left)


async def test_a_step_that_was_interrupted_is_the_only_one_done_again(
    client: Any, web: Web
) -> None:
    """One of three searches is missing: it alone is made."""
    states = await states_of(client(cache_enabled=False), TASK)
    known = {
        n: r for n, r in states[-1].results.items() if n in ("plan", "search-1-1", "search-1-3")
    }
    state = through_json(State(states[0].request, known))

    assert pending(state) == ["search-1-2"]
    before = len(web.queries)
    result = await perform("search-1-2", state, client())
    assert json.loads(json.dumps(result))["outcome"] == "found"
    assert web.queries[before:] == ["What do sea otters eat each day?"]


async def test_a_finished_run_asks_nothing(client: Any, web: Web) -> None:
    """Its report is in its state."""
    states = await states_of(client(), TASK)
    before = len(web.upstream.requests)
    state = through_json(states[-1])

    assert pending(state) == []
    assert (await run_research(state, client())).text == report_of(states[-1]).text
    assert len(web.upstream.requests) == before


async def test_whoever_joins_later_gets_the_same_events(client: Any) -> None:
    """They are derived from the state."""
    state = start(TASK, {"model": "pro"})
    states: list[State] = []
    live = [e async for e in run_events(state, client(), save=states.append)]
    later = list(events_of(through_json(states[-1])))

    def key(event: Any) -> str:
        values = event.to_dict()
        values.pop("report", None)
        return json.dumps(values, sort_keys=True)

    assert sorted(map(key, later)) == sorted(map(key, live))
    assert isinstance(later[-1], Completed)


async def test_a_model_is_not_asked_again(client: Any, web: Web, model: Model) -> None:
    """A killed writer writes again; the plan stands."""
    model.plans("How do sea otters sleep?")
    model.says("Write", 'They hold hands [1: "Sea otters hold hands while they sleep"].')
    k = client(**model.settings)
    states = await states_of(k, "Tell me about the sleep of otters.")
    planned = next(s for s in states if "plan" in s.results)
    report = await run_research(through_json(planned), k)

    assert report.written_by == "small"
    assert len(model.asked("Plan")) == 1
    assert len(model.asked("Write")) == 2


@pytest.mark.parametrize("call", ["ask_events", "research_events"])
async def test_an_abandoned_run_leaves_nothing_running(call: str, client: Any, web: Web) -> None:
    """Whoever reads the stream goes: its searches are cancelled."""

    def running() -> list[str]:
        return [repr(t) for t in asyncio.all_tasks() if "kensaku/answers" in repr(t)]

    web.upstream.heals("tavily")
    web.upstream.fails("tavily", faults.hang())
    reading = asyncio.ensure_future(all_events(getattr(client(), call)(TASK)))
    await until(lambda: web.queries)
    assert running()
    reading.cancel()
    await asyncio.wait([reading])

    assert running() == []


def test_a_state_of_another_version_is_refused() -> None:
    """Rather than misread."""
    with pytest.raises(InvalidQuery, match="version"):
        State.from_dict({"version": 99, "request": {}, "results": {}})

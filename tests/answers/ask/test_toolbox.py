"""The calls of a run: each approved, bounded and made once; what people are told of them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from kensaku import Hit, Outcome
from kensaku.assistant import Question, Reply, ToolEnded, ToolStarted
from kensaku.testing import FakeUpstream, faults
from tests.answers.conftest import Web
from tests.search.support import until

from .conftest import ASK, BOTH, SLEEP, Person, all_events


def calls(events: list[Any]) -> list[ToolEnded]:
    """The calls that have ended."""
    return [e for e in events if isinstance(e, ToolEnded)]


async def test_a_call_is_told_when_it_starts_and_when_it_ends(client: Any, web: Web) -> None:
    """With who answered, what was found and where, each under one id; a title is cut."""
    url = "https://a.example/"
    web.upstream.heals("tavily")
    web.finds("sleep", Hit(url, "t" * 300, "Sea otters hold hands while they sleep."))
    events = await all_events(client(assistant_fetches=0).ask_events(SLEEP))
    started = [e for e in events if isinstance(e, ToolStarted)]
    ended = calls(events)

    assert [(e.id, e.tool, e.arguments) for e in started] == [
        (e.id, e.tool, e.arguments) for e in ended
    ]
    assert len({e.id for e in ended}) == len(ended)
    first = ended[0]
    assert (first.outcome, first.hits, first.providers) == ("found", 1, ("tavily",))
    ((title, where),) = first.found
    assert (where, len(title) <= 200, title[:100]) == (url, True, "t" * 100)


async def test_a_run_without_the_cache_searches_again(client: Any, web: Web) -> None:
    """The option of the call reaches every search."""
    k = client()
    for cache in (True, True, False):
        await k.ask(SLEEP, cache=cache)

    assert web.queries == [SLEEP, SLEEP]


# --- consent


@pytest.mark.parametrize("reply", [Reply("skip"), Reply("retry", "x"), None])
async def test_a_call_without_consent_is_refused_and_nothing_is_sent(
    reply: Reply | None, client: Any, web: Web
) -> None:
    """The step is in the answer; where a page may not be searched for, nobody could search."""
    person = Person(*[reply] * 9)
    events = await all_events(client().ask_events(SLEEP, approvals=ASK, person=person))
    answer = events[-1].answer

    assert web.queries == []
    assert {e.outcome for e in calls(events)} == {s.outcome for s in answer.steps} == {"refused"}
    assert (answer.outcome, answer.text) == (Outcome.UNAVAILABLE, None)
    assert person.asked[0].choices == ("proceed", "modify", "skip", "cancel")


async def test_what_should_not_leave_may_end_the_run(client: Any, web: Web) -> None:
    """Whoever is asked for it may cancel; the question says what it is."""
    k = client(scrub_kinds=("emails",), scrub_action="ask")
    person = Person(Reply("cancel"))
    answer = await k.ask("How do sea otters sleep, ann@example.com?", person=person)

    assert (answer.reason, web.queries) == ("The run was cancelled.", [])
    assert "an e-mail address" in person.asked[0].reason


# --- time


async def test_when_its_time_is_over_a_run_begins_no_call(
    client: Any, web: Web, clock: Any
) -> None:
    """Whatever it waited for."""
    from pydantic_ai.models.function import FunctionModel

    def plan(*_: Any) -> Any:
        clock.advance(60)
        raise RuntimeError

    answer = await client().ask(BOTH, timeout=30, model=FunctionModel(plan))

    assert (web.queries, answer.text) == ([], None)
    assert "the time of the run was over before this call" in answer.notes


async def test_a_persons_time_does_not_count(client: Any, web: Web, clock: Any) -> None:
    """However long they think, the run has its own time afterwards."""

    async def slow(_: Question) -> Reply:
        clock.advance(200)
        return Reply("proceed")

    answer = await client().ask(SLEEP, timeout=100, approvals=ASK, person=slow)

    assert web.queries == [SLEEP]
    assert "hold hands" in answer.text


async def test_who_hangs_is_given_up_at_the_end_of_the_run(
    client: Any, web: Web, upstream: FakeUpstream, clock: Any
) -> None:
    """A provider that never answers does not keep the person waiting."""
    upstream.heals("tavily")
    upstream.fails("tavily", faults.hang())
    asking = asyncio.ensure_future(client().ask(SLEEP, timeout=12))
    await until(lambda: upstream.asked("tavily"))
    clock.advance(12)
    answer = await asking

    assert (answer.outcome, answer.text) == (Outcome.UNAVAILABLE, None)

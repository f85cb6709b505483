"""One deadline through every step; cancellation; one that hangs does not hold the others."""

from __future__ import annotations

import asyncio

import pytest

from kensaku import Outcome
from kensaku.errors import CircuitOpen, Timeout
from kensaku.search.listen import Said, listening
from kensaku.testing import FakeUpstream, faults
from tests.search.support import noticed, turns, until


@pytest.mark.parametrize("mode", ["first", "hedge", "all"])
async def test_no_search_returns_later_than_its_deadline(mode, make_client, upstream, clock):
    """A few turns of the loop after it, whatever hangs."""
    upstream.fails("*", faults.hang())
    client = make_client("tavily", "brave", "exa", mode=mode)
    task = asyncio.create_task(client.search("otters", timeout=30))
    await until(lambda: len(upstream.requests) >= (3 if mode == "all" else 1))

    clock.advance(30)
    await turns(100)

    assert task.done()
    found = task.result()
    assert found.outcome is Outcome.UNAVAILABLE
    assert all(isinstance(a.error, Timeout) for a in found.attempts if a.sent)
    assert {a.provider for a in found.attempts} == {"tavily", "brave", "exa"}
    assert all("no time was left" in str(a.error) for a in found.attempts if not a.sent)


async def test_who_joins_a_flight_keeps_to_their_own_deadline(make_client, upstream, clock):
    """The leader may have five minutes; who joins with ten seconds waits for ten."""
    upstream.fails("tavily", faults.hang())
    client = make_client("tavily")
    leader = asyncio.create_task(client.search("otters", timeout=300))
    await until(lambda: upstream.requests)
    joined = asyncio.create_task(client.search("otters", timeout=10))
    await turns(20)

    clock.advance(11)
    found = await joined

    assert not leader.done()
    assert found.outcome is Outcome.UNAVAILABLE
    assert isinstance(found.attempts[0].error, Timeout)
    leader.cancel()
    with pytest.raises(asyncio.CancelledError):
        await leader


async def test_a_hanging_first_leaves_time_for_the_second(make_client, upstream, clock):
    """In mode `first`, nobody may use up the whole deadline while others wait."""
    upstream.fails("tavily", faults.hang())
    client = make_client("tavily", "brave")
    task = asyncio.create_task(client.search("otters", timeout=300))
    await until(lambda: upstream.requests)

    clock.advance(150)
    found = await task

    assert found.outcome is Outcome.FOUND
    assert [type(a.error) for a in found.attempts] == [Timeout, type(None)]


async def test_a_deadline_that_nobody_could_meet_does_not_count_against_them(make_client, upstream):
    """Twenty callers in a hurry must not open the circuit for those with patience."""
    upstream.fails("tavily", faults.delay(0.2))
    client = make_client("tavily")

    for _ in range(20):
        await client.search("otters", timeout=0.01, cache=False)
    patient = await client.search("otters", cache=False)

    assert not [a for a in patient.attempts if isinstance(a.error, CircuitOpen)]
    assert patient.outcome is Outcome.FOUND


@pytest.mark.parametrize(("mode", "asked"), [("first", 1), ("all", 2)])
async def test_a_caller_who_gives_up_stops_the_work(mode, asked, make_client, upstream):
    """The connections are closed, and nothing is left running."""
    upstream.fails("*", faults.hang())
    client = make_client("tavily", "exa", mode=mode)
    task = asyncio.create_task(client.search("otters"))
    await until(lambda: len(upstream.requests) == asked)

    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    await noticed(lambda: asyncio.all_tasks() == {asyncio.current_task()})


async def test_a_hanging_provider_takes_nothing_from_the_others(make_client, upstream, clock):
    """Bulkhead: 200 searches hang at one host; another host still answers in its usual time."""
    clock.stop()  # however long it takes to send them, none is given up
    async with FakeUpstream() as other:
        upstream.fails("tavily", faults.hang())
        env = {
            "BRAVE_BASE_URL": other.base_url("brave"),
            "BRAVE_API_KEY": "k",
            "BRAVE_RATE": "9999/s",
        }
        client = make_client("tavily", env=env)
        stuck = [
            asyncio.create_task(client.search(f"{n}", route="tavily", timeout=30, cache=False))
            for n in range(200)
        ]
        await noticed(lambda: len(upstream.requests) >= 100)

        found = [await client.search("otters", route="brave", cache=False) for _ in range(20)]

        assert all(r.outcome is Outcome.FOUND for r in found)
        assert len(upstream.requests) <= 128
        for task in stuck:
            task.cancel()
        await asyncio.gather(*stuck, return_exceptions=True)


@pytest.mark.parametrize(
    ("route", "allowed", "seconds"),
    [
        (("tavily", "local"), 30, 28),  # the index needs two seconds …
        (("tavily", "local"), 4, 3),  # … or a quarter of what there is
        (("tavily", "brave"), 30, 15),
        (("tavily", "brave", "exa"), 30, 15),
        (("tavily",), 30, 30),
    ],
)
async def test_each_provider_leaves_time_to_those_behind_it(
    route, allowed, seconds, make_client, upstream, clock
):
    """One that hangs is given up early enough for the next one to answer."""
    upstream.fails("tavily", faults.hang())
    heard: list[object] = []
    clock.stop()
    with listening(heard.append):
        task = asyncio.create_task(make_client(*route).search("otters", timeout=allowed))
    await noticed(lambda: upstream.asked("tavily"))

    clock.advance(seconds - 0.1)
    await turns(50)
    assert not [e for e in heard if isinstance(e, Said)]
    clock.advance(0.1)
    await noticed(lambda: [e for e in heard if isinstance(e, Said)])

    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    said = next(e for e in heard if isinstance(e, Said))
    assert isinstance(said.attempt.error, Timeout)

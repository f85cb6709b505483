"""Sharing one piece of work: whoever was not cancelled gets a result, at every turn of the loop."""

from __future__ import annotations

import asyncio
import gc
import itertools

import pytest

from kensaku._single_flight import SingleFlight
from tests.search.support import turns

TURNS = 5  # more than a cancelled task needs to end, and to be forgotten
TIMES = range(TURNS)


class Work:
    """Work that takes some turns of the loop; counts how often it runs and runs now."""

    def __init__(self, length: int) -> None:
        self.length, self.started, self.running = length, 0, 0

    async def __call__(self) -> str:
        self.started += 1
        self.running += 1
        try:
            await turns(self.length)
            return "result"
        finally:
            self.running -= 1


async def drive(work, joins, cancels):
    """Caller n joins at turn `joins[n]` and is cancelled at turn `cancels[n]`, if that is given."""
    flights, callers = SingleFlight(), {}
    for now in range(TURNS * 2):
        for n, at in enumerate(joins):
            if at == now:
                callers[n] = asyncio.create_task(flights.join("k", work, bool))
        for n, at in enumerate(cancels):
            if at == now and n in callers:
                callers[n].cancel()
        await asyncio.sleep(0)
    found = await asyncio.gather(*(callers[n] for n in sorted(callers)), return_exceptions=True)
    await turns(TURNS)
    assert not work.running
    return found


@pytest.mark.parametrize("length", [0, 1, 2, 20])
async def test_who_was_not_cancelled_gets_the_result_however_the_others_come_and_go(length):
    """Two leaders that give up, one after the other, and two who stay."""
    for first, second, third, fourth, fifth in itertools.product(TIMES, repeat=5):
        joins, cancels = (0, first, second, third), (fourth, fifth, None, None)

        found = await drive(Work(length), joins, cancels)

        assert found[2:] == ["result", "result"], (joins, cancels)


async def test_who_joins_work_that_has_just_failed_starts_it_again():
    """Its failure is known and not yet told to those who waited; the newcomer is none of them."""
    for late in TIMES:
        calls = []

        async def work(calls=calls):
            calls.append(None)
            await turns(2)
            if len(calls) == 1:
                raise ValueError("only the first time")
            return "result"

        flights = SingleFlight()
        leader = asyncio.create_task(flights.join("k", work, bool))
        await turns(late)
        follower = asyncio.create_task(flights.join("k", work, bool))

        assert await follower == "result", late
        with pytest.raises(ValueError):
            await leader


async def test_work_that_cancels_itself_is_repeated_for_those_who_waited():
    """Nobody has cancelled them; only a second time is it passed on."""
    flights, calls = SingleFlight(), []

    async def work():
        calls.append(None)
        await turns(1)
        raise asyncio.CancelledError

    found = await asyncio.gather(
        *(flights.join("k", work, bool) for _ in range(3)), return_exceptions=True
    )

    assert [type(e) for e in found] == [asyncio.CancelledError] * 3
    assert len(calls) == 2


async def test_a_follower_that_is_cancelled_with_the_work_stays_cancelled():
    """Its own cancellation is never mistaken for that of the work."""
    flights, calls = SingleFlight(), []

    async def work():
        calls.append(None)
        await turns(2)
        raise asyncio.CancelledError

    tasks = [asyncio.create_task(flights.join("k", work, bool)) for _ in range(2)]
    await turns(2)
    tasks[1].cancel()
    found = await asyncio.gather(*tasks, return_exceptions=True)

    assert [type(e) for e in found] == [asyncio.CancelledError] * 2
    assert len(calls) == 1


async def test_different_keys_are_different_work():
    """And equal keys that do not meet in time, too."""
    flights, work = SingleFlight(), Work(2)

    await asyncio.gather(*(flights.join(key, work, bool) for key in ("a", "b", "a")))
    await flights.join("a", work, bool)

    assert work.started == 3


async def test_an_event_loop_does_not_wait_for_the_work_of_another():
    """The sync client and a test each have a loop of their own."""
    flights = SingleFlight()
    waiting = asyncio.create_task(flights.join("k", Work(40), bool))
    await turns(3)

    other = await asyncio.to_thread(asyncio.run, flights.join("k", Work(1), bool))

    assert (other, await waiting) == ("result", "result")


async def test_a_follower_that_is_cancelled_does_not_wait_for_the_others():
    """Its cancellation is its own, and the work goes on for the leader."""
    flights, done = SingleFlight(), asyncio.Event()

    async def work():
        await done.wait()
        return "result"

    leader, follower = (asyncio.create_task(flights.join("k", work, bool)) for _ in range(2))
    await turns(2)
    follower.cancel()
    await turns(3)

    assert follower.cancelled()
    assert not leader.done()
    done.set()
    assert await leader == "result"


async def test_work_that_fails_after_a_follower_has_gone_is_no_error_of_the_loop():
    """The others are told; the log would say it once more, at Python 3.14."""
    flights, told, fails = SingleFlight(), [], asyncio.Event()
    asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(context))

    async def work() -> str:
        await fails.wait()
        raise ConnectionError

    callers = [asyncio.create_task(flights.join("k", work, bool)) for _ in range(2)]
    await turns(2)
    callers[1].cancel()
    await turns(2)
    fails.set()

    with pytest.raises(ConnectionError):
        await callers[0]
    await asyncio.wait(callers)
    gc.collect()
    assert told == []

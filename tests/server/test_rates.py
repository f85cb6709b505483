"""Leases of a key's rate: few questions to the store, and a bound on what they let through."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kensaku.server.rates import LEASE_SECONDS, MAX_KEYS, SharedRates, bucket_of
from kensaku.store import MemoryStore, SqliteStore


class Now:
    """A clock that a test sets."""

    seconds = 1_700_000_000.0

    def __call__(self) -> float:
        return self.seconds


class Counted(SqliteStore):
    """Counts how often it was asked."""

    turns = 0

    async def turn(self, key: str, interval: float, burst: int, max_wait: float) -> float:
        self.turns += 1
        return await super().turn(key, interval, burst, max_wait)


class Broken:
    """A store whose first turn fails."""

    def __init__(self, store: SqliteStore) -> None:
        self._store, self._failed = store, False

    async def turn(self, key: str, interval: float, burst: int, max_wait: float) -> float:
        if not self._failed:
            self._failed = True
            raise OSError("the disk is gone")
        return await self._store.turn(key, interval, burst, max_wait)


@pytest.fixture
async def shared(tmp_path):
    """The stores of two processes, on one file, and their clock."""
    now = Now()
    stores = [Counted(tmp_path / "state.sqlite", clock=now) for _ in range(2)]
    yield stores, now
    for store in stores:
        await store.close()


@settings(max_examples=100, deadline=None)
@given(
    started=st.integers(0, 10**15).map(lambda micro: micro / 1e6),
    n=st.integers(1, 3_000),
    period=st.sampled_from("smhd"),
)
@example(started=1.5, n=1_000, period="d")  # 100 at once
@example(started=400_000_000.1, n=10, period="s")  # 5 at once
@example(started=0.0, n=298, period="s")  # leases of two turns
async def test_a_fresh_burst_is_whole_on_a_machine_of_any_age(started, n, period):
    """Whoever comes first gets all that its rate allows at once, and not one more."""
    now = Now()
    now.seconds = started
    rates = SharedRates(MemoryStore(clock=now), clock=now)
    rate = f"{n}/{period}"
    _, burst = bucket_of(rate)

    waits = [await rates.take("k", rate) for _ in range(burst + 1)]

    assert waits[:-1] == [0.0] * burst
    assert waits[-1] > 0


async def test_two_processes_let_one_lease_each_more_through_and_no_more(shared):
    """Both take all they get at one time, then again after a second: the rate, and two leases."""
    stores, now = shared
    rates = [SharedRates(store, clock=now) for store in stores]
    _, burst = bucket_of("1000/s")
    lease = burst // 50

    async def take_all() -> int:
        taken = await asyncio.gather(*(rates[n % 2].take("k", "1000/s") for n in range(4_000)))
        return sum(wait == 0.0 for wait in taken)

    first = await take_all()
    now.seconds += 0.25
    second = await take_all()

    assert burst - lease <= first <= burst
    assert 250 - 2 * lease <= second <= 250 + 2 * lease
    assert sum(store.turns for store in stores) < 4_000 / 10


async def test_a_flood_of_refusals_does_not_reach_the_store(shared):
    """The store said when there is a turn; until then it has nothing else to say."""
    (store, _), now = shared
    rates = SharedRates(store, clock=now)
    assert await rates.take("k", "1/m") == 0.0
    waits = await asyncio.gather(*(rates.take("k", "1/m") for _ in range(100)))
    asked = store.turns

    assert waits == [pytest.approx(60)] * 100
    assert asked == 2
    now.seconds += 0.5
    assert await rates.take("k", "1/m") == pytest.approx(59.5)
    assert store.turns == asked


async def test_a_rate_that_was_raised_counts_within_a_second(shared):
    """A refusal of a whole day is not kept for a day."""
    (store, _), now = shared
    rates = SharedRates(store, clock=now)
    await rates.take("k", "1/d")
    assert await rates.take("k", "1/d") > 80_000

    now.seconds += 1.0
    assert await rates.take("k", "1000/s") == 0.0


async def test_turns_that_nobody_uses_are_not_hoarded(shared):
    """A process that took a lease an hour ago has none now."""
    (store, _), now = shared
    rates = SharedRates(store, clock=now)
    await rates.take("k", "1000/s")
    now.seconds += LEASE_SECONDS
    asked = store.turns

    await rates.take("k", "1000/s")

    assert store.turns == asked + 1


async def test_all_who_wait_for_a_lease_go_on_in_the_same_round_of_the_loop(shared):
    """In a busy loop a round takes long: those who queued for a lock waited for one round each."""
    (store, _), now = shared
    rates = SharedRates(store, clock=now)
    finished: list[int] = []
    rounds = 0

    async def take() -> None:
        await rates.take("k", "100000/s")
        finished.append(rounds)

    async def count() -> None:
        nonlocal rounds
        while len(finished) < 64:
            rounds += 1
            await asyncio.sleep(0)

    await asyncio.gather(*(take() for _ in range(64)), count())

    assert max(finished) - min(finished) <= 1


async def test_who_leaves_the_queue_takes_no_turn_with_it(shared):
    """A client that hangs up must not use up the rate of its key."""
    (store, _), now = shared
    rates = SharedRates(store, clock=now)
    waiting = [asyncio.ensure_future(rates.take("k", "4/s")) for _ in range(8)]
    await asyncio.sleep(0)
    for task in waiting[1:]:
        task.cancel()

    assert await waiting[0] == 0.0
    assert await rates.take("k", "4/s") == 0.0
    assert await rates.take("k", "4/s") > 0.0


async def test_a_store_that_fails_fails_all_who_wait_and_not_the_next(shared):
    """Nobody may wait for ever."""
    (store, _), now = shared
    rates = SharedRates(Broken(store), clock=now)
    failed = await asyncio.gather(
        *(rates.take("k", "1000/s") for _ in range(3)), return_exceptions=True
    )

    assert [type(error) for error in failed] == [OSError] * 3
    assert await rates.take("k", "1000/s") == 0.0


async def test_as_many_keys_as_there_are_take_a_bounded_memory():
    """The oldest is forgotten, and asks the store again; the newest has its lease still."""
    asked: list[str] = []

    class Asked(MemoryStore):
        async def turn(self, key: str, *rate: float) -> float:
            asked.append(key)
            return await super().turn(key, *rate)

    rates = SharedRates(Asked(clock=(now := Now())), clock=now)
    for n in range(MAX_KEYS + 1):
        await rates.take(f"k{n}", "1000/s")
    asked.clear()

    await rates.take(f"k{MAX_KEYS}", "1000/s")
    assert asked == []
    await rates.take("k0", "1000/s")
    assert len(asked) == 1

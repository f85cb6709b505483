"""Rates, quotas and overload: exact over several workers, fair between keys."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kensaku.database.keys import ApiKey
from kensaku.errors import KensakuError
from kensaku.search.budget import seconds_left
from kensaku.server.limits import (
    Admission,
    KeyLimits,
    Overloaded,
    QuotaExceeded,
    RateExceeded,
)
from kensaku.server.rates import bucket_of
from kensaku.store import MemoryStore, SqliteStore, Store, ValkeyStore


def key(id: str = "k1", **bounds: Any) -> ApiKey:
    nothing: dict[str, Any] = dict.fromkeys(
        ("rate", "searches_per_day", "money_per_month", "expires", "revoked")
    )
    own = {"name": "agent", "tenant": "", "hint": "", "admin": False}
    return ApiKey(id=id, created=datetime.now(UTC), **{**own, **nothing, **bounds})


class Now:
    """A clock that a test sets."""

    seconds = 1_700_000_000.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture(params=["sqlite", "valkey"])
async def workers(request, tmp_path):
    """The stores of four workers, which share one file or one server, and their clock."""
    now = Now()
    stores: list[Store]
    if request.param == "valkey":
        url = request.getfixturevalue("valkey")
        stores = [ValkeyStore(url, clock=now) for _ in range(4)]
        await stores[0].forget("")
    else:
        stores = [SqliteStore(tmp_path / "state.sqlite", clock=now) for _ in range(4)]
    yield stores, now
    for store in stores:
        await store.close()


@pytest.mark.parametrize(("rate", "allowed"), [("10/s", 600), ("50/s", 3000), ("120/m", 120)])
async def test_a_rate_is_kept_within_one_percent_by_four_workers(workers, rate, allowed):
    """60 simulated seconds, three times as many requests as the rate allows.

    A rate by the minute has its burst, a tenth, on top in the first minute.
    """
    stores, now = workers
    limits = [KeyLimits(store, clock=now) for store in stores]
    own, refused = key(rate=rate), RateExceeded

    async def ask(worker: KeyLimits) -> bool:
        try:
            await worker.check(own)
        except refused:
            return False
        return True

    step = 60 / allowed
    passed = 0
    for n in range(allowed):
        now.seconds = Now.seconds + n * step
        asked = (ask(limits[(n + i) % 4]) for i in range(3))
        passed += sum(await asyncio.gather(*asked))

    most = allowed * (1.1 if rate.endswith("/m") else 1.01)
    assert 0.99 * allowed <= passed <= most


async def test_keys_do_not_share_a_rate(workers):
    """And the refusal says when to come back."""
    stores, now = workers
    limits = KeyLimits(stores[0], clock=now)
    await limits.check(key("a", rate="1/m"))
    await limits.check(key("b", rate="1/m"))

    with pytest.raises(RateExceeded) as caught:
        await KeyLimits(stores[1]).check(key("a", rate="1/m"))
    assert caught.value.retry_after == pytest.approx(60, abs=0.01)
    assert caught.value.status == 429

    now.seconds += 60.01
    await limits.check(key("a", rate="1/m"))


@pytest.mark.parametrize(
    ("rate", "interval", "burst"),
    [
        ("10/s", 0.1, 5),
        ("1000/h", 3.6, 100),
        ("0.5/s", 2, 1),
        ("3/s", 1 / 3, 2),
        ("5/m", 12, 2),
    ],
)
def test_a_rate_leaves_room_for_a_burst(rate, interval, burst):
    """A client that sends a few requests at once is not refused."""
    assert bucket_of(rate) == (pytest.approx(interval), burst)


async def test_searches_of_a_day_are_counted_by_all_workers(workers):
    """The eleventh is refused, wherever it comes in; what was refused does not count."""
    stores, _ = workers
    limits, own = [KeyLimits(store) for store in stores], key(searches_per_day=10)

    for n in range(10):
        await limits[n % 4].check(own)
    for worker in limits:
        with pytest.raises(QuotaExceeded) as caught:
            await worker.check(own)
    assert caught.value.kind == "searches"
    assert 0 < caught.value.retry_after <= 86_400
    await limits[0].check(own, searches=0)  # such as asking for the usage
    await limits[0].check(key("other", searches_per_day=10))


async def test_money_of_a_month_is_spent_by_the_search(workers):
    """The search itself spends it; then nothing more is let in."""
    stores, _ = workers
    limits, own = [KeyLimits(store) for store in stores], key(money_per_month=0.02)

    for worker in limits[:2]:
        await worker.check(own)
        budget = worker.money(own)
        assert budget is not None
        await budget.spend(money=0.01)
    for worker in limits:
        with pytest.raises(QuotaExceeded) as caught:
            await worker.check(own)
    assert caught.value.kind == "money"
    assert 0 < caught.value.retry_after <= 31 * 86_400
    assert limits[0].money(key()) is None


async def test_a_key_without_bounds_is_never_refused():
    """Nor is anything counted for it."""
    store = MemoryStore()
    for _ in range(100):
        await KeyLimits(store).check(key())
    assert await store.size("") == (0, 0)


@pytest.mark.parametrize(
    ("period", "seconds"), [("hour", 1800), ("day", 1800), ("month", 1800 + 86_400)]
)
def test_a_quota_says_when_it_is_renewed(period, seconds):
    """In UTC, as the counters are; the year may end in between."""
    assert seconds_left(period, datetime(2026, 12, 30, 23, 30, tzinfo=UTC)) == seconds


def simulate(main: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    """Run a coroutine in simulated time: whenever all wait, the clock jumps to the next timer."""
    loop: Any = asyncio.new_event_loop()
    now, select = 0.0, loop._selector.select

    def jump(timeout: float | None = None) -> Any:
        nonlocal now
        assert timeout is not None, "all tasks wait for ever"
        now += max(0.0, timeout)
        return select(0)

    loop._selector.select, loop.time = jump, lambda: now
    try:
        return loop.run_until_complete(main())
    finally:
        loop.close()


class Load:
    """Requests of several keys that take about 0.1 s each, and what became of them."""

    def __init__(self, admission: Admission) -> None:
        self.admission = admission
        self.chance = random.Random(3)
        self.seconds: dict[str, list[float]] = {}
        self.refused: dict[str, list[float]] = {}

    async def ask(self, key: str) -> None:
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            async with self.admission.slot(key):
                await asyncio.sleep(self.chance.uniform(0.05, 0.15))
        except Overloaded as error:
            self.refused.setdefault(key, []).append(error.retry_after)
        else:
            self.seconds.setdefault(key, []).append(loop.time() - began)

    async def send(self, key: str, per_second: float, seconds: float) -> None:
        async with asyncio.TaskGroup() as group:
            for _ in range(int(per_second * seconds)):
                group.create_task(self.ask(key))
                await asyncio.sleep(self.chance.uniform(0, 2 / per_second))


@pytest.mark.usefixtures("volume")
def test_one_flooding_key_does_not_starve_the_others():
    """It sends five times what the server can take; four others send a little."""
    load = Load(Admission(limit=32, queue=64))  # about 320 requests a second

    async def main() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(load.send("flood", 1600, 20))
            for n in range(4):
                group.create_task(load.send(f"calm{n}", 5, 20))

    simulate(main)

    calm = sorted(s for k, times in load.seconds.items() if k != "flood" for s in times)
    assert len(calm) == 400  # none of them was refused
    assert calm[int(len(calm) * 0.99)] <= 1.5 * 0.15  # without the flood: up to 0.15
    assert len(load.seconds["flood"]) + 400 >= 0.8 * 320 * 20  # goodput
    assert len(load.refused["flood"]) > 20_000
    assert 1 <= min(load.refused["flood"]) <= max(load.refused["flood"]) <= 60
    assert (load.admission.running, load.admission.waiting) == (0, 0)


def test_a_full_queue_and_a_long_wait_are_refused():
    """Two run, two wait, one is refused at once, and after the wait the two as well."""
    admission = Admission(limit=2, queue=2, max_wait=1.0)
    refused: list[float] = []

    async def hold() -> None:
        loop = asyncio.get_running_loop()
        try:
            async with admission.slot("k"):
                await asyncio.sleep(30)
        except Overloaded:
            refused.append(loop.time())

    async def main() -> None:
        await asyncio.gather(*(hold() for _ in range(5)))

    simulate(main)

    assert refused == [0.0, 1.0, 1.0]
    assert (admission.running, admission.waiting) == (0, 0)


@pytest.mark.parametrize(
    ("seconds", "requests", "retry_after"),
    [(0.1, 1, 1.0), (8.1, 1, 2.0), (8.1, 2, 3.52), (1000, 30, 60.0)],
)
def test_the_refused_are_told_when_the_queue_should_be_done(seconds, requests, retry_after):
    """By how long requests took lately: the newest counts for a twentieth, after 0.1 s."""
    admission = Admission(limit=1, queue=3)

    async def hold(seconds: float) -> None:
        async with admission.slot("k"):
            await asyncio.sleep(seconds)

    async def main() -> None:
        for _ in range(requests):
            await hold(seconds)
        waiting = [asyncio.create_task(hold(0)) for _ in range(4)]
        await asyncio.sleep(0)
        with pytest.raises(Overloaded) as refused:
            await hold(0)
        await asyncio.gather(*waiting)
        told.append(refused.value.retry_after)

    told: list[float] = []
    simulate(main)

    assert told == [pytest.approx(retry_after)]


@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.booleans()), max_size=12),
    st.lists(st.tuples(st.integers(0, 11), st.sampled_from([None, 0, 0.3])), max_size=12),
)
@example([("a", False)] * 3, [(0, 0.3), (1, 0)])  # the second leaves just as it is given the slot
@example([("a", False)] * 3, [(0, 0.3), (1, None)])  # … and at the same moment as the first
@example([("a", False), ("b", False), ("a", False)], [(1, 0.3)])
@example([("a", True)] * 3, [])
def test_whoever_leaves_or_fails_keeps_no_slot(requests, leaving):
    """While waiting, while running, or just as a slot is given: or a server would come to a stop."""
    admission, ended = Admission(limit=1, queue=20, max_wait=1000.0), set[int]()

    async def ask(n: int, key: str, fails: bool) -> None:
        async with admission.slot(key):
            await asyncio.sleep(1)
            ended.add(n)
            if fails:
                raise KensakuError("x")

    async def main() -> None:
        asking = [asyncio.create_task(ask(n, *of)) for n, of in enumerate(requests)]
        left = set()
        for n, later in leaving:
            if later is not None:
                await asyncio.sleep(later)
            if n < len(asking) and asking[n].cancel():
                left.add(n)
        await asyncio.gather(*asking, return_exceptions=True)
        assert {*range(len(requests))} - left <= ended

    simulate(main)
    assert (admission.running, admission.waiting) == (0, 0)


def test_keys_take_turns():
    """The second key does not wait for the whole queue of the first."""
    admission, order = Admission(limit=1), []

    async def ask(key: str) -> None:
        async with admission.slot(key):
            order.append(key)
            await asyncio.sleep(0.01)

    async def main() -> None:
        await asyncio.gather(*(ask(key) for key in ["a", "a", "a", "a", "b", "b"]))

    simulate(main)
    assert order == ["a", "a", "b", "a", "b", "a"]


@pytest.mark.parametrize(
    ("waiting", "new", "left"),
    [
        (["a", "a"], "b", ["a", "b"]),  # the newest of the key that waits most often goes
        (["a", "a", "a", "b"], "b", ["a", "a", "b", "b"]),
        (["a", "a", "b"], "b", None),  # it would wait as often as the other
        (["a", "b"], "c", None),
        (["a", "b"], "a", None),
        (["b", "a", "a"], "a", None),
    ],
)
def test_a_full_queue_makes_room_for_who_waits_less(waiting, new, left):
    """By one request at least: else the queue would only be stirred."""
    admission = Admission(limit=1, queue=len(waiting), max_wait=100.0)
    refused: list[str] = []
    served: list[str] = []

    async def hold(key: str) -> None:
        try:
            async with admission.slot(key):
                served.append(key)
                await asyncio.sleep(1)
        except Overloaded:
            refused.append(key)

    async def main() -> None:
        running = asyncio.create_task(hold("x"))
        await asyncio.sleep(0)
        tasks = []
        for key in [*waiting, new]:
            tasks.append(asyncio.create_task(hold(key)))
            await asyncio.sleep(0)
        await asyncio.gather(running, *tasks)

    simulate(main)

    assert sorted(served) == sorted(["x", *(left or waiting)])
    assert refused == ([new] if left is None else ["a"])

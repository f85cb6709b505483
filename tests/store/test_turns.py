"""Turns of a rate: the same in every store, on a machine of any age.

The clock begins anywhere between 0, a machine that was started this moment, and 10⁹ seconds.
"""

from __future__ import annotations

from itertools import count

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from kensaku.store import MemoryStore, SqliteStore, ValkeyStore
from kensaku.text.rate import parse_rate
from tests.store.conftest import Clock

HOUR = 3600.0
_names = count()

started = st.integers(0, 10**15).map(lambda micro: micro / 1e6) | st.sampled_from(
    [0.0, 1.5, 3599.0]
)
intervals = st.builds("{}/{}".format, st.integers(1, 100_000), st.sampled_from("smhd")).map(
    lambda rate: parse_rate(rate)[0]
)
any_store = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture(params=["memory", "sqlite", "valkey"])
async def store(request, clock, tmp_path):
    """Each store, by that clock."""
    if request.param == "memory":
        made = MemoryStore(clock=clock)
    elif request.param == "sqlite":
        made = SqliteStore(tmp_path / "state.sqlite", clock=clock)
    else:
        made = ValkeyStore(request.getfixturevalue("valkey"), clock=clock)
    yield made
    await made.close()


@any_store
@given(started=started, interval=intervals, burst=st.integers(1, 25))
@example(started=2.5, interval=parse_rate("1000/d")[0], burst=100)
async def test_an_idle_queue_gives_its_whole_burst_at_once(store, clock, started, interval, burst):
    """A key with the rate `1/h` may send its first request, however young the machine is."""
    clock.now, name = started, f"t{next(_names)}"

    waits = [await store.turn(name, interval, burst, 0.0) for _ in range(burst)]
    refused = await store.turn(name, interval, burst, 0.0)

    assert waits == [0.0] * burst
    assert -interval - 1e-6 <= refused < 0


@any_store
@given(started=started, interval=intervals, turns=st.integers(1, 12))
@example(started=538205116.333643, interval=parse_rate("17/s")[0], turns=9)
async def test_who_waits_as_long_as_told_gets_a_turn(store, clock, started, interval, turns):
    """No rounding sends a caller away a second time."""
    clock.now, name = started, f"t{next(_names)}"

    for _ in range(turns):
        assert await store.turn(name, interval, 1, 0.0) == 0
        told = await store.turn(name, interval, 1, 0.0)
        clock.now += -told

    assert await store.turn(name, interval, 1, 0.0) == 0


steps = st.lists(
    st.tuples(
        st.sampled_from(["turn", "turn", "turn", "give back", "wait"]),
        st.floats(0, 3 * HOUR) | st.sampled_from([0.0, 0.1, 1.0, HOUR]),
    ),
    max_size=20,
)


@any_store
@given(started=started, interval=intervals, burst=st.integers(1, 5), steps=steps)
async def test_every_store_counts_alike(store, clock, started, interval, burst, steps):
    """One machine, all processes of a machine, or many machines: a rate means the same."""
    clock.now, name = started, f"t{next(_names)}"
    model = MemoryStore(clock=clock)

    for step, seconds in steps:
        if step == "turn":
            found = await store.turn(name, interval, burst, seconds)
            assert found == await model.turn(name, interval, burst, seconds)
        elif step == "give back":
            await store.give_back(name, interval)
            await model.give_back(name, interval)
        else:
            clock.now += seconds


@settings(max_examples=60, deadline=None)
@given(started=started, n=st.integers(1, 200), period=st.sampled_from("smhd"))
async def test_no_window_ever_holds_more_than_the_rate(started, n, period):
    """Greedy callers, from an idle start: what a provider counts in any window of its rate."""
    clock, seconds = Clock(), {"s": 1, "m": 60, "h": 3600, "d": 86_400}[period]
    clock.now = started
    store, sent = MemoryStore(clock=clock), []
    interval, burst = parse_rate(f"{n}/{period}")

    for _ in range(3 * n):
        clock.now += await store.turn("t", interval, burst, 1e9)
        sent.append(round(clock.now * 1_000_000))

    # The request after the n-th comes no sooner than a whole period after the first.
    assert all(
        late - early >= seconds * 1_000_000 for early, late in zip(sent, sent[n:], strict=False)
    )

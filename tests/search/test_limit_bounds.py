"""The circuit breaker and the cooldowns at their edges."""

from __future__ import annotations

from math import inf

import pytest

from kensaku.config.secret import Secret
from kensaku.errors import Outage
from kensaku.providers import provider_class
from kensaku.search.circuit_breaker import CircuitBreaker
from kensaku.search.limits import LONGEST_COOLDOWN, Limiter
from kensaku.store import MemoryStore


@pytest.mark.parametrize(
    ("good", "bad", "opens"),
    [
        (0, 9, False),  # too few to say anything
        (0, 10, True),
        (6, 9, False),
        (7, 10, False),  # 59 %
        (8, 12, True),  # 60 %: exactly the share
        (9, 12, False),
    ],
)
def test_a_circuit_opens_at_ten_failures_that_are_three_in_five(good, bad, opens):
    """Of the last fifty calls, within a minute."""
    breaker = CircuitBreaker()

    changed = [breaker.record(failed) for failed in [False] * good + [True] * bad]

    assert (breaker.until > 0) is opens
    assert changed.count(True) == opens


@pytest.mark.parametrize(
    ("why", "seconds", "waits"),
    [("RateLimited", 20, True), ("KeyRefused", 20, False), ("QuotaExhausted", 20, False)],
)
async def test_only_a_rate_is_waited_for(why, seconds, waits, make_client):
    """A refused key does not get better by waiting for it."""
    limiter = make_client("tavily")._resources.limiter("tavily")
    permit = await limiter.acquire(float("inf"))
    assert limiter.wait() == 0

    await limiter.cool_down(permit, seconds, why)

    assert (limiter.wait() is not None) is waits
    assert not waits or limiter.wait() == pytest.approx(seconds, abs=5)


def test_the_local_index_is_a_family_of_its_own():
    """What it finds is never taken for the web's."""
    assert provider_class("local").family == "local"
    assert not provider_class("local").is_web


class Recording(MemoryStore):
    """A store that writes down for how long something is put."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[str, float] = {}

    async def put(self, key, value, ttl):
        self.kept[key] = ttl
        await super().put(key, value, ttl)


@pytest.fixture
def store():
    return Recording()


@pytest.fixture
def limiter(store):
    return Limiter(
        "brave", store, keys=[Secret("k-1"), Secret("k-2")], key_variable="BRAVE_API_KEY"
    )


async def test_an_open_circuit_is_told_to_other_processes_for_an_hour(limiter, store):
    """By then one of them has probed it."""
    for _ in range(10):
        await limiter.record(await limiter.acquire(inf), Outage("brave", "down"), 0.1)

    assert store.kept == {"open:brave": 3_600}
    other = Limiter("brave", store, keys=[Secret("k-1")], key_variable="BRAVE_API_KEY")
    await other.sync()
    assert other.breaker.until > 0
    assert other.wait() is None
    assert other.state() == "circuit open"


@pytest.mark.parametrize(("seconds", "kept"), [(20, 20), (10**9, LONGEST_COOLDOWN)])
async def test_a_cooldown_is_told_to_other_processes_while_it_lasts(limiter, store, seconds, kept):
    """However long an upstream asks for."""
    await limiter.cool_down(await limiter.acquire(inf), seconds, "KeyRefused")

    assert list(store.kept.values()) == [kept]
    assert limiter.has_other_key(1)
    assert not limiter.has_other_key(2)


async def test_a_key_cools_down_longer_with_every_refusal_in_a_row(store):
    """Four may be slips of the upstream; then three times as long each time, up to a bound."""
    limiter = Limiter("brave", store, keys=[Secret("k-1")], key_variable="BRAVE_API_KEY")
    await limiter.record(await limiter.acquire(inf), None, 0.1)  # it has worked

    seconds = [limiter.cooldown_after_refusal(await limiter.acquire(inf), 200) for _ in range(8)]

    assert seconds == [0, 0, 0, 0, 10, 30, 90, 200]


async def test_a_key_that_never_worked_cools_down_at_once(limiter):
    """It is misspelt, or it has expired."""
    assert limiter.cooldown_after_refusal(await limiter.acquire(inf), 300) == 300


async def test_refusals_at_the_same_time_count_once(store):
    """They come back sooner than results do."""
    limiter = Limiter("brave", store, keys=[Secret("k-1")], key_variable="BRAVE_API_KEY")
    await limiter.record(await limiter.acquire(inf), None, 0.1)
    permits = [await limiter.acquire(inf) for _ in range(9)]

    assert {limiter.cooldown_after_refusal(permit, 300) for permit in permits} == {0.0}


def test_the_latency_that_is_usual_needs_ten_samples(limiter):
    """Before that a guess is better."""
    limiter.latencies.extend(n / 10 for n in range(9))
    assert limiter.p95_latency(7.0) == 7.0

    limiter.latencies.append(0.9)
    assert limiter.p95_latency(7.0) == 0.9
    limiter.latencies.extend([0.1] * 90)
    assert limiter.p95_latency(7.0) == 0.5

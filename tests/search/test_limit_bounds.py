"""The circuit breaker and the cooldowns at their edges."""

from __future__ import annotations

import pytest

from kensaku.providers import provider_class
from kensaku.search.circuit_breaker import CircuitBreaker


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

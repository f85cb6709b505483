"""The circuit breaker: its window of calls and of time, its pauses."""

from __future__ import annotations

import pytest

from kensaku.search import circuit_breaker
from kensaku.search.circuit_breaker import CircuitBreaker


@pytest.fixture
def now(monkeypatch):
    """A clock that a test puts forward: `now[0] += 60`."""
    at = [1_000.0]
    monkeypatch.setattr(circuit_breaker.time, "monotonic", lambda: at[0])
    return at


def _failing(breaker: CircuitBreaker, times: int) -> list[bool]:
    return [breaker.record(True) for _ in range(times)]


def test_it_opens_for_five_seconds_at_the_tenth_failure(now):
    """And says that its state has changed, once."""
    breaker = CircuitBreaker()

    assert _failing(breaker, 9) == [False] * 9
    assert breaker.until is None
    assert _failing(breaker, 2) == [True, False]
    assert breaker.until == 1_005


@pytest.mark.parametrize(("seconds", "opens"), [(59.9, True), (60, False)])
def test_failures_count_for_a_minute(now, seconds, opens):
    """What was a minute ago says nothing of now."""
    breaker = CircuitBreaker()
    _failing(breaker, 9)
    now[0] += seconds

    assert breaker.record(True) is opens


def test_the_last_fifty_calls_count(now):
    """However many went well before: thirty of fifty are three in five."""
    breaker = CircuitBreaker()

    assert [breaker.record(False) for _ in range(100)] == [False] * 100
    assert _failing(breaker, 30) == [False] * 29 + [True]


def test_each_probe_that_fails_doubles_the_pause_up_to_a_minute(now):
    """A probe that is answered closes the circuit, and the first pause is short again."""
    breaker = CircuitBreaker()
    _failing(breaker, 10)
    pauses = []
    for _ in range(5):
        now[0] = breaker.until
        assert breaker.record(True, probe=True)
        pauses.append(breaker.until - now[0])

    assert pauses == [10, 20, 40, 60, 60]
    assert breaker.record(False) is False  # it was on its way already
    assert breaker.until
    assert breaker.record(False, probe=True)
    assert breaker.until is None
    assert _failing(breaker, 10) == [False] * 9 + [True]
    assert breaker.until - now[0] == 5

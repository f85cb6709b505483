"""The circuit breaker: its window of calls and of time, its pauses."""

from __future__ import annotations

import time

import pytest

from kensaku.search.circuit_breaker import CircuitBreaker


def _failing(breaker: CircuitBreaker, times: int) -> list[bool]:
    return [breaker.record(True) for _ in range(times)]


@pytest.mark.parametrize(
    ("good", "bad", "opens"),
    [
        (0, 9, False),  # too few to say anything
        (0, 10, True),
        (7, 10, False),  # 59 %
        (8, 12, True),  # 60 %: exactly the share
        (9, 12, False),
        (100, 29, False),
        (100, 30, True),  # of the last fifty calls, however many went well before
    ],
)
def test_a_circuit_opens_at_ten_failures_that_are_three_in_five(good, bad, opens):
    """And says that its state has changed, once."""
    breaker = CircuitBreaker()

    changed = [breaker.record(failed) for failed in [False] * good + [True] * bad]

    assert (breaker.until is not None) is opens
    assert changed.count(True) == opens


@pytest.mark.parametrize(("seconds", "opens"), [(59.9, True), (60, False)])
def test_failures_count_for_a_minute(later, seconds, opens):
    """What was a minute ago says nothing of now."""
    later.stop()
    breaker = CircuitBreaker()
    _failing(breaker, 9)
    later(seconds)

    assert breaker.record(True) is opens


def test_each_probe_that_fails_doubles_the_pause_up_to_a_minute(later):
    """A probe that is answered closes the circuit, and the first pause is short again."""
    later.stop()
    breaker = CircuitBreaker()
    _failing(breaker, 10)
    pauses = [breaker.until - time.monotonic()]
    for _ in range(5):
        assert breaker.record(True, probe=True)
        pauses.append(breaker.until - time.monotonic())

    assert pauses == pytest.approx([5, 10, 20, 40, 60, 60])
    assert breaker.record(False) is False  # it was on its way already
    assert breaker.until is not None
    assert breaker.record(False, probe=True)
    assert breaker.until is None
    assert _failing(breaker, 10) == [False] * 9 + [True]
    assert breaker.until - time.monotonic() == pytest.approx(5)

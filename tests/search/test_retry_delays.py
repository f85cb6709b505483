"""When a provider is asked again: each bound of the retry rule, one at a time."""

from __future__ import annotations

import asyncio
import random

import pytest

from kensaku import Budget, Query
from kensaku.errors import (
    BadQuery,
    Blocked,
    CalledOff,
    Cooling,
    DoesNotFit,
    KeyRefused,
    NotAsked,
    Outage,
    QuotaExhausted,
    RateLimited,
    Timeout,
    Unreachable,
    Unreadable,
)
from kensaku.models import Attempt, Outcome
from kensaku.search.retry import (
    MAX_REQUESTS,
    RULES,
    Next,
    RetryRule,
    Tries,
    delay_before_retry,
    delay_before_round,
    is_due,
    rule_for,
)
from kensaku.search.route import Route
from kensaku.search.run import Run


class Retries:
    """A retry budget of so many calls, which counts what is taken."""

    def __init__(self, tokens: int) -> None:
        self.tokens, self.taken = tokens, 0

    def left(self) -> bool:
        return self.taken < self.tokens

    def take(self) -> bool:
        granted = self.left()
        self.taken += granted
        return granted


@pytest.fixture
async def run(make_client):
    """A search that has just begun: Tavily, then Brave; 30 seconds, plenty of retries."""
    client = make_client("tavily", "brave", env={"TAVILY_API_KEY": "one-key"})
    client._resources.retries = Retries(100)
    deadline = asyncio.get_running_loop().time() + 30
    return Run(client._resources, Query("otters"), Route(("tavily", "brave")), deadline, Budget())


@pytest.fixture
def chance(monkeypatch):
    """The two ends of what chance may give: `chance(0)` the least, `chance(1)` the most."""

    def fix(share):
        monkeypatch.setattr(random, "uniform", lambda low, high: low + share * (high - low))

    fix(0)
    return fix


def test_the_table():
    """What follows each error, and how long the key cools down."""
    assert [(kind, rule.then, rule.cooldown) for kind, rule in RULES] == [
        (BadQuery, Next.NEXT, 0),
        (KeyRefused, Next.NEXT_KEY, 300),
        (QuotaExhausted, Next.NEXT_KEY, 900),
        (RateLimited, Next.WAIT, 1),
        (Blocked, Next.NEXT, 120),
        (Timeout, Next.NEXT, 0),
        (Outage, Next.RETRY, 0),
        (Unreadable, Next.NEXT, 0),
        (NotAsked, Next.NEXT, 0),
    ]
    assert rule_for(Unreachable("x", "y")) == RetryRule(Next.RETRY)
    with pytest.raises(StopIteration):
        rule_for(CalledOff("x", "y"))  # raised to nobody


# --- the same provider once more


async def test_a_rate_is_waited_for_with_a_little_jitter(run, chance):
    """As long as the upstream said, and a moment longer; without a word from it, a second."""
    chance(0)
    assert delay_before_retry(run, RateLimited("tavily", "no", retry_after=0.5), Tries(1)) == 0.51
    assert delay_before_retry(run, RateLimited("tavily", "no"), Tries(1)) == 1.01
    chance(1)
    assert delay_before_retry(run, RateLimited("tavily", "no", retry_after=0.5), Tries(1)) == 0.55


async def test_one_provider_is_waited_for_three_times(run):
    """Whoever says "in a moment" for ever is left."""
    tries, error = Tries(1), RateLimited("tavily", "no", retry_after=0.01)

    delays = [delay_before_retry(run, error, tries) for _ in range(5)]

    assert [delay is None for delay in delays] == [False, False, False, True, True]
    assert run.resources.retries.taken == 3


async def test_a_wait_ends_before_the_deadline_or_is_not_begun(run, monkeypatch):
    """Exactly at the deadline is too late: nothing could come back."""
    now = asyncio.get_running_loop().time()
    monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: now)
    run.route = Route(("tavily",))
    run.deadline = now + 5

    for seconds, waits in ((4.5, True), (5, False), (6, False)):
        error = RateLimited("tavily", "no", retry_after=seconds)
        assert (delay_before_retry(run, error, Tries(1)) is not None) is waits


async def test_a_wait_is_short_while_another_could_be_asked(run):
    """Two seconds of patience; without an alternative, all the time there is."""
    error = RateLimited("tavily", "no", retry_after=10)

    assert delay_before_retry(run, error, Tries(1)) is None
    run.errors["brave"] = Outage("brave", "down")
    assert delay_before_retry(run, error, Tries(1)) is not None


@pytest.mark.parametrize("error", [RateLimited("tavily", "no"), Outage("tavily", "down")])
async def test_without_a_retry_budget_nothing_is_repeated(error, run):
    """On a bad day for all, nobody doubles the load."""
    run.resources.retries = Retries(0)

    assert delay_before_retry(run, error, Tries(1)) is None


@pytest.mark.parametrize(
    ("error", "delay"),
    [
        (KeyRefused("tavily", "no"), 0.0),
        (QuotaExhausted("tavily", "no"), 0.0),
        (RateLimited("tavily", "no", retry_after=9), 0.0),
        (Blocked("tavily", "no"), None),
        (Timeout("tavily", "no"), None),
        (Unreadable("tavily", "no"), None),
    ],
)
async def test_another_key_is_tried_at_once_when_the_key_was_the_trouble(error, delay, make_client):
    """And costs no retry: it is the first request of that key."""
    client = make_client("tavily", env={"TAVILY_API_KEY": "one-key,two-key"})
    client._resources.retries = Retries(0)
    deadline = asyncio.get_running_loop().time() + 30
    run = Run(client._resources, Query("otters"), Route(("tavily",)), deadline, Budget())

    assert delay_before_retry(run, error, Tries(1)) == delay
    assert delay_before_retry(run, error, Tries(2)) is None


async def test_an_outage_is_retried_once_after_a_random_pause(run, chance):
    """10 to 200 ms, and never longer than there is time."""
    error = Outage("tavily", "down")

    assert delay_before_retry(run, error, Tries(1)) == 0.01
    chance(1)
    assert delay_before_retry(run, error, Tries(1)) == 0.2
    assert delay_before_retry(run, error, Tries(2)) is None
    assert run.resources.retries.taken == 2
    run.deadline = asyncio.get_running_loop().time() - 1
    assert delay_before_retry(run, error, Tries(1)) == 0.0


async def test_what_cannot_pass_is_not_retried(run):
    """A name that does not exist does not exist a moment later."""
    error = Outage("tavily", "no such host", transient=False)

    assert delay_before_retry(run, error, Tries(1)) is None
    assert run.resources.retries.taken == 0


# --- the whole route once more


def fail(run, **errors):
    run.errors = errors


async def test_a_route_is_tried_again_when_the_soonest_may_have_recovered(run, chance):
    """One that is passing is enough; the others need not be."""
    fail(run, tavily=Outage("tavily", "down"), brave=BadQuery("brave", "no"))

    assert delay_before_round(run) == 0.01
    assert is_due(run, "tavily")
    assert not is_due(run, "brave")


async def test_a_route_that_cannot_recover_is_not_tried_again(run):
    """Nor one whose time is over, or that has sent enough."""
    fail(run, tavily=BadQuery("tavily", "no"), brave=BadQuery("brave", "no"))
    assert delay_before_round(run) is None

    fail(run, tavily=Outage("tavily", "down"))
    sent = Attempt("brave", Outcome.UNAVAILABLE, Outage("brave", "down"))
    run.attempts = [sent] * (MAX_REQUESTS - 1)
    assert delay_before_round(run) is not None
    run.attempts = [sent] * MAX_REQUESTS
    assert delay_before_round(run) is None
    assert MAX_REQUESTS == 8

    run.attempts = []
    run.deadline = asyncio.get_running_loop().time() - 1
    assert delay_before_round(run) is None


async def test_one_provider_is_asked_four_times_in_one_search(run):
    """Then it is left alone, though it may recover; others are not counted."""
    fail(run, tavily=Outage("tavily", "down"), brave=BadQuery("brave", "no"))
    sent = Attempt("tavily", Outcome.UNAVAILABLE, Outage("tavily", "down"))

    run.attempts = [sent] * 3
    assert is_due(run, "tavily")
    run.attempts = [sent] * 4
    assert not is_due(run, "tavily")
    assert delay_before_round(run) is None


async def test_a_cooldown_of_a_rate_is_waited_for_and_added_to_the_pause(run, chance):
    """The limiter knows how long: until then the provider is not due."""
    limiter = run.resources.limiter("tavily")
    limiter.wait = lambda: 3.0
    fail(run, tavily=RateLimited("tavily", "no"), brave=BadQuery("brave", "no"))

    assert delay_before_round(run) == 3.01
    assert not is_due(run, "tavily")

    limiter.wait = lambda: 31.0  # longer than the search may take
    assert delay_before_round(run) is None
    limiter.wait = lambda: None  # a long cooldown, or an open circuit
    assert delay_before_round(run) is None


async def test_a_wait_of_all_the_time_there_is_is_too_long(run, monkeypatch):
    """There would be none left to ask in."""
    now = asyncio.get_running_loop().time()
    monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: now)
    run.deadline = now + 5
    run.resources.limiter("tavily").wait = lambda: 5.0
    fail(run, tavily=RateLimited("tavily", "no"), brave=BadQuery("brave", "no"))

    assert delay_before_round(run) is None


async def test_one_that_was_not_asked_costs_no_retry(run):
    """It is its first request; one that failed takes a token."""
    run.resources.retries = Retries(0)
    fail(run, tavily=Cooling("tavily", "no", cause="RateLimited"), brave=Outage("brave", "down"))

    assert is_due(run, "tavily")
    assert not is_due(run, "brave")
    assert delay_before_round(run) is not None

    run.resources.retries = Retries(1)
    assert is_due(run, "brave")
    assert run.resources.retries.taken == 1
    assert not is_due(run, "brave")


async def test_one_that_has_not_failed_is_due(run):
    """And takes nothing from the budget."""
    assert is_due(run, "tavily")
    assert run.resources.retries.taken == 0
    assert delay_before_round(run) is None


async def test_one_that_was_passed_over_for_a_long_query_is_due(run):
    """The others failed: now the query is cut for it."""
    run.resources.limiter("tavily").wait = lambda: None  # not even looked at
    fail(run, tavily=DoesNotFit("tavily", "too long"), brave=BadQuery("brave", "no"))

    assert is_due(run, "tavily")
    assert delay_before_round(run) is not None

"""The circuit breaker and the cooldowns at their edges."""

from __future__ import annotations

from math import inf

import pytest

from kensaku.config.secret import Secret
from kensaku.errors import (
    CircuitOpen,
    ConfigError,
    Cooling,
    KeyRefused,
    NotConfigured,
    NotConnected,
    Outage,
    Timeout,
    Unreadable,
)
from kensaku.providers import provider_class
from kensaku.search import limits
from kensaku.search.circuit_breaker import CircuitBreaker
from kensaku.search.limits import LONGEST_COOLDOWN, Limiter, parse_rate, read_rate
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


@pytest.fixture
def now(monkeypatch):
    """A monotonic clock and a wall clock that a test puts forward: `now[0] += 60`."""
    at = [1_000.0]
    monkeypatch.setattr(limits.time, "monotonic", lambda: at[0])
    monkeypatch.setattr(limits.time, "time", lambda: at[0] + 5_000)
    return at


@pytest.mark.parametrize(
    ("why", "state", "reason", "remedy"),
    [
        ("KeyRefused", "its key was refused, 30 s", "its key was refused", "check BRAVE_API_KEY"),
        ("QuotaExhausted", "its quota is used up, 30 s",
         "its quota is used up; not asked for 30 s", ""),
        ("RateLimited", "it asked us to slow down, 30 s",
         "it asked us to slow down; not asked for 30 s", ""),
        ("Blocked", "it took us for a robot, 30 s",
         "it took us for a robot; not asked for 30 s", ""),
        ("Other", "waiting, 30 s", "it asked us to wait; not asked for 30 s", ""),
    ],
)  # fmt: skip
async def test_why_a_provider_waits_is_said(store, now, why, state, reason, remedy):
    """To people, and to whoever asks; waiting does not mend a key."""
    limiter = Limiter("brave", store, keys=[Secret("k-1")], key_variable="BRAVE_API_KEY")
    await limiter.cool_down(await limiter.acquire(inf), 30, why)

    with pytest.raises(Cooling) as refused:
        await limiter.acquire(inf)

    error = refused.value
    assert limiter.state() == state
    assert (error.message, error.remedy, error.cause) == (reason, remedy, why)
    assert error.retry_after == (None if why == "KeyRefused" else 30)
    now[0] += 30
    assert limiter.state() == "ready"
    assert (await limiter.acquire(inf)).number == 1


async def test_an_open_circuit_is_probed_when_its_pause_is_over(store, now):
    """By one process; the others wait for what it finds."""
    limiter = Limiter("brave", store, keyless=True)
    limiter.breaker.until = now[0] + 7

    with pytest.raises(CircuitOpen) as refused:
        await limiter.acquire(inf)
    assert str(refused.value) == (
        "brave: it failed too often just now; it is tried again by itself"
    )
    assert refused.value.retry_after == 7
    assert (limiter.state(), limiter.wait()) == ("circuit open", None)
    now[0] += 7
    assert (limiter.state(), limiter.wait()) == ("to be probed", 0)
    assert (await limiter.acquire(inf)).probe
    with pytest.raises(CircuitOpen) as late:
        await limiter.acquire(inf)
    assert late.value.retry_after == 0


async def test_a_request_that_went_well_ends_the_cooldown_of_its_key(limiter, store, now):
    """It was under way when the key was refused; a wait that was asked for stays."""
    one = await limiter.acquire(inf)
    await limiter.cool_down(one, 60, "KeyRefused")
    await limiter.record(one, None, 0.1)
    assert limiter.state() == "ready"
    other = Limiter("brave", store, keys=[Secret("k-1")], key_variable="BRAVE_API_KEY")
    await other.sync()
    assert other.state() == "ready"

    await limiter.cool_down(one, 60, "RateLimited")
    await limiter.record(one, None, 0.1)
    assert limiter._cooldowns[limiter._id_of(one)] == (now[0] + 60, "RateLimited")


@pytest.mark.parametrize(
    ("error", "elapsed", "counted"),
    [
        (Outage("brave", "down"), 0.1, True),
        (Unreadable("brave", "html"), 0.1, True),
        (KeyRefused("brave", "no"), 0.1, False),
        (Timeout("brave", "slow"), 0.9, False),  # faster than it usually is: nobody's fault
        (Timeout("brave", "slow"), 1.0, True),
        (Timeout("brave", "slow", status=504), 0.1, True),
        (NotConnected("brave", "refused"), 0.1, True),
        (NotConnected("brave", "no name", transient=False), 0.1, False),
        (None, 0.1, True),
    ],
)
async def test_what_counts_against_a_provider(limiter, error, elapsed, counted):
    """Outages and unreadable replies; not a key, nor a deadline that nobody could have met."""
    await limiter.record(await limiter.acquire(inf), error, elapsed)

    assert [failed for _, failed in limiter.breaker._calls] == ([error is not None] * counted)
    assert list(limiter.latencies) == ([0.1] if error is None else [])


@pytest.mark.parametrize(
    ("text", "read", "parsed"),
    [
        ("1/s", (1, 1), (1.0, 1)),
        ("20/m", (20, 60), (60 / 19, 2)),
        ("19/ h ", (19, 3_600), (3_600 / 19, 1)),
        ("1/d", (1, 86_400), (86_400, 1)),
        ("0.1/min", (0.1, 60), (600, 1)),
        ("999999999/s", (999_999_999, 1), None),
    ],
)
def test_a_rate_is_a_count_and_a_period(text, read, parsed):
    """A tenth of it may come at once."""
    assert read_rate(text) == read
    assert parsed is None or parse_rate(text) == (pytest.approx(parsed[0]), parsed[1])


def test_a_rate_of_a_billion_is_none():
    """The sentence shows what was written, and how to write it."""
    for text in ("1000000000/s", "x" * 30):
        with pytest.raises(ConfigError) as refused:
            read_rate(text)
        assert str(refused.value) == f"the rate {text[:20]!r} cannot be read; write 1/s, 100/m, …"


async def test_keys_take_turns_and_are_numbered_from_one(limiter):
    """Without a key there is no number."""
    assert [(p.key, p.number) for p in [await limiter.acquire(inf) for _ in range(3)]] == [
        ("k-1", 1), ("k-2", 2), ("k-1", 1),
    ]  # fmt: skip
    plain = Limiter("wikipedia", MemoryStore())
    permit = await plain.acquire(inf)
    assert (permit.key, permit.number, permit.probe) == ("", None, False)
    assert not plain.limited
    assert Limiter("x", MemoryStore(), rate="1/s").limited
    with pytest.raises(NotConfigured, match="it has no key; set X_KEY"):
        await Limiter("x", MemoryStore(), key_variable="X_KEY").acquire(inf)
    assert "k-1" not in repr(await limiter.acquire(inf))


async def test_no_turn_before_the_deadline_is_said():
    """With what to do."""
    limiter = Limiter("brave", MemoryStore(), rate="1/h")
    await limiter.acquire(0.0)

    with pytest.raises(Cooling) as refused:
        await limiter.acquire(0.0)

    assert str(refused.value) == (
        "brave: our own limit for it leaves no turn before the deadline; "
        "raise its rate, add a key, or allow more time"
    )
    await limiter.record(limits.Permit("", None), NotConnected("brave", "refused"), 0.1)
    assert (await limiter.acquire(0.0)).number is None  # the turn was given back

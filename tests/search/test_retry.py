"""The retry rule: every error has its row, and what cannot pass is not tried again."""

from __future__ import annotations

import asyncio
import inspect
import statistics

import pytest

from kensaku import Outcome, errors
from kensaku.dialects import write
from kensaku.errors import (
    BadQuery,
    Blocked,
    CircuitOpen,
    Cooling,
    KeyRefused,
    Outage,
    ProviderError,
    QuotaExhausted,
    RateLimited,
    Unreachable,
    Unreadable,
)
from kensaku.search.listen import Said, listening
from kensaku.search.retry import RULES, Next, rule_for
from kensaku.testing import faults
from tests.recorder import Recorder
from tests.search.support import noticed, turns, with_key


def test_every_error_of_a_provider_has_a_row():
    """A new error without a rule would be a crash in somebody's search."""
    kinds = [
        kind
        for _, kind in inspect.getmembers(errors, inspect.isclass)
        if issubclass(kind, ProviderError)
        and kind not in (ProviderError, errors.CalledOff)  # raised to nobody
    ]

    assert len(kinds) >= 13
    for kind in kinds:
        assert isinstance(rule_for(kind("x", "y")).then, Next)


def test_no_row_of_the_table_hides_another():
    """The first row that fits holds: a general error must not stand before a special one."""
    rows = [kind for kind, _ in RULES]

    for n, kind in enumerate(rows):
        assert not any(issubclass(kind, earlier) for earlier in rows[:n]), kind


@pytest.mark.parametrize(
    ("fault", "requests"),
    [(faults.reset(), 4), (faults.status(503), 4), (faults.bad_json(), 4), (faults.status(422), 1)],
)
async def test_only_what_may_pass_is_tried_again(fault, requests, make_client, upstream):
    """A query that is refused is sent once; no host is asked eight times."""
    upstream.fails("brave", fault)

    found = await make_client("brave").search("otters", timeout=30)

    assert found.outcome is Outcome.UNAVAILABLE
    assert len(found.attempts) == len(upstream.requests) == requests


async def test_pauses_before_a_retry_differ(make_client, upstream, clock):
    """Those who failed together do not return together: variation of at least 0.3."""
    recorder = Recorder()
    client = make_client("tavily", retry_budget=1.0, observers=[recorder])
    clock.stop()
    for n in range(45):
        upstream.fails("tavily", faults.status(503), times=1)
        task = asyncio.create_task(client.search(f"otters {n}"))
        while not task.done():
            clock.advance(0.01)
            await turns(5)

    pauses = [o.delay for o in recorder.of("retry")]
    assert len(pauses) == 45
    assert all(0 < pause < 0.25 for pause in pauses)
    assert statistics.stdev(pauses) / statistics.mean(pauses) >= 0.3


async def test_a_pause_ends_at_the_deadline(make_client, upstream, clock):
    """A search does not come back later because its provider failed late."""
    upstream.fails("tavily", faults.status(503), times=1)
    recorder = Recorder()
    client = make_client("tavily", observers=[recorder])
    clock.stop()
    with listening((heard := []).append):
        task = asyncio.create_task(client.search("otters", timeout=30))
    await noticed(lambda: upstream.requests)
    clock.advance(29.995)
    await noticed(lambda: [e for e in heard if isinstance(e, Said)])
    while not task.done():
        clock.advance(0.001)
        await turns(20)

    assert [type(a.error) for a in task.result().attempts] == [Outage]
    [pause] = recorder.of("retry")
    assert pause.delay < 0.006


@pytest.mark.parametrize(("seconds", "waits"), [(20, True), (30, False), (31, False)])
async def test_a_wait_ends_before_the_deadline_or_is_not_begun(
    seconds, waits, make_client, upstream, later
):
    """Nobody else can be asked; at the deadline nothing could come back."""
    limited = faults.status(429, headers={"Retry-After": str(seconds)})
    upstream.fails("tavily", limited, times=1)
    later.stop()
    with listening((heard := []).append):
        task = asyncio.create_task(make_client("tavily").search("otters", timeout=30))
    await noticed(lambda: [e for e in heard if isinstance(e, Said)])
    await turns(100)
    assert task.done() is not waits
    while not task.done():
        later(1)
        await turns(20)

    assert len(upstream.requests) == (2 if waits else 1)
    assert task.result().outcome is (Outcome.FOUND if waits else Outcome.UNAVAILABLE)


# --- what each error means for the next try: the rows of THE table


@pytest.mark.parametrize("status", [400, 422])
@pytest.mark.parametrize("mode", ["first", "hedge", "all"])
async def test_what_one_upstream_does_not_take_is_asked_of_the_next(
    mode, status, make_client, upstream
):
    """Mostly a 4xx is about a parameter of ours for that upstream alone."""
    upstream.fails("tavily", faults.status(status, {"detail": {"error": "bad dates"}}))

    found = await make_client("tavily", "brave", mode=mode).search("otters")

    assert found.outcome is Outcome.FOUND
    errors_by_name = {a.provider: a.error for a in found.attempts}
    assert isinstance(errors_by_name["tavily"], BadQuery)
    assert "bad dates" in str(errors_by_name["tavily"])
    assert errors_by_name["brave"] is None
    assert len(upstream.requests) == 2


async def test_what_nobody_takes_is_asked_of_each_once(make_client, upstream):
    """A refusal of the query is no outage: nobody is asked again."""
    upstream.fails("*", faults.status(422, {"error": "too odd"}))

    found = await make_client("tavily", "brave", "exa").search("otters")

    assert found.outcome is Outcome.UNAVAILABLE
    assert [a.provider for a in found.attempts] == ["tavily", "brave", "exa"]


@pytest.mark.parametrize(
    ("status", "error"), [(401, KeyRefused), (402, QuotaExhausted), (432, QuotaExhausted)]
)
async def test_a_refused_key_gives_way_to_the_next_key(status, error, make_client, upstream):
    """Several keys of one provider stand in for each other, and the bad one rests."""
    upstream.fails("tavily", faults.status(status), when=with_key("one"))
    client = make_client("tavily", "brave", env={"TAVILY_API_KEY": "one-key,two-key"})

    first = await client.search("otters", cache=False)
    rest = [await client.search("otters", cache=False) for _ in range(3)]

    assert [type(a.error) for a in first.attempts] == [error, type(None)]
    assert [a.key for a in first.attempts] == [1, 2]
    assert [[a.key for a in r.attempts] for r in rest] == [[2], [2], [2]]
    assert not upstream.asked("brave")


@pytest.mark.parametrize(
    ("refusal", "error", "seconds"),
    [
        (faults.status(401), KeyRefused, 300),
        (faults.status(432), QuotaExhausted, 900),
        (faults.html(), Blocked, 120),  # it takes us for a robot: asking at once makes it worse
    ],
)
async def test_without_another_key_the_next_provider_is_asked_and_the_first_cools_down(
    refusal, error, seconds, make_client, upstream, later
):
    """For some minutes it is sent nothing; then it is asked again."""
    upstream.fails("tavily", refusal)
    client = make_client("tavily", "brave")
    later.stop()

    first = await client.search("otters", cache=False)
    later(seconds - 0.5)
    second = await client.search("otters", cache=False)
    later(1)
    third = await client.search("otters", cache=False)

    assert [a.provider for a in first.attempts] == ["tavily", "brave"]
    found = [response.attempts[0] for response in (first, second, third)]
    assert [type(a.error) for a in found] == [error, Cooling, error]
    assert [a.sent for a in found] == [True, False, True]
    assert len(upstream.asked("tavily")) == 2


async def test_a_refused_key_that_cools_down_names_its_variable(make_client, upstream):
    """Waiting does not mend a key: nobody is told to try again in 298 s."""
    upstream.fails("tavily", faults.status(401))
    client = make_client("tavily")

    await client.search("otters", cache=False)
    second = await client.search("otters", cache=False)

    error = second.attempts[0].error
    assert isinstance(error, Cooling)
    assert str(error) == "tavily: its key was refused; check TAVILY_API_KEY"
    assert error.retry_after is None
    assert "try again in" not in write(second, "plain")
    assert "TAVILY_API_KEY" in write(second, "plain:ja")
    assert len(upstream.requests) == 1


@pytest.mark.parametrize(
    ("status", "error", "told", "seconds"),
    [(429, RateLimited, "4", 4), (503, Outage, "4", 4), (429, RateLimited, "", 1)],
)
async def test_a_short_wait_is_kept_to_when_there_is_no_one_else(
    status, error, told, seconds, make_client, upstream, later
):
    """Retry-After, or a second: the second request is not sent before it is over."""
    upstream.fails("tavily", faults.status(status, headers={"Retry-After": told}), times=1)
    later.stop()
    with listening((heard := []).append):
        task = asyncio.create_task(make_client("tavily").search("otters"))
    await noticed(lambda: [e for e in heard if isinstance(e, Said)])
    await turns(100)
    later(seconds)
    await turns(100)
    assert len(upstream.requests) == 1

    later(0.1)
    await noticed(task.done)

    found = task.result()
    assert found.outcome is Outcome.FOUND
    assert [type(a.error) for a in found.attempts] == [error, type(None)]
    assert found.attempts[0].error.retry_after == (seconds if told else None)


async def test_a_short_rate_is_waited_for_though_somebody_else_could_answer(make_client, upstream):
    """The first of the route is the one that was wanted."""
    limited = faults.status(429, headers={"Retry-After": "0.001"})
    upstream.fails("tavily", limited, times=1)

    found = await make_client("tavily", "brave").search("otters")

    assert [a.provider for a in found.attempts] == ["tavily", "tavily"]


async def test_a_long_rate_sends_the_search_to_the_next_one(make_client, upstream):
    """Nobody waits half a minute while somebody else could answer now."""
    upstream.fails("tavily", faults.status(429, headers={"Retry-After": "30"}))

    found = await make_client("tavily", "brave").search("otters")

    assert [a.provider for a in found.attempts] == ["tavily", "brave"]
    assert found.outcome is Outcome.FOUND


async def test_a_server_that_is_down_is_not_asked_with_another_key(make_client, upstream, later):
    """`Retry-After` of a 503 is about the service; it is kept to by all keys, in every search."""
    upstream.fails("tavily", faults.status(503, headers={"Retry-After": "120"}))
    client = make_client("tavily", "brave", env={"TAVILY_API_KEY": "one-key,two-key"})

    for _ in range(3):
        assert (await client.search("otters", cache=False)).hits[0].provider == "brave"
        later(39)
    assert len(upstream.asked("tavily")) == 1

    later(4)
    await client.search("otters", cache=False)
    assert len(upstream.asked("tavily")) == 2


async def test_another_key_is_tried_before_waiting_for_a_rate(make_client, upstream):
    """A rate belongs to a key, as a rule."""
    limited = faults.status(429, headers={"Retry-After": "30"})
    upstream.fails("tavily", limited, when=with_key("one"))

    found = await make_client("tavily", env={"TAVILY_API_KEY": "one-key,two-key"}).search("otters")

    assert [a.key for a in found.attempts] == [1, 2]


@pytest.mark.parametrize(("times", "outcome"), [(3, Outcome.FOUND), (4, Outcome.UNAVAILABLE)])
async def test_a_provider_is_waited_for_three_times(times, outcome, make_client, upstream):
    """One that asks for a fourth wait is left alone until the next search."""
    limited = faults.status(429, headers={"Retry-After": "0.001"})
    upstream.fails("tavily", limited, times=times)

    found = await make_client("tavily").search("otters")

    assert found.outcome is outcome
    assert len(upstream.requests) == 4


async def test_who_is_waited_for_three_times_is_not_passed_over(make_client, upstream):
    """Also when somebody else could answer: the waits are short."""
    limited = faults.status(429, headers={"Retry-After": "0.001"})
    upstream.fails("tavily", limited, times=3)

    found = await make_client("tavily", "brave").search("otters")

    assert [a.provider for a in found.attempts] == ["tavily"] * 4


async def test_keys_that_are_told_to_wait_a_moment_do_not_make_a_storm(make_client, upstream):
    """With two keys and a tiny Retry-After, somebody could ask back and forth until the end."""
    upstream.fails("tavily", faults.status(429, headers={"Retry-After": "0.001"}))
    client = make_client("tavily", env={"TAVILY_API_KEY": "one-key,two-key"})

    found = await client.search("otters", timeout=2)

    assert found.outcome is Outcome.UNAVAILABLE
    assert len(upstream.requests) <= 12


@pytest.mark.parametrize(
    ("fault", "error"),
    [(faults.status(503), Outage), (faults.reset(), Unreachable), (faults.half(), Unreachable)],
)
async def test_an_outage_is_retried_once_and_then_left(fault, error, make_client, upstream):
    """One retry with jitter; then the next provider."""
    upstream.fails("tavily", fault)

    found = await make_client("tavily", "brave").search("otters")

    assert [a.provider for a in found.attempts] == ["tavily", "tavily", "brave"]
    assert [type(a.error) for a in found.attempts] == [error, error, type(None)]
    assert found.outcome is Outcome.FOUND


async def test_an_outage_that_passes_needs_no_other_provider(make_client, upstream):
    """The retry finds it up again."""
    upstream.fails("tavily", faults.status(502), times=1)

    found = await make_client("tavily", "brave").search("otters")

    assert [a.provider for a in found.attempts] == ["tavily", "tavily"]


@pytest.mark.parametrize("slip", [faults.html(), faults.status(401), faults.status(432)])
async def test_a_key_that_has_worked_is_forgiven_a_slip(slip, make_client, upstream):
    """Gateways refuse good keys once in a while; five times in a row is no slip."""
    client = make_client("tavily", "brave")
    await client.search("otters", cache=False)
    upstream.fails("tavily", slip)

    found = [await client.search("otters", cache=False) for _ in range(8)]

    assert [r.hits[0].provider for r in found] == ["brave"] * 8
    assert len(upstream.asked("tavily")) == 1 + 5
    assert isinstance(found[-1].attempts[0].error, Cooling)


async def test_a_slip_of_the_only_provider_is_not_noticed(make_client, upstream):
    """The route is walked again: the key works, so the refusal was not meant."""
    client = make_client("tavily")
    await client.search("otters", cache=False)
    upstream.fails("tavily", faults.status(401), times=1)

    assert (await client.search("otters", cache=False)).outcome is Outcome.FOUND


async def test_refusals_that_come_back_before_the_results_rest_no_key(make_client, upstream):
    """Of ten searches at once one is refused, sooner than the others are answered."""
    upstream.fails("tavily", faults.status(401), times=1)
    upstream.fails("tavily", faults.delay(0.05))
    client = make_client("tavily", "brave")

    await asyncio.gather(*(client.search(f"otters {n}", cache=False) for n in range(10)))
    later = await client.search("otters", cache=False)

    assert later.hits[0].provider == "tavily"


async def test_a_search_waits_for_a_rate_that_somebody_else_ran_into(make_client, upstream):
    """Nobody else can be asked, and there is time."""
    client = make_client("tavily")
    upstream.fails("tavily", faults.status(429, headers={"Retry-After": "0.3"}), times=1)

    found = await asyncio.gather(*(client.search(f"otters {n}", timeout=8) for n in range(3)))

    assert all(r.outcome is Outcome.FOUND for r in found)
    assert len(upstream.asked("tavily")) == 1 + 3


@pytest.mark.parametrize("fault", [faults.bad_json(), faults.error_body(), faults.wrong_shape([])])
async def test_what_cannot_be_read_goes_to_the_next_one(fault, make_client, upstream):
    """Garbage is neither a result nor "no results"."""
    upstream.fails("tavily", fault)

    found = await make_client("tavily", "brave").search("otters")

    assert [type(a.error) for a in found.attempts] == [Unreadable, type(None)]


async def test_several_keys_take_turns(make_client, upstream):
    """Nobody's quota is used up before the others'."""
    client = make_client("tavily", env={"TAVILY_API_KEY": "k-1,k-2", "TAVILY_API_KEY_2": "k-3"})

    for _ in range(6):
        await client.search("otters", cache=False)

    keys = [r.headers["authorization"].removeprefix("Bearer ") for r in upstream.requests]
    assert keys == ["k-1", "k-2", "k-3", "k-1", "k-2", "k-3"]


async def test_one_revoked_and_one_empty_key_are_not_noticed(make_client, upstream):
    """While one key is healthy, nobody sees an error; a dead key is tried once per cooldown."""
    upstream.fails("tavily", faults.status(401), when=with_key("dead"))
    upstream.fails("tavily", faults.status(432), when=with_key("spent"))
    client = make_client("tavily", env={"TAVILY_API_KEY": "dead-key,spent-key,good-key"})

    found = [await client.search("otters", cache=False) for _ in range(20)]

    assert all(r.outcome is Outcome.FOUND for r in found)
    used = [r.headers["authorization"] for r in upstream.requests]
    assert (used.count("Bearer dead-key"), used.count("Bearer spent-key")) == (1, 1)


async def test_a_bad_key_never_opens_the_circuit_for_others(make_client, upstream):
    """The breaker is about the provider; a key is its owner's trouble alone."""
    upstream.fails("tavily", faults.status(401))
    client = make_client("tavily", env={"TAVILY_API_KEY": ",".join(f"k{n}" for n in range(30))})

    await client.search("otters")
    later = await client.search("otters")

    assert len(upstream.requests) == 30
    assert [type(a.error) for a in later.attempts] == [Cooling]  # and not `CircuitOpen`


async def test_a_provider_that_is_down_is_soon_not_asked(make_client, upstream):
    """The breaker makes the loss of one provider cheap."""
    upstream.fails("tavily", faults.status(500))
    client = make_client("tavily", "brave")

    found = [await client.search("otters", cache=False) for _ in range(30)]

    assert all(r.outcome is Outcome.FOUND for r in found)
    assert isinstance(found[-1].attempts[0].error, CircuitOpen)
    assert len(upstream.asked("tavily")) <= 12


async def test_when_both_fail_in_passing_the_route_is_walked_again(make_client, upstream):
    """Both down for a moment: the second walk finds one of them up."""
    upstream.fails("tavily", faults.status(503), times=2)
    upstream.fails("brave", faults.status(503), times=2)

    found = await make_client("tavily", "brave").search("otters")

    assert found.outcome is Outcome.FOUND
    assert [a.provider for a in found.attempts] == ["tavily"] * 2 + ["brave"] * 2 + ["tavily"]


async def test_who_refused_the_query_is_not_asked_on_the_second_walk(make_client, upstream):
    """Those that were down are."""
    upstream.fails("brave", faults.status(422))
    upstream.fails("tavily", faults.status(503), times=2)

    found = await make_client("brave", "tavily").search("otters")

    assert [a.provider for a in found.attempts] == ["brave", "tavily", "tavily", "tavily"]
    assert found.outcome is Outcome.FOUND


async def test_the_second_walk_begins_when_the_first_rate_is_over(make_client, upstream, later):
    """One pause, and as long as it takes."""
    upstream.fails("tavily", faults.status(429, headers={"Retry-After": "5"}), times=1)
    upstream.fails("brave", faults.status(422))
    recorder = Recorder()
    client = make_client("tavily", "brave", observers=[recorder])
    later.stop()
    with listening((heard := []).append):
        task = asyncio.create_task(client.search("otters"))
    await noticed(lambda: len([e for e in heard if isinstance(e, Said)]) == 2)
    while not task.done():
        later(0.1)
        await turns(20)

    assert [a.provider for a in task.result().attempts] == ["tavily", "brave", "tavily"]
    [pause] = recorder.of("retry")
    assert 5 < pause.delay < 5.25


async def test_after_eight_requests_no_route_is_walked_again(make_client, upstream):
    """Four that are down were asked twice each: a third time would hardly help."""
    upstream.fails("*", faults.status(503))

    found = await make_client("tavily", "brave", "exa", "serper").search("otters", timeout=30)

    assert found.outcome is Outcome.UNAVAILABLE
    assert len(upstream.requests) == 8


async def test_the_retry_budget_bounds_the_extra_calls(make_client, upstream):
    """On a bad day for all, retries must not double the load."""
    upstream.fails("tavily", faults.status(503), chance=0.3)
    client = make_client("tavily", retry_budget=0.1)

    for _ in range(10):
        await asyncio.gather(*(client.search("otters", cache=False) for _ in range(20)))

    assert 200 < len(upstream.requests) <= 200 * 1.1 + 10

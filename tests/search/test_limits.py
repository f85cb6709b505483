"""What may be sent now: in one process, and in several that share a file or a server."""

from __future__ import annotations

import asyncio
import json
import math
import os
import sys
import time
from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kensaku import Outcome
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
from kensaku.search.limits import Limiter
from kensaku.store import MemoryStore, SqliteStore, ValkeyStore
from kensaku.testing import faults
from kensaku.text.rate import parse_rate, read_rate

SEARCHES = """
import asyncio, json, sys
from kensaku import Kensaku
from kensaku.store import FallbackStore

FallbackStore.PATIENCE = 60.0  # a store on a busy machine is slow, and not broken

async def main():
    async with Kensaku() as k:
        print("ready", flush=True)
        sys.stdin.readline()
        work = (k.search(f"q{n}", cache=False, timeout=30) for n in range(int(sys.argv[1])))
        found = await asyncio.gather(*work)
        print(json.dumps([r.to_dict() for r in found]))

asyncio.run(main())
"""


@pytest.fixture(params=["sqlite", "valkey"])
async def shared(request, machine):
    """A state that processes share: the setting for them, and a store of our own."""
    if request.param == "valkey":
        url = request.getfixturevalue("valkey")
        store = ValkeyStore(url)
        await store.forget("")
    else:
        url, store = "", SqliteStore(machine / "state.sqlite")
    yield url, store
    await store.close()


async def run_processes(upstream, count: int, searches: int, **env: str) -> list[list[dict]]:
    """Start `count` processes, let them search at the same time, and read their responses."""
    environ = {**os.environ, **upstream.environment("tavily"), "WEB_SEARCH_PROVIDER": "tavily"}
    processes = [
        await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", SEARCHES, str(searches)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env={**environ, **env},
        )
        for _ in range(count)
    ]
    for process in processes:
        assert await process.stdout.readline() == b"ready\n"
    said = await asyncio.gather(*(p.communicate(b"go\n") for p in processes))
    return [json.loads(out) for out, _ in said]


@pytest.mark.usefixtures("processes")
async def test_processes_keep_to_one_rate_together(upstream, shared):
    """Two processes at 10 a second send 10 a second, not 20."""
    arrivals: list[float] = []
    upstream.fails(
        "tavily", faults.empty(), when=lambda seen: bool(arrivals.append(time.monotonic()))
    )

    said = await run_processes(upstream, 2, 15, TAVILY_RATE="10/s", KENSAKU_STATE_URL=shared[0])

    assert all(r["outcome"] == "found" for out in said for r in out)
    assert len(arrivals) == 30
    # 30 turns at 10 a second take 2.8 s; at twice the rate they would take half of it. The first
    # may be noticed late.
    assert max(arrivals) - min(arrivals) >= 2.1


@pytest.mark.usefixtures("processes")
async def test_a_cooldown_is_seen_by_the_next_process(upstream, shared):
    """A refused key is not tried again by everybody else."""
    upstream.fails("tavily", faults.status(401))

    (first,) = await run_processes(upstream, 1, 1, KENSAKU_STATE_URL=shared[0])
    later = await run_processes(upstream, 2, 3, KENSAKU_STATE_URL=shared[0])

    assert first[0]["attempts"][0]["error"]["type"] == "KeyRefused"
    kinds = {a["error"]["type"] for out in later for r in out for a in r["attempts"]}
    assert kinds == {"Cooling"}
    assert len(upstream.requests) == 1


@pytest.mark.usefixtures("processes")
async def test_an_open_circuit_is_seen_and_one_probe_is_sent(upstream, shared):
    """Three processes with twelve searches each, after the pause: one request."""
    url, store = shared
    await store.put("open:tavily", b"%f" % (time.time() - 1), 3600)
    upstream.fails("tavily", faults.status(500))

    said = await run_processes(upstream, 3, 12, KENSAKU_STATE_URL=url)

    assert len(upstream.requests) == 1
    kinds = [a["error"]["type"] for out in said for r in out for a in r["attempts"]]
    assert kinds.count("Outage") == 1
    assert set(kinds) == {"Outage", "CircuitOpen"}


@pytest.mark.usefixtures("processes")
async def test_a_budget_is_shared(upstream, shared):
    """Ten searches a day are ten searches, whoever sends them."""
    env = {"KENSAKU_BUDGET_SEARCHES": "10", "KENSAKU_STATE_URL": shared[0]}

    said = await run_processes(upstream, 3, 8, **env)

    outcomes = [r["outcome"] for out in said for r in out]
    assert len(upstream.requests) == outcomes.count("found") == 10
    assert outcomes.count("unavailable") == 14


# --- the limiter


def pool(store, *keys: str, **options) -> Limiter:
    """A limiter for Tavily with these keys."""
    secrets = [Secret(key) for key in keys or ("key-one",)]
    return Limiter("tavily", store, keys=secrets, key_variable="TAVILY_API_KEY", **options)


@pytest.fixture
async def twins(tmp_path):
    """Two processes' limiters for one provider, over one file."""
    stores = [SqliteStore(tmp_path / "state.sqlite") for _ in range(2)]
    yield [pool(store, "key-one", "key-two") for store in stores]
    for store in stores:
        await store.close()


async def break_circuit(limiter: Limiter) -> None:
    """Let ten requests in a row fail."""
    for _ in range(10):
        await limiter.record(await limiter.acquire(inf), Outage("tavily", "down"), 0.1)


async def test_a_circuit_opens_for_all_and_closes_for_all(twins, later):
    """The news takes at most half a second; one process probes for all."""
    ours, theirs = twins
    await break_circuit(ours)
    later(1)
    for limiter in twins:
        with pytest.raises(CircuitOpen) as refused:
            await limiter.acquire(inf)
        assert 0 < refused.value.retry_after <= 5
        assert (limiter.state(), limiter.wait()) == ("circuit open", None)

    later(5)
    assert (theirs.state(), theirs.wait()) == ("to be probed", 0)
    probe = await theirs.acquire(inf)
    assert probe.probe
    with pytest.raises(CircuitOpen) as late:
        await ours.acquire(inf)
    assert late.value.retry_after == 0
    await theirs.record(probe, None, 0.1)

    later(1)
    for limiter in twins:
        assert not (await limiter.acquire(inf)).probe
        assert limiter.state() == "ready"


async def test_a_circuit_that_opened_before_this_machine_was_started_is_probed():
    """By the clock of this machine that was before 0, which is not "never"."""
    store = MemoryStore()
    await store.put("open:tavily", b"%f" % (time.time() - 10 * 365 * 86_400), 600)
    limiter = Limiter("tavily", store)

    assert (await limiter.acquire(asyncio.get_running_loop().time() + 5)).probe


async def test_what_was_on_its_way_when_the_circuit_opened_says_nothing_new(later):
    """Sixty searches in flight fail together: the pause is still the first, shortest one."""
    limiter = pool(MemoryStore())
    permits = [await limiter.acquire(inf) for _ in range(61)]
    for used in permits[:60]:
        await limiter.record(used, Outage("tavily", "down"), 0.1)

    await limiter.record(permits[60], None, 0.1)

    assert limiter.state() == "circuit open"
    later(6)
    assert limiter.state() == "to be probed"


async def test_a_probe_that_is_refused_has_found_somebody_there(later):
    """A wrong key on the probe: the provider is up."""
    limiter = pool(MemoryStore())
    await break_circuit(limiter)
    later(6)

    await limiter.record(await limiter.acquire(inf), KeyRefused("tavily", "no"), 0.1)

    assert limiter.state() == "ready"


@pytest.mark.parametrize(
    ("error", "elapsed", "opens"),
    [
        (Outage("tavily", "down"), 0.1, True),
        (Unreadable("tavily", "html"), 0.1, True),
        (KeyRefused("tavily", "no"), 0.1, False),
        (Timeout("tavily", "slow"), 0.9, False),  # faster than it usually is: nobody's fault
        (Timeout("tavily", "slow"), 1.0, True),
        (Timeout("tavily", "slow", status=504), 0.1, True),
        (NotConnected("tavily", "refused"), 0.1, True),
        (NotConnected("tavily", "no name", transient=False), 0.1, False),
        (None, 0.1, False),
    ],
)
async def test_what_counts_against_a_provider(error, elapsed, opens):
    """Outages and unreadable replies; not a key, nor a deadline that nobody could have met."""
    limiter = pool(MemoryStore())
    for used in [await limiter.acquire(inf) for _ in range(12)]:
        await limiter.record(used, error, elapsed)

    assert limiter.state() == ("circuit open" if opens else "ready")


@pytest.mark.parametrize(("seconds", "lasts"), [(20, 20), (10**9, 86_400)])
async def test_a_cooldown_is_told_to_other_processes_while_it_lasts(twins, later, seconds, lasts):
    """However long an upstream asks for, a day is enough; the other key is used meanwhile."""
    ours, theirs = twins
    await ours.cool_down(await ours.acquire(inf), seconds, "KeyRefused")
    assert ours.has_other_key(1)
    assert not ours.has_other_key(2)
    later(lasts - 1)
    assert {(await theirs.acquire(inf)).number for _ in range(3)} == {2}

    later(2)
    assert {(await theirs.acquire(inf)).number for _ in range(2)} == {1, 2}


@pytest.mark.parametrize(
    ("why", "waits", "remedy"),
    [
        ("KeyRefused", False, "check TAVILY_API_KEY"),
        ("QuotaExhausted", False, ""),
        ("RateLimited", True, ""),
        ("Blocked", False, ""),
        ("Other", False, ""),
    ],
)
async def test_why_a_provider_waits_is_said(later, why, waits, remedy):
    """To people, and to whoever asks; waiting does not mend a key, and only a rate passes soon."""
    later.stop()
    limiter = pool(MemoryStore())
    await limiter.cool_down(await limiter.acquire(inf), 30, why)

    with pytest.raises(Cooling) as refused:
        await limiter.acquire(inf)

    error = refused.value
    assert limiter.state().endswith("30 s")
    assert limiter.state().partition(",")[0] in ("waiting", error.message.partition(";")[0])
    assert (error.remedy, error.cause) == (remedy, why)
    assert error.retry_after == (None if remedy else pytest.approx(30))
    assert (limiter.wait() is not None) is waits
    later(30)
    assert (limiter.state(), limiter.wait()) == ("ready", 0)


async def test_a_request_that_went_well_ends_the_cooldown_of_its_key(later):
    """It was under way when the key was refused; a wait that was asked for stays."""
    store = MemoryStore()
    ours, theirs = pool(store), pool(store)
    used = await ours.acquire(inf)
    await ours.cool_down(used, 60, "KeyRefused")
    await theirs.sync()
    await ours.record(used, None, 0.1)
    other = pool(store)
    await other.sync()
    assert (ours.state(), other.state()) == ("ready", "ready")

    await ours.cool_down(used, 60, "RateLimited")
    await ours.record(used, None, 0.1)
    assert ours.state() != "ready"


async def test_a_key_cools_down_longer_with_every_refusal_in_a_row():
    """Four may be slips of the upstream; then three times as long each time, up to a bound.

    One that never worked is misspelt, or has expired: it cools down at once.
    """
    limiter = pool(MemoryStore())
    assert limiter.cooldown_after_refusal(await limiter.acquire(inf), 300) == 300
    await limiter.record(await limiter.acquire(inf), None, 0.1)  # it has worked

    seconds = [limiter.cooldown_after_refusal(await limiter.acquire(inf), 200) for _ in range(8)]
    assert seconds == [0, 0, 0, 0, 10, 30, 90, 200]

    await limiter.record(await limiter.acquire(inf), None, 0.1)
    permits = [await limiter.acquire(inf) for _ in range(9)]  # at the same time: they count once
    assert {limiter.cooldown_after_refusal(permit, 300) for permit in permits} == {0.0}


async def test_the_latency_that_is_usual_needs_ten_samples():
    """Before that a guess is better."""
    limiter = pool(MemoryStore())
    for n in range(9):
        await limiter.record(await limiter.acquire(inf), None, n / 10)
    assert limiter.p95_latency(7.0) == 7.0

    await limiter.record(await limiter.acquire(inf), None, 0.9)
    assert limiter.p95_latency(7.0) == 0.9
    for _ in range(90):
        await limiter.record(await limiter.acquire(inf), None, 0.1)
    assert limiter.p95_latency(7.0) == 0.5


async def test_keys_take_turns_and_the_one_that_can_be_used_now_comes_first():
    """Not the one whose turn is next, if that means waiting; no key is in a log."""
    limiter = pool(MemoryStore(), "one", "two", rate="1/h")
    permits = [await limiter.acquire(0.0) for _ in range(2)]

    assert [(p.key, p.number) for p in permits] == [("one", 1), ("two", 2)]
    assert "one" not in repr(permits[0])
    with pytest.raises(Cooling) as refused:
        await limiter.acquire(0.0)
    assert "raise its rate" in refused.value.remedy
    await limiter.record(permits[1], NotConnected("tavily", "refused"), 0.1)
    assert (await limiter.acquire(0.0)).number == 2  # nothing was sent: the turn was given back


async def test_a_client_lets_githubs_searches_share_one_limit(make_client, upstream):
    """Except for those for code, for which GitHub has another."""
    names = ("github", "github_issues", "github_code")
    client = make_client(*names, env={f"{name.upper()}_RATE": "1/h" for name in names})

    found = [await client.search("otters", route=name) for name in names]

    assert [len(upstream.asked(name)) for name in names] == [1, 0, 1]
    assert isinstance(found[1].attempts[0].error, Cooling)


async def test_githubs_searches_share_one_cooldown(make_client, upstream):
    """Who has asked too often for repositories does not ask for issues at once."""
    upstream.fails("github", faults.status(429, headers={"Retry-After": "60"}))
    client = make_client("github", "github_issues")

    await client.search("otters", route="github")
    found = await client.search("otters", route="github_issues")

    assert isinstance(found.attempts[0].error, Cooling)
    assert not upstream.asked("github_issues")


async def test_a_turn_of_our_own_is_not_waited_for_while_another_can_be_asked(
    make_client, upstream
):
    """Who has a minute to wait asks the next one."""
    client = make_client("tavily", "brave", env={"TAVILY_RATE": "1/m"})

    found = [await client.search(f"otters {n}", timeout=30) for n in range(2)]

    assert [r.outcome for r in found] == [Outcome.FOUND] * 2
    assert [[a.provider for a in r.attempts if a.sent] for r in found] == [["tavily"], ["brave"]]


async def test_without_a_key_the_variable_is_named():
    """The remedy is in the error; who needs none is asked without."""
    limiter = Limiter("brave", MemoryStore(), key_variable="BRAVE_API_KEY")

    with pytest.raises(NotConfigured) as refused:
        await limiter.acquire(inf)

    assert refused.value.remedy == "set BRAVE_API_KEY"
    assert limiter.state() == "no key"
    permit = await Limiter("wikipedia", MemoryStore()).acquire(inf)
    assert (permit.key, permit.number, permit.probe) == ("", None, False)


async def test_a_limiter_can_be_reset(twins, later):
    """Somebody has mended it: `doctor` says so, and everybody may ask again."""
    ours, theirs = twins
    for _ in range(2):
        await ours.cool_down(await ours.acquire(inf), 900, "QuotaExhausted")
    assert ours.state().startswith("its quota is used up")

    await ours.reset()
    later(1)

    for limiter in (ours, theirs):
        assert (await limiter.acquire(inf)).number
        assert limiter.state() == "ready"


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 100_000), st.sampled_from(["s", "m", "min", "h", "d"]))
def test_no_window_ever_holds_more_than_the_count_of_a_rate(count, unit):
    """However many come at once in the beginning."""
    _, period = read_rate(f"{count}/{unit}")
    interval, burst = parse_rate(f"{count}/{unit}")

    assert 1 <= burst <= max(1, count / 10)
    assert burst + math.ceil(period / interval - 1e-6) - 1 <= count


@pytest.mark.parametrize(
    ("text", "read"),
    [("1/s", (1, 1)), ("20/m", (20, 60)), ("19/ h ", (19, 3_600)), ("0.1/min", (0.1, 60))],
)
def test_a_rate_is_a_count_and_a_period(text, read):
    """A tenth of a request a minute is one in ten minutes."""
    assert read_rate(text) == read
    assert parse_rate("0.1/min") == (pytest.approx(600), 1)


@pytest.mark.parametrize(
    "text", ["", "fast", "0/s", "-1/s", "inf/s", "nan/s", "5/month", "5", "1000000000/s", "x" * 99]
)
def test_a_rate_that_is_none_is_refused(text):
    """`5/month` must not become five a minute; the sentence says how to write one."""
    with pytest.raises(ConfigError) as refused:
        parse_rate(text)

    assert "1/s" in refused.value.remedy
    assert len(str(refused.value)) < 100

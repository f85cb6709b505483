"""What may be sent now: in one process, and in several that share a file or a server."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time

import pytest

from kensaku.config.secret import Secret
from kensaku.errors import CircuitOpen, ConfigError, Cooling, NotConfigured, Outage
from kensaku.search.circuit_breaker import CircuitBreaker
from kensaku.search.limits import Limiter, Permit, parse_rate
from kensaku.store import MemoryStore, SqliteStore, ValkeyStore
from kensaku.testing import faults

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


async def test_a_cooldown_is_seen_by_the_next_process(upstream, shared):
    """A refused key is not tried again by everybody else."""
    upstream.fails("tavily", faults.status(401))

    (first,) = await run_processes(upstream, 1, 1, KENSAKU_STATE_URL=shared[0])
    later = await run_processes(upstream, 2, 3, KENSAKU_STATE_URL=shared[0])

    assert first[0]["attempts"][0]["error"]["type"] == "KeyRefused"
    kinds = {a["error"]["type"] for out in later for r in out for a in r["attempts"]}
    assert kinds == {"Cooling"}
    assert len(upstream.requests) == 1


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


async def test_a_budget_is_shared(upstream, shared):
    """Ten searches a day are ten searches, whoever sends them."""
    env = {"KENSAKU_BUDGET_SEARCHES": "10", "KENSAKU_STATE_URL": shared[0]}

    said = await run_processes(upstream, 3, 8, **env)

    outcomes = [r["outcome"] for out in said for r in out]
    assert len(upstream.requests) == outcomes.count("found") == 10
    assert outcomes.count("unavailable") == 14


# --- the limiter


@pytest.fixture
async def twin_gates(tmp_path):
    """Two processes' gates for one provider, over one file."""
    stores = [SqliteStore(tmp_path / "state.sqlite") for _ in range(2)]
    keys = [Secret("key-one"), Secret("key-two")]
    yield [Limiter("tavily", s, keys=keys, key_variable="TAVILY_API_KEY") for s in stores]
    for store in stores:
        await store.close()


def soon() -> float:
    return asyncio.get_running_loop().time() + 5


async def test_a_circuit_opens_for_all_and_closes_for_all(twin_gates):
    """The news takes at most half a second; here it is asked for at once."""
    ours, theirs = twin_gates
    for _ in range(CircuitBreaker.FAILURES):
        await ours.record(await ours.acquire(soon()), Outage("tavily", "down"), 0.1)

    for limiter in (ours, theirs):
        await limiter.sync()
        with pytest.raises(CircuitOpen) as refused:
            await limiter.acquire(soon())
    assert 0 < refused.value.retry_after <= CircuitBreaker.PAUSE

    ours.breaker.until = theirs.breaker.until = time.monotonic() - 1  # the pause is over
    await ours._publish_circuit()
    probe = await theirs.acquire(soon())
    assert probe.probe
    with pytest.raises(CircuitOpen):
        await ours.acquire(soon())
    await theirs.record(probe, None, 0.1)

    for limiter in (ours, theirs):
        await limiter.sync()
        assert not (await limiter.acquire(soon())).probe


async def test_a_circuit_that_opened_before_this_machine_was_started_is_probed():
    """By the clock of this machine that was before 0, which is not "never"."""
    store = MemoryStore()
    await store.put("open:tavily", b"%f" % (time.time() - 10 * 365 * 86_400), 600)
    limiter = Limiter("tavily", store)

    assert (await limiter.acquire(soon())).probe


async def test_what_was_on_its_way_when_the_circuit_opened_says_nothing_new():
    """Sixty searches in flight fail together: the pause is still the first, shortest one."""
    limiter = Limiter("tavily", MemoryStore())
    passes = [await limiter.acquire(soon()) for _ in range(60)]

    for used in passes:
        await limiter.record(used, Outage("tavily", "down"), 0.1)

    assert 0 < limiter.breaker.until - time.monotonic() <= CircuitBreaker.PAUSE
    late = Permit("", None)
    await limiter.record(late, None, 0.1)
    assert limiter.breaker.until is not None


async def test_a_probe_that_fails_doubles_the_pause_up_to_a_minute():
    """An upstream that stays down is asked ever more seldom."""
    breaker, pauses = CircuitBreaker(), []
    for _ in range(CircuitBreaker.FAILURES):
        breaker.record(True)

    for _ in range(6):
        breaker.record(True, probe=True)
        pauses.append(round(breaker.until - time.monotonic()))

    assert pauses == [10, 20, 40, 60, 60, 60]


async def test_a_probe_that_is_refused_has_found_somebody_there():
    """A wrong key on the probe: the provider is up."""
    limiter = Limiter("tavily", MemoryStore())
    limiter.breaker.until = time.monotonic() - 1
    probe = await limiter.acquire(soon())

    from kensaku.errors import KeyRefused

    await limiter.record(probe, KeyRefused("tavily", "no"), 0.1)

    assert limiter.breaker.until is None


@pytest.mark.parametrize(("failing", "opens"), [(0.3, False), (1.0, True), (0.75, True)])
def test_a_circuit_opens_only_when_most_calls_fail(failing, opens):
    """Three in ten is a bad day; three in four is an outage."""
    breaker = CircuitBreaker()
    for n in range(100):
        if breaker.until is None:
            breaker.record((n * failing) % 1 + failing >= 1)

    assert (breaker.until is not None) is opens


async def test_the_key_that_can_be_used_now_comes_first():
    """Not the one whose turn is next, if that means waiting."""
    keys = [Secret("one"), Secret("two")]
    limiter = Limiter("brave", MemoryStore(), keys=keys, key_variable="K", rate="1/s")

    used = [(await limiter.acquire(soon())).number, (await limiter.acquire(soon())).number]
    limiter._next = 0

    assert used == [1, 2]
    with pytest.raises(Cooling):
        await limiter.acquire(asyncio.get_running_loop().time() + 0.05)


async def test_those_who_share_a_limit_share_its_turns_and_its_cooldown():
    """GitHub counts searches for repositories and for issues as one, and those for code apart."""
    store, now = MemoryStore(), asyncio.get_running_loop().time()
    options = {"keyless": True, "rate": "1/h"}
    repositories = Limiter("github", store, rate_group="github", **options)
    issues = Limiter("github_issues", store, rate_group="github", **options)
    others = Limiter("wikipedia", store, **options)

    used = await repositories.acquire(now)
    with pytest.raises(Cooling, match="our own limit"):
        await issues.acquire(now)
    assert await others.acquire(now)

    await repositories.cool_down(used, 60, "RateLimited")
    await issues.sync()
    with pytest.raises(Cooling, match="slow down"):
        await issues.acquire(now)


async def test_a_client_lets_githubs_searches_share_one_limit(make_client):
    """Except for those for code, for which GitHub has another."""
    async with make_client("github", "github_issues", "github_code") as client:
        names = ("github", "github_issues", "github_code")
        groups = [client._resources.limiter(name)._turn_key(0) for name in names]

    assert groups[0] == groups[1] != groups[2]


async def test_without_a_key_the_variable_is_named():
    """The remedy is in the error."""
    limiter = Limiter("brave", MemoryStore(), key_variable="BRAVE_API_KEY")

    with pytest.raises(NotConfigured) as refused:
        await limiter.acquire(soon())

    assert refused.value.remedy == "set BRAVE_API_KEY"
    assert limiter.state() == "no key"


async def test_a_gate_can_be_warmed(twin_gates):
    """Somebody has mended it: `doctor` says so, and everybody may ask again."""
    ours, _ = twin_gates
    await ours.cool_down(await ours.acquire(soon()), 900, "QuotaExhausted")
    await ours.cool_down(await ours.acquire(soon()), 900, "QuotaExhausted")
    assert ours.state() == "its quota is used up, 900 s"

    await ours.reset()
    await ours.sync()

    assert (await ours.acquire(soon())).number
    assert ours.state() == "ready"


@pytest.mark.parametrize(
    ("text", "interval", "burst"),
    [("1/s", 1.0, 1), ("100/m", 60 / 91, 10), ("0.5/s", 2.0, 1), ("10/min", 6.0, 1)],
)
def test_a_rate_is_read(text, interval, burst):
    """So that no window ever holds more than the count."""
    assert parse_rate(text) == (pytest.approx(interval), burst)


@pytest.mark.parametrize("text", ["", "fast", "0/s", "-1/s", "inf/s", "nan/s", "5/month", "5"])
def test_a_rate_that_is_none_is_refused(text):
    """`5/month` must not become five a minute."""
    with pytest.raises(ConfigError):
        parse_rate(text)

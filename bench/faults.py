"""Searches over faulty upstreams, on real sockets: how many succeed, and what they cost.

    python bench/faults.py [--requests 10000] [--deadlines 5000]

The mixes are those of gate G8: one provider down, both at 30 % faults, both down; each fault is
drawn from a list of everything that can go wrong for a moment (statuses, resets, half a body, bad
JSON, an error with status 200). The last row is gate G9: upstreams that hang, and deadlines that
must hold, in a process that has searched before. `tests/test_faults.py` runs the same code on a
smaller scale.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from kensaku import Kensaku, Outcome, Response, Settings
from kensaku.errors import KensakuError
from kensaku.testing import FakeUpstream, Fault, faults

TENTH = 0.1
PASSING = (
    faults.status(500),
    faults.status(502),
    faults.status(503, headers={"Retry-After": "1"}),
    faults.status(504, "<html>gateway</html>"),
    faults.reset(),
    faults.half(),
    faults.bad_json(),
    faults.error_body(),
    faults.wrong_shape({"results": "none"}),
)
SLIPS = (  # refusals that come out of nowhere, and are over with the next request
    *PASSING,
    faults.html(),
    faults.html(403),
    faults.status(401),
    faults.status(402),
    faults.status(429),
    faults.status(429, headers={"Retry-After": "1"}),
    faults.status(432, {"detail": {"error": "over the plan's limit"}}),
)
OVERRUN = 0.25  # seconds after its deadline in which every call must have returned


@dataclass(frozen=True)
class Figures:
    """What a mix came to."""

    mix: str
    requests: int
    success: float  # share of the searches that found something
    stale: int  # of them, how many from the cache, after its time
    calls: float  # sent upstream, for each search
    seconds: float
    errors: Counter[str]  # what the attempts that failed say
    overrun: float = 0.0  # the latest return after a deadline, in seconds
    lag: float = 0.0  # the longest time for which the machine did not let the loop run, in seconds

    def row(self) -> str:
        """One line of the table."""
        return (
            f"{self.mix:42} {self.requests:7,} {self.success:9.3%} {self.stale:7,} "
            f"{self.calls:7.3f} {self.overrun * 1000:9.0f} {self.lag * 1000:8.0f} "
            f"{self.requests / self.seconds:8.0f}"
        )


HEAD = (
    f"{'mix':42} {'n':>7} {'success':>9} {'stale':>7} {'calls':>7} {'over, ms':>9} {'lag, ms':>8} "
    f"{'a second':>8}"
)


@asynccontextmanager
async def client(seed: int, **more: object) -> AsyncIterator[tuple[Kensaku, FakeUpstream]]:
    """Two providers on one fake upstream, and nothing in their way but their faults."""
    with tempfile.TemporaryDirectory() as home:
        async with FakeUpstream(seed=seed, keep=0) as up:
            free = {"TAVILY_RATE": "1000000/s", "BRAVE_RATE": "1000000/s", "KENSAKU_HOME": home}
            settings = Settings.load(
                environ=up.environment("tavily", "brave") | free,
                **{"route": "tavily,brave", "timeout": 20, **more},
            )
            async with Kensaku(settings) as k:
                yield k, up


def breaks(
    up: FakeUpstream, provider: str, share: float, seed: int, ways: Sequence[Fault] = PASSING
) -> None:
    """Let a provider fail with this share of its requests, each time in another way."""
    draw = random.Random(seed)
    each = share / len(ways)
    for n, fault in enumerate(ways):
        # Of several plans the first that applies is used: these chances add up to `share`.
        chance = each / (1 - each * n)
        up.fails(provider, fault, when=lambda _, chance=chance: draw.random() < chance)


class Counted:
    """How many requests came in: a plan before all others that never applies."""

    def __init__(self, up: FakeUpstream) -> None:
        self.calls = 0
        for provider in ("tavily", "brave"):
            up.fails(provider, faults.empty(), when=self._seen)

    def _seen(self, _: object) -> bool:
        self.calls += 1
        return False


async def drive(
    search: Callable[[int], Awaitable[Response]], requests: int, wide: int
) -> list[Response]:
    """Run the searches, `wide` at a time. Anything but a Response is a crash, and is raised."""
    numbers, found = iter(range(requests)), []

    async def worker() -> None:
        for n in numbers:
            response = await search(n)
            found.append(response)

    await asyncio.gather(*(worker() for _ in range(wide)))
    return found


def figures(mix: str, found: Sequence[Response], calls: int, seconds: float) -> Figures:
    """Count what came back. Every failure must say who and why."""
    errors: Counter[str] = Counter()
    for response in found:
        for attempt in response.attempts:
            if attempt.error is not None:
                assert isinstance(attempt.error, KensakuError)
                assert attempt.error.message
                errors[type(attempt.error).__name__] += 1
        assert response.outcome is not Outcome.EMPTY
    good = sum(r.outcome is Outcome.FOUND for r in found)
    stale = sum(r.stale for r in found)
    return Figures(mix, len(found), good / len(found), stale, calls / len(found), seconds, errors)


async def mix(
    name: str,
    share_a: float,
    share_b: float,
    requests: int,
    wide: int = 64,
    seed: int = 1,
    ways: Sequence[Fault] = PASSING,
) -> Figures:
    """One mix: how often A and B fail, and what becomes of the searches."""
    async with client(seed) as (k, up):
        counted = Counted(up)  # first, so that it sees every request
        breaks(up, "tavily", share_a, seed, ways)
        breaks(up, "brave", share_b, seed + 1, ways)
        began = time.perf_counter()
        found = await drive(lambda n: k.search(f"query {n}", cache=False), requests, wide)
        return figures(name, found, counted.calls, time.perf_counter() - began)


async def both_down(requests: int, wide: int = 64, seed: int = 1) -> Figures:
    """Everything was found once; then both are down, and the old answers stand in."""
    known = max(1, requests // 10)
    async with client(seed, cache_ttl=0) as (k, up):
        await drive(lambda n: k.search(f"query {n}"), known, wide)
        counted = Counted(up)
        breaks(up, "tavily", 1.0, seed)
        breaks(up, "brave", 1.0, seed + 1)
        began = time.perf_counter()
        found = await drive(lambda n: k.search(f"query {n % known}"), requests, wide)
        return figures("both down, answers of before", found, counted.calls, _since(began))


async def deadlines(
    requests: int, shortest: float = 0.2, longest: float = 1.0, wide: int = 128, seed: int = 1
) -> Figures:
    """Upstreams that hang, answer late, or send half: nothing returns after its deadline."""
    draw, loop = random.Random(seed), asyncio.get_running_loop()
    late: list[float] = []
    async with client(seed) as (k, up):
        await k.search("loads the HTTP library")
        counted = Counted(up)
        hung: list[tuple[Fault, float]] = [
            (faults.hang(), 0.7),
            (faults.delay(0.15), 0.5),
            (faults.half(), 0.5),
        ]
        for fault, chance in hung:
            up.fails("*", fault, chance=chance)
        for name in ("tavily", "brave"):
            k.resources.limiter(name).breaker.FAILURES = (
                10**9
            )  # every search is to meet the hanging

        async def search(n: int) -> Response:
            timeout = draw.uniform(shortest, longest)
            mode = draw.choice(["first", "hedge", "all"])
            began = loop.time()
            found = await k.search(f"query {n}", timeout=timeout, mode=mode, cache=bool(n % 2))
            late.append(loop.time() - began - timeout)
            return found

        began, watch = time.perf_counter(), asyncio.create_task(longest_lag())
        found = await drive(search, requests, wide)
        done = figures("hanging, deadlines", found, counted.calls, _since(began))
        await asyncio.sleep(TENTH)
        watch.cancel()
        lag = await watch
        assert len(asyncio.all_tasks()) == 1, "work was left behind"
    return replace(done, overrun=max(late), lag=lag)


async def longest_lag(tick: float = 0.005) -> float:
    """How late the loop was at worst, until cancelled: on a busy machine, anything is so late."""
    loop, worst = asyncio.get_running_loop(), 0.0
    try:
        while True:
            before = loop.time()
            await asyncio.sleep(tick)
            worst = max(worst, loop.time() - before - tick)
    except asyncio.CancelledError:
        return worst


def _since(began: float) -> float:
    return time.perf_counter() - began


async def report(requests: int, hanging: int) -> bool:
    """Print the table; whether every gate holds."""
    print(HEAD)
    rows = {}
    for key, work in (
        ("healthy", mix("both healthy", 0, 0, requests)),
        ("one", mix("A down, B healthy", 1.0, 0, requests)),
        ("thirty", mix("both 30 % faulty", 0.3, 0.3, requests)),
        ("slips", mix("both 30 %, refusals among them", 0.3, 0.3, requests, ways=SLIPS)),
        ("uneven", mix("A 30 %, B 1 %", 0.3, 0.01, requests)),
        ("none", mix("both down, nothing known", 1.0, 1.0, requests)),
        ("stale", both_down(requests)),
        ("late", deadlines(hanging)),
    ):
        rows[key] = await work
        print(rows[key].row(), flush=True)
    gates = {
        "G8: A down: success >= 99.9 %, calls <= 1.10": rows["one"].success >= 0.999
        and rows["one"].calls <= 1.10,
        "G8: both 30 %: success >= 99.9 %, calls <= 1.5": rows["thirty"].success >= 0.999
        and rows["thirty"].calls <= 1.5,
        "G8: the same, with refusals that come and go": rows["slips"].success >= 0.999
        and rows["slips"].calls <= 1.5,
        "G8: both down: calls <= 1.25": rows["none"].calls <= 1.25,
        "G8: both down: stale answers served": rows["stale"].stale == rows["stale"].requests
        and rows["stale"].calls <= 1.25,
        "G9: no return later than 250 ms after the deadline": rows["late"].overrun <= OVERRUN,
    }
    for gate, holds in gates.items():
        print(f"{gate:55} {'holds' if holds else 'BROKEN'}")
    return all(gates.values())


def main() -> int:
    """Print the table; 1 when a gate is broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--deadlines", type=int, default=5_000)
    options = parser.parse_args()
    return 0 if asyncio.run(report(options.requests, options.deadlines)) else 1


if __name__ == "__main__":
    sys.exit(main())

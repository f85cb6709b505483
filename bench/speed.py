"""Searches a second, CPU and latency, beside `AsyncTavilyClient` in the same run.

    python bench/speed.py [--rounds 12] [--json]

A fake Tavily runs in a process of its own on loopback: five results, 7 KB. Short slices of every
client take turns in this process, so that a noisy neighbour disturbs all of them; what is reported
is the median of the ratios of each round. Every query differs, the whole pipeline is on (limits,
ranking, confidence), the cache is off. `AsyncTavilyClient` decodes the JSON and nothing more.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from itertools import count
from typing import Any

from kensaku import Kensaku, Settings
from kensaku.models import Hit
from kensaku.testing import FakeUpstream, faults

SLOW = 0.05  # seconds: the upstream of the latency test
NUMBERS = count()
Search = Callable[[str], Awaitable[Any]]

TARGETS = {
    "requests a second, 64 in flight, to a reused client": (">=", 4.5),
    "requests a second, 64 in flight, to one client per call": (">=", 45.0),
    "CPU per request, 64 in flight, to a reused client": ("<=", 0.22),
    "latency added to 50 ms, one at a time, to a reused client": ("<", 1.0),
    "a cached search, microseconds": ("<=", 100.0),
    "connections for 100 searches, 1 in flight": ("<=", 1),
    "connections for 100 searches, 16 in flight": ("<=", 16),
    "connections for 100 searches, 64 in flight": ("<=", 64),
}


def five_results() -> list[Hit]:
    """Five different hits that make a body of about 7 KB, as the live API sends them."""
    choose = random.Random(5)
    sounds = "ka re to mi sen do lu ver an ti ro che pla sor ne wi ga th st el".split()
    rare = ["".join(choose.choices(sounds, k=choose.randint(2, 4))) for _ in range(900)]
    words = (
        rare + "the a of in for with and is are that this since from by new release".split() * 40
    )
    return [
        Hit(
            url=f"https://docs{n}.example.org/release/notes-{n}.html",
            title=f"Release notes, part {n}: what is new and what has changed",
            content=" ".join(choose.choices(words, k=240))[: 900 + 150 * n] + ".",
            score=0.9 - n / 10,
            published=f"2026-10-0{n + 1}",
        )
        for n in range(5)
    ]


async def serve() -> None:
    """The upstream's process: a fast and a slow one, until stdin closes."""
    async with FakeUpstream(keep=0) as fast, FakeUpstream(keep=0) as slow:
        for up in (fast, slow):
            up.answers("tavily", five_results())
        slow.fails("tavily", faults.delay(SLOW))
        print(fast.base_url("tavily"), slow.base_url("tavily"), flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


def client(base_url: str, home: str) -> Kensaku:
    """A client as people have it, but for the address."""
    environ = {"KENSAKU_HOME": home, "TAVILY_BASE_URL": base_url, "TAVILY_API_KEY": "tvly-bench"}
    return Kensaku(Settings.load(environ=environ, route="tavily"))


async def slice_of(search: Search, wide: int, requests: int) -> tuple[float, float]:
    """Run `requests` searches, `wide` at a time: requests a second, CPU seconds a request."""
    left = iter(range(requests))

    async def worker() -> None:
        for _ in left:
            await search(f"what is new in release {next(NUMBERS)}")

    cpu, wall = time.process_time(), time.perf_counter()
    await asyncio.gather(*(worker() for _ in range(wide)))
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return requests / wall, cpu / requests


async def added_latency(searches: Sequence[Search], requests: int) -> list[float]:
    """What comes on top of the upstream's own time, one at a time, taking turns: for each client
    the lower quartile, because a busy machine adds milliseconds to anybody."""
    took: list[list[float]] = [[] for _ in searches]
    for _ in range(requests):
        for search, times in zip(searches, took, strict=True):
            began = time.perf_counter()
            await search(f"what is new in release {next(NUMBERS)}")
            times.append(time.perf_counter() - began - SLOW)
    return [statistics.quantiles(times, n=4)[0] for times in took]


async def cached_microseconds(k: Kensaku, requests: int) -> float:
    """The median time of a search that is answered from the cache in the process."""
    await k.search("what is new")
    took = []
    for _ in range(requests):
        began = time.perf_counter()
        await k.search("what is new")
        took.append(time.perf_counter() - began)
    return statistics.median(took) * 1e6


async def connections(wide: int, home: str) -> int:
    """How many connections 100 searches open, against an upstream that takes 20 ms."""
    async with FakeUpstream() as up:
        up.fails("tavily", faults.delay(0.02))
        async with client(up.base_url("tavily"), home) as k:
            await slice_of(partial(k.search, cache=False), wide, 100)
        return up.connections


def bare(base_url: str) -> Search:
    """A socket and nothing else: what the upstream, its timer and the system take by themselves."""
    host, port, path = re.fullmatch(r"http://(.+):(\d+)(/.+)", base_url).groups()  # type: ignore[union-attr]
    line = socket.create_connection((host, int(port)))

    async def search(query: str) -> None:
        body = json.dumps({"query": query, "max_results": 5}).encode()
        head = f"POST {path}/search HTTP/1.1\r\nHost: {host}\r\nContent-Length: {len(body)}\r\n\r\n"
        line.sendall(head.encode() + body)
        reply = line.recv(65536)
        head_bytes, length = reply.index(b"\r\n\r\n") + 4, re.search(rb"Length: (\d+)", reply)
        while length and len(reply) < head_bytes + int(length[1]):
            reply += line.recv(65536)

    return search


def weighed(k: Kensaku) -> Search:
    """A search with its confidence, which is only weighed when somebody asks for it."""

    async def search(query: str) -> object:
        return (await k.search(query, cache=False)).confidence

    return search


async def measure(rounds: int, fast: str, slow: str) -> dict[str, float]:
    """All figures, as medians over the rounds."""
    from tavily import AsyncTavilyClient

    rps: list[tuple[float, float, float]] = []
    cpu: list[float] = []
    added: list[float] = []
    above: list[float] = []
    cached: list[float] = []
    own: list[tuple[float, float]] = []

    async def anew(query: str) -> None:
        async with AsyncTavilyClient("tvly-bench", api_base_url=fast) as one:
            await one.search(query, max_results=5)

    with tempfile.TemporaryDirectory() as home:
        quick, patient = client(fast, home), client(slow, home)
        reused = AsyncTavilyClient("tvly-bench", api_base_url=fast)
        late = AsyncTavilyClient("tvly-bench", api_base_url=slow)
        ours, calm, socket_alone = weighed(quick), weighed(patient), bare(slow)
        theirs: Search = partial(reused.search, max_results=5)
        await slice_of(ours, 64, 500)
        await slice_of(theirs, 64, 100)
        for n in range(rounds):
            a = await slice_of(ours, 64, 1500)
            b = await slice_of(theirs, 64, 200)
            c = await slice_of(anew, 16, 16)
            rps.append((a[0], a[0] / b[0], a[0] / c[0]))
            cpu.append(a[1] / b[1])
            own.append((a[1], b[1]))
            if n % 2 == 0:
                mine, other, least = await added_latency((calm, late.search, socket_alone), 12)
                added.append(mine / other)
                above.append((mine - least) / (other - least))
                cached.append(await cached_microseconds(quick, 500))
        for one in (quick, patient, reused, late):
            await one.close()
        opened = [await connections(wide, home) for wide in (1, 16, 64)]

    figures = [
        statistics.median(r[1] for r in rps),
        statistics.median(r[2] for r in rps),
        statistics.median(cpu),
        statistics.median(added),
        statistics.median(cached),
        *opened,
    ]
    return {
        **dict(zip(TARGETS, figures, strict=True)),
        "the same latency, above that of a bare socket": statistics.median(above),
        "requests a second, 64 in flight": statistics.median(r[0] for r in rps),
        "CPU microseconds per request": statistics.median(o[0] for o in own) * 1e6,
        "CPU microseconds per request, reused client": statistics.median(o[1] for o in own) * 1e6,
    }


def met(name: str, value: float) -> bool:
    """Whether a figure is where it should be."""
    kind, bound = TARGETS[name]
    return value >= bound if kind == ">=" else value < bound if kind == "<" else value <= bound


def main() -> int:
    """Print the figures; 1 when one of them is not where it should be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        asyncio.run(serve())
        return 0
    upstream = subprocess.Popen(
        [sys.executable, __file__, "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert upstream.stdout is not None
    try:
        fast, slow = upstream.stdout.readline().decode().split()
        figures = asyncio.run(measure(options.rounds, fast, slow))
    finally:
        upstream.communicate()
    if options.json:
        print(json.dumps(figures, indent=2))
    else:
        for name, value in figures.items():
            goal = "{} {:g}".format(*TARGETS[name]) if name in TARGETS else ""
            verdict = "" if not goal else "met" if met(name, value) else "MISSED"
            print(f"{name:60} {value:10.3f}  {goal:8} {verdict}")
    return 0 if all(met(n, figures[n]) for n in TARGETS) else 1


if __name__ == "__main__":
    sys.exit(main())

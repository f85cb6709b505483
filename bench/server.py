"""`kensaku serve` under load, beside two servers that people could run instead.

    python bench/server.py [--rounds 5] [--peers FOLDER] [--json]

Every server, the upstream (a fake Tavily: five results, 7 KB) and the load generator have a process
of their own on loopback. Slices of the servers take turns, and ratios are the medians over the
rounds, so that a noisy neighbour disturbs all of them. `--peers` keeps the peers' virtualenvs;
a peer that cannot be installed is skipped with a line.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Any

from server_processes import SLOW, Server, ask, ddgs, kensaku, litellm, upstreams

CONNECTIONS, RATE, OVERLOAD = 64, 200, 5
Figures = dict[str, float]

TARGETS = {
    "a question that was asked before, requests/s, to LiteLLM": (">=", 4.0),
    "a question that was asked before, requests/s, to ddgs": (">=", 4.0),
    "a new question, requests/s, to LiteLLM": (">=", 4.0),
    "a new question, requests/s, to ddgs": (">=", 4.0),
    "cached, p99 at 64 connections, ms": ("<=", 100.0),
    "cached, errors": ("<=", 0.0),
    "300 ms upstream, 200 requests/s: added p50, ms": ("<=", 5.0),
    "300 ms upstream, 200 requests/s: added p99, ms": ("<=", 25.0),
    "overload: goodput, share of capacity": (">=", 0.8),
    "overload: refusals without Retry-After": ("<=", 0.0),
    "overload: broken connections": ("<=", 0.0),
    "start to first answer, s": ("<=", 1.5),
    "idle, MB": ("<=", 150.0),
}


def load(url: str, key: str = "", *options: str) -> dict[str, Any]:
    """The figures of one run of the load generator."""
    generator = [sys.executable, str(Path(__file__).with_name("load.py")), url, "--key", key]
    done = subprocess.run([*generator, *options], stdout=subprocess.PIPE, check=True)
    return dict(json.loads(done.stdout))


def closed(requests: int, connections: int = CONNECTIONS) -> tuple[str, ...]:
    """Options: so many requests, the next one after each answer."""
    return "--connections", str(connections), "--requests", str(requests)


def opened(rate: float, seconds: float) -> tuple[str, ...]:
    """Options: so many requests a second, each with a query of its own."""
    return "--rate", f"{rate:.1f}", "--seconds", str(seconds), "--vary"


def cpu_of(
    server: Server, url: str, key: str, requests: int, *options: str
) -> tuple[dict[str, Any], float]:
    """The figures of a closed loop, and the server's CPU microseconds a request."""
    before = server.cpu
    figures = load(url, key, *closed(requests), *options)
    return figures, (server.cpu - before) / requests * 1e6


def start(fast: str) -> Figures:
    """What starting takes, in a new home and in one that is there; what the process holds."""
    took, cpu, idle, after = [], [], [], 0.0
    with tempfile.TemporaryDirectory() as home:
        for n in range(4):
            with kensaku(fast, home=home) as (server, _):
                ask(server.url + "/search")
                took.append(time.perf_counter() - server.began)
                cpu.append(server.cpu)
                idle.append(server.megabytes)
                if n == 3:
                    load(server.url + "/search", "", *closed(10_000))
                    after = server.megabytes
    return {
        "start to first answer, s": statistics.median(took[1:]),
        "start to first answer, CPU s": statistics.median(cpu[1:]),
        "first start of all, with the migrations, CPU s": cpu[0],
        "idle, MB": statistics.median(idle),
        "after 10,000 requests, MB": after,
    }


def cached(fast: str, rounds: int) -> Figures:
    """A cached search, with and without keys."""
    with ExitStack() as stack:
        open_server, _ = stack.enter_context(kensaku(fast))
        keyed, key = stack.enter_context(kensaku(fast, keyed=True))
        servers = {"": (open_server, ""), ", with keys": (keyed, key)}
        runs: dict[str, list[tuple[dict[str, Any], float]]] = {name: [] for name in servers}
        for n in range(rounds + 1):
            for name, (server, secret) in servers.items():
                ask(server.url + "/search", secret)
                run = cpu_of(server, server.url + "/search", secret, 1_500)
                if n:  # the first round warms up
                    runs[name].append(run)
    found: Figures = {}
    for name, of_server in runs.items():
        for figure, unit in (("rps", "requests/s"), ("p50", "ms"), ("p99", "ms")):
            value = statistics.median(run[figure] for run, _ in of_server)
            label = "" if figure == "rps" else f", {figure}"
            found[f"cached{name}{label}, {unit}"] = value
        found[f"cached{name}, CPU µs a request"] = statistics.median(cpu for _, cpu in of_server)
    found["cached, p99 at 64 connections, ms"] = found.pop("cached, p99, ms")
    ours = [run for of_server in runs.values() for run, _ in of_server]
    found["cached, errors"] = sum(r["errors"] + sum(r["status"].values()) - r["good"] for r in ours)
    return found


def uncached(slow: str) -> Figures:
    """What the server adds to an upstream that takes 300 ms."""
    with kensaku(slow) as (server, _):
        load(server.url + "/search", "", *opened(RATE, 2))
        direct = load(slow + "/search", "k", *opened(RATE, 5))
        ours = load(server.url + "/search", "", *opened(RATE, 5))
    label = f"{SLOW * 1000:.0f} ms upstream, {RATE} requests/s"
    return {
        f"{label}: added p50, ms": ours["p50"] - direct["p50"],
        f"{label}: added p99, ms": ours["p99"] - direct["p99"],
        f"{label}: answered": ours["good"] / (RATE * 5),
    }


def overloaded(slow: str) -> Figures:
    """Five times as many requests as the server can take, and the time after."""
    with kensaku(slow) as (server, _):
        url = server.url + "/search"
        load(url, "", *closed(500, 256), "--vary")
        capacity = load(url, "", *closed(2_000, 256), "--vary")["rps"]
        during = load(url, "", *opened(OVERLOAD * capacity, 5))
        after = load(url, "", *closed(1_500, 256), "--vary")
    return {
        "overload: capacity, requests/s": capacity,
        "overload: goodput, share of capacity": during["rps"] / capacity,
        "overload: refused with 429 or 503": during["refused"],
        "overload: refused, p50, ms": during["refused_p50"],
        "overload: refusals without Retry-After": during["without_retry_after"],
        "overload: broken connections": during["errors"],
        "overload: afterwards, share of capacity": after["rps"] / capacity,
    }


def beside_peers(fast: str, page: str, folder: Path, rounds: int) -> Figures:
    """The same upstream behind each server. The peers have no cache: all is new to them."""
    peers: dict[str, tuple[AbstractContextManager[tuple[Server, str]], str]] = {
        "ddgs": (ddgs(folder, page), '{"backend": "mojeek"}'),
        "LiteLLM": (litellm(folder, fast), "{}"),
    }
    found: Figures = {}
    with kensaku(fast) as (server, _):
        ask(server.url + "/search")
        for name, (running, fields) in peers.items():
            try:
                with running as (peer, url):
                    ask(url, **json.loads(fields))
                    runs = [_beside(server, peer, url, fields) for _ in range(rounds)]
            except (OSError, subprocess.SubprocessError, RuntimeError) as error:
                print(f"{name} is skipped: {type(error).__name__} {error!s:.200}", file=sys.stderr)
                continue
            for label in runs[0]:
                found[label.format(name)] = statistics.median(run[label] for run in runs)
    return found


def _beside(server: Server, peer: Server, url: str, fields: str) -> Figures:
    """A slice of each server."""
    ours = server.url + "/search"
    new, new_cpu = cpu_of(server, ours, "", 500, "--vary")
    known, known_cpu = cpu_of(server, ours, "", 1_500)
    theirs, cpu = cpu_of(peer, url, "", 100, "--vary", "--fields", fields)
    return {
        "a new question, requests/s, to {}": new["rps"] / theirs["rps"],
        "a new question, by CPU, to {}": cpu / new_cpu,
        "a question that was asked before, requests/s, to {}": known["rps"] / theirs["rps"],
        "a question that was asked before, by CPU, to {}": cpu / known_cpu,
        "{}, requests/s": theirs["rps"],
        "{}, CPU µs a request": cpu,
    }


def met(name: str, value: float) -> bool:
    """Whether a figure is where it should be."""
    kind, bound = TARGETS[name]
    return value >= bound if kind == ">=" else value <= bound


def main() -> int:
    """Print the figures; 1 when one of them is not where it should be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--peers", type=Path, help="where the virtualenvs of the peers are kept")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with ExitStack() as stack:
        fast, slow, page = stack.enter_context(upstreams())
        folder = options.peers or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        figures = start(fast) | cached(fast, options.rounds) | uncached(slow)
        figures |= beside_peers(fast, page, folder, options.rounds) | overloaded(slow)
    if options.json:
        print(json.dumps(figures, indent=2))
    else:
        for name, value in figures.items():
            goal = "{} {:g}".format(*TARGETS[name]) if name in TARGETS else ""
            verdict = "" if not goal else "met" if met(name, value) else "MISSED"
            print(f"{name:66} {value:10.3f}  {goal:8} {verdict}")
    return 0 if all(met(n, figures[n]) for n in TARGETS if n in figures) else 1


if __name__ == "__main__":
    sys.exit(main())

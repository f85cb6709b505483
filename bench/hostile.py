"""Documents that are made to break parsers, in twenties, while ordinary pages are read (G7).

    python bench/hostile.py [--times 20] [--only pdf]

A process of its own serves the set of `tests/extract/bombs.py` and 20 ordinary pages of 100 KB.
One after the other first: how long each bomb takes, how it ends, and the most memory of a worker.
Then all at once, `--times` of each in calls of 20, while one caller reads the ordinary pages again
and again: how many of those are read, how long a call of 20 takes, and how late the loop runs.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from itertools import count
from pathlib import Path

import pages

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.extract.bombs import BOMBS

from kensaku import Kensaku
from kensaku.errors import FetchError

SECONDS, MEMORY, LAG = 10.0, 10**9, 0.050
NUMBERS = count()


async def serve() -> None:
    """Bomb n at /n, ordinary page n at /page/n, no robots.txt, until stdin closes."""
    bombs, ordinary = [made() for made in BOMBS.values()], pages.made_pages()
    await pages.listen(
        lambda path: (
            ordinary[int(path[5:])]
            if path.startswith("page/")
            else bombs[int(path)]
            if path.isdigit()
            else b""
        )
    )


class Peak:
    """The most memory that one of a client's parsing workers has had."""

    def __init__(self, k: Kensaku) -> None:
        self._pool, self.bytes = k.resources.reader().parser, 0

    async def watch(self) -> None:
        while True:
            for worker in list(self._pool._all):
                self.bytes = max(self.bytes, peak_of(worker._process.pid))
            await asyncio.sleep(0.02)


def peak_of(process: int) -> int:
    """The most bytes that a process has had in memory; 0 when it is gone."""
    try:
        said = Path(f"/proc/{process}/status").read_text()
        return int(said.split("VmHWM:")[1].split()[0]) * 1024
    except (OSError, IndexError):
        return 0


async def alone(k: Kensaku, port: int, only: str) -> bool:
    """Each bomb by itself. Whether all kept the bounds."""
    good = True
    for n, name in enumerate(BOMBS):
        if only not in name:
            continue
        peak = Peak(k)
        watching = asyncio.create_task(peak.watch())
        began = time.perf_counter()
        done = await k.extract([f"http://127.0.0.1:{port}/{n}?{next(NUMBERS)}"])
        took = time.perf_counter() - began
        watching.cancel()
        said = (
            f"{done.failed[0][1]}" if done.failed else f"{len(done.results[0].text):,} characters"
        )
        good = good and took <= SECONDS and peak.bytes <= MEMORY
        print(f"{name:52}{took:6.2f} s{peak.bytes / 1e6:7.0f} MB  {said[:70]}")
    return good


async def together(k: Kensaku, port: int, times: int, only: str) -> bool:
    """All bombs in twenties, and ordinary pages meanwhile. Whether those were read."""
    numbers = [n for n, name in enumerate(BOMBS) if only in name] * times
    calls = [numbers[at : at + 20] for at in range(0, len(numbers), 20)]
    ended, untyped, going = 0, 0, True

    async def bomb(call: list[int]) -> None:
        nonlocal ended, untyped
        urls = [f"http://127.0.1.{n % 200 + 1}:{port}/{n}?{next(NUMBERS)}" for n in call]
        done = await k.extract(urls, timeout=60)
        ended += len(done.results) + len(done.failed)
        untyped += sum(not isinstance(error, FetchError) for _, error in done.failed)

    async def ordinary() -> tuple[int, list[float]]:
        read, took = 0, list[float]()
        while going:
            began = time.perf_counter()
            urls = [f"http://127.0.0.{n + 1}:{port}/page/{n}?{next(NUMBERS)}" for n in range(20)]
            read += sum(bool(page.text) for page in (await k.extract(urls)).results)
            took.append(time.perf_counter() - began)
        return read, took

    peak, round_ = Peak(k), pages.Round()
    beside = [asyncio.create_task(peak.watch()), asyncio.create_task(round_.beat())]
    reading = asyncio.create_task(ordinary())
    await asyncio.gather(*(bomb(call) for call in calls))
    going = False
    read, took = await reading
    for task in beside:
        task.cancel()
    lags = statistics.quantiles(round_.lags, n=100)
    share = read / (20 * len(took))
    print(f"\n{len(numbers)} bombs in {len(calls)} calls at once: {ended} ended, {untyped} untyped")
    print(f"ordinary pages meanwhile: {read} of {20 * len(took)} read ({share:.1%});", end=" ")
    print(f"a call of 20 took {statistics.median(took):.2f} s, {max(took):.2f} s at most")
    print(f"event loop: lag p50 {lags[49] * 1000:.1f} ms, p99 {lags[98] * 1000:.1f} ms", end="; ")
    print(f"largest worker {peak.bytes / 1e6:.0f} MB")
    return share >= 0.999 and lags[98] <= LAG and peak.bytes <= MEMORY and not untyped


async def measure(port: int, times: int, only: str) -> bool:
    """Both parts; the ordinary pages are read once beforehand."""
    with tempfile.TemporaryDirectory() as home:
        async with pages.client(home) as k:
            await k.extract([f"http://127.0.0.{n + 1}:{port}/page/{n}" for n in range(20)])
            one = await alone(k, port, only)
            return await together(k, port, times, only) and one


def main() -> int:
    """Print the figures; 1 when one of them is not where it should be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--only", default="", help="only bombs whose name holds this")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        asyncio.run(serve())
        return 0
    with pages.sites(__file__) as (_, port):
        good = asyncio.run(measure(port, options.times, options.only))
    print("met" if good else "MISSED", end=": each bomb within 10 s and 1 GB, 99.9 % of the ")
    print(f"ordinary pages read, lag p99 at most {LAG * 1000:g} ms")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

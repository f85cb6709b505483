"""Pages a second, CPU a page and how late the event loop runs: `k.extract` beside trafilatura.

    python bench/pages.py [--rounds 5] [--calls 5] [--made]

A process of its own serves 20 pages of 100 KB, each under a loopback host of its own (a host is
asked for two pages at a time, whoever asks). The pages are those of WCXB that come nearest to
100 KB, cut there (`KENSAKU_DATA`, or `../shared/data`); without the data, or with `--made`, they
are invented. Every call asks for 20 addresses that were never asked for, so that all of it is
measured: robots.txt is known after the first call, everything else is done anew, and is kept.

The peer fetches with one pooled `httpx.AsyncClient` and extracts where it stands, in the event
loop, or in as many threads as there are cores. Rounds take turns. The lag is how much later than
asked for a sleep of 5 ms ends. CPU is that of this process ("here") and of its workers; "if idle"
is how many pages a second that makes on as many cores as there are, were they ours alone.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from kensaku import Kensaku, Settings

PAGES, SIZE = 20, 100 * 1024
TICK = 0.005
NUMBERS = count()
PAGES_A_SECOND, LAG = 50.0, 0.050  # what two idle cores are to give

Extract = Callable[[list[str]], Awaitable[int]]


def real_pages() -> list[bytes]:
    """The 20 pages that need the least to be cut to 100 KB."""
    given = os.environ.get("KENSAKU_DATA")
    folder = Path(given) if given else Path(__file__).resolve().parents[2] / "shared" / "data"
    if not (pages := folder / "extract" / "wcxb-dev-360.jsonl.gz").exists():
        return made_pages()
    with gzip.open(pages, "rt", encoding="utf-8") as lines:
        found = [json.loads(line)["html"].encode() for line in lines]
    large = sorted((page for page in found if len(page) >= SIZE), key=len)
    return [page[:SIZE] for page in large[:PAGES]]


def made_pages() -> list[bytes]:
    """20 invented articles with menus, links, lists, a table, a style sheet and a script."""
    return [_made(random.Random(n)) for n in range(PAGES)]


def _made(choose: random.Random) -> bytes:
    sounds = "ka re to mi sen do lu ver an ti ro che pla sor ne wi ga th st el".split()
    rare = ["".join(choose.choices(sounds, k=choose.randint(2, 4))) for _ in range(900)]
    words = rare + "the a of in for with and is are that this since from by new".split() * 40

    def said(n: int) -> str:
        return " ".join(choose.choices(words, k=n))

    def links(n: int) -> str:
        one = '<li class="menu-item"><a href="/{}" class="nav-link">{}</a></li>'
        return "".join(one.format(choose.choice(rare), said(2)) for _ in range(n))

    rules = "".join(f".{word}{{color:#333;margin:{n}px}}" for n, word in enumerate(rare[:150]))
    head = f"<!doctype html><html lang=en><head><title>{said(6)}</title><style>{rules}</style>"
    parts = [f"{head}</head><body><header><nav><ul>{links(60)}</ul></nav></header><main><article>"]
    size = len(parts[0])
    while size < SIZE - 25_000:
        rows = "".join(f"<tr><td>{said(2)}</td><td>{said(1)}</td></tr>" for _ in range(4))
        text = "".join(
            f'<p class="{choose.choice(rare)}">{said(45)} <a href="/{said(1)}">{said(3)}</a> '
            f"<em>{said(2)}</em> {said(20)}.</p>"
            for _ in range(4)
        )
        parts.append(f"<h2>{said(4)}</h2>{text}<table>{rows}</table>")
        size += len(parts[-1])
    cards = "".join(f"<div class=card><h3>{said(5)}</h3><p>{said(12)}</p></div>" for _ in range(40))
    parts.append(f"</article></main><aside>{cards}</aside><footer><ul>{links(40)}</ul></footer>")
    page = "".join(parts)
    script = f"<script>var data = '{'x' * max(0, SIZE - len(page) - 60)}';</script></body></html>"
    return (page + script).encode()


async def serve(made: bool) -> None:
    """The process of the sites: page n at /n, no robots.txt, until stdin closes."""
    pages = made_pages() if made else real_pages()
    await listen(lambda path: pages[int(path)] if path.isdigit() else b"")


async def listen(body_of: Callable[[str], bytes]) -> None:
    """Serve on every loopback address what `body_of` gives for a path, and 404 for nothing."""
    head = "HTTP/1.1 {}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\n\r\n"

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while request := await reader.readuntil(b"\r\n\r\n"):
                body = body_of(request.split(b" ", 2)[1].partition(b"?")[0][1:].decode())
                status = "200 OK" if body else "404 Not Found"
                writer.write(head.format(status, len(body)).encode() + body)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            writer.close()

    server = await asyncio.start_server(talk, "0.0.0.0", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


def addresses(port: int) -> list[str]:
    """20 pages on 20 hosts, under addresses that nobody has asked for before."""
    return [f"http://127.0.0.{n + 1}:{port}/{n}?{next(NUMBERS)}" for n in range(PAGES)]


def client(home: str) -> Kensaku:
    """A client as people have it, but that it may see loopback."""
    environ = {"KENSAKU_HOME": home, "KENSAKU_FETCH_ALLOW": "127.0.0.0/8"}
    return Kensaku(Settings.load(environ=environ, fetch_ports=("any",)))


def ours(k: Kensaku) -> Extract:
    async def extract(urls: list[str]) -> int:
        return sum(bool(page.text) for page in (await k.extract(urls)).results)

    return extract


def theirs(threads: bool) -> Extract:
    import httpx
    import trafilatura

    session = httpx.AsyncClient(trust_env=False)
    free = asyncio.Semaphore(os.cpu_count() or 1)

    async def one(url: str) -> bool:
        html = (await session.get(url)).text
        if not threads:
            return bool(trafilatura.extract(html, url=url))
        async with free:
            return bool(await asyncio.to_thread(trafilatura.extract, html, url=url))

    async def extract(urls: list[str]) -> int:
        return sum(await asyncio.gather(*(one(url) for url in urls)))

    return extract


class Round:
    """What one round of calls gave."""

    def __init__(self) -> None:
        self.pages, self.lags = 0, list[float]()

    async def run(self, extract: Extract, port: int, calls: int) -> Round:
        heart = asyncio.create_task(self.beat())
        here, cpu, wall = time.process_time(), _cpu(), time.perf_counter()
        for _ in range(calls):
            self.pages += await extract(addresses(port))
        self.wall, self.cpu = time.perf_counter() - wall, _cpu() - cpu
        self.here = time.process_time() - here
        heart.cancel()
        return self

    async def beat(self) -> None:
        while True:
            began = time.perf_counter()
            await asyncio.sleep(TICK)
            self.lags.append(time.perf_counter() - began - TICK)


def _cpu() -> float:
    """CPU seconds of this process and of those it started, those that still run included."""
    mine = time.process_time()
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == os.getpid() and int(status.parent.name) != SITES[0]:
            mine += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return mine


SITES = [0]  # the process that serves: its CPU is nobody's here


async def measure(port: int, rounds: int, calls: int) -> dict[str, list[Round]]:
    """All rounds of everybody, taking turns; each is warm when it is first measured."""
    took: dict[str, list[Round]] = {}
    with tempfile.TemporaryDirectory() as home:
        async with client(home) as k:
            everybody = {"kensaku": ours(k)}
            try:
                everybody["trafilatura, in the loop"] = theirs(threads=False)
                everybody["trafilatura, in threads"] = theirs(threads=True)
            except ImportError:
                print("trafilatura or httpx is not installed: no peer", file=sys.stderr)
            for extract in everybody.values():
                await Round().run(extract, port, 2)
            for _ in range(rounds):
                for name, extract in everybody.items():
                    took.setdefault(name, []).append(await Round().run(extract, port, calls))
    return took


def report(took: dict[str, list[Round]], wanted: int) -> bool:
    """Print a line for each. Whether ours is where it should be."""
    titles = ("pages/s", "if idle", "CPU ms/page", "of it here", "read", "lag p50", "lag p99")
    print(" " * 26 + "".join(f"{title:>12}" for title in titles))
    good = False
    for name, found in took.items():
        rate = statistics.median(r.pages / r.wall for r in found)
        cpu = statistics.median(r.cpu / wanted for r in found)
        here = statistics.median(r.here / wanted for r in found)
        read = sum(r.pages for r in found) / (wanted * len(found))
        lags = statistics.quantiles([lag for r in found for lag in r.lags], n=100)
        print(
            f"{name:26}{rate:12.1f}{(os.cpu_count() or 1) / cpu:12.1f}{cpu * 1000:12.1f}"
            f"{here * 1000:12.1f}{read:12.0%}{lags[49] * 1000:9.1f} ms{lags[98] * 1000:9.1f} ms"
        )
        if name == "kensaku":
            good = rate >= PAGES_A_SECOND and lags[98] <= LAG
    return good


@contextmanager
def sites(file: str, *options: str) -> Iterator[tuple[int, int]]:
    """The number and the port of a process that runs `file --serve` until this ends."""
    command = [sys.executable, file, "--serve", *options]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    try:
        yield process.pid, int(process.stdout.readline())
    finally:
        process.communicate()


def main() -> int:
    """Print the figures; 1 when ours are not where they should be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--calls", type=int, default=5, help="calls of 20 pages in each round")
    parser.add_argument("--made", action="store_true", help="invented pages")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        asyncio.run(serve(options.made))
        return 0
    with sites(__file__, *(["--made"] if options.made else [])) as (SITES[0], port):
        took = asyncio.run(measure(port, options.rounds, options.calls))
    good = report(took, options.calls * PAGES)
    print(
        f"kensaku: at least {PAGES_A_SECOND:g} pages/s, lag p99 at most {LAG * 1000:g} ms:", end=""
    )
    print(" met" if good else " MISSED")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

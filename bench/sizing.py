"""What a server needs: memory, CPU and disk, step by step.

    python bench/sizing.py [--searches 2000] [--documents 2000] [--json]

One `kensaku serve` with a key, a fake Tavily (five results, 7 KB) and an empty home. Memory is what
is resident; that of the index worker is mostly pages of its files, which the system may drop. CPU
is of the server and the worker together. docs/operations/sizing.md has the figures.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from server import closed, load
from server_processes import MAIN, TICKS, Server, kensaku, resident, upstreams

WORDS = 1_500  # of a document: 10 KB, as the text of a page has


def worker_of(home: str) -> int | None:
    """The process that holds the index of a home."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes().decode().split("\0")
            except OSError:
                continue
            if any("worker" in word for word in words) and any(home in word for word in words):
                return int(entry.name)
    return None


def cpu_of(pid: int | None) -> float:
    """CPU seconds of a process so far."""
    if pid is None:
        return 0.0
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def disk(*paths: Path) -> float:
    """Megabytes that files take up, without the holes in them."""
    files = [f for path in paths for f in ([path] if path.is_file() else path.rglob("*"))]
    return sum(f.stat().st_blocks * 512 for f in files if f.is_file()) / 1e6


def write_documents(file: Path, count: int) -> None:
    """Texts of invented words, as frequent as words are."""
    rng = random.Random(7)
    words = ["".join(rng.choices("aeioulnrstkm", k=rng.randint(3, 9))) for _ in range(30_000)]
    weights = [1 / (rank + 3) for rank in range(len(words))]
    with file.open("w", encoding="utf-8") as lines:
        for n in range(count):
            text = " ".join(rng.choices(words, weights, k=WORDS))
            row = {"url": f"https://e.example/{n}", "title": f"Page {n}", "text": text}
            lines.write(json.dumps(row) + "\n")


def measure(searches: int, documents: int) -> Iterator[tuple[str, dict[str, float]]]:
    """One step after the other, and what it took."""
    with (
        tempfile.TemporaryDirectory() as folder,
        upstreams() as (fast, _, _),
        kensaku(fast, keyed=True, home=folder) as (server, key),
    ):
        home = Path(folder)
        yield "started", {"server MB": server.megabytes}
        yield "new searches", _searches(server, key, searches, "--vary")
        cache = disk(home / "cache.sqlite")
        yield "cache on disk", {"KB a search": cache * 1e3 / searches}
        yield "cached searches", _searches(server, key, searches)
        file = home / "documents.jsonl"
        write_documents(file, documents)
        env = {**os.environ, "KENSAKU_HOME": folder}
        add = [sys.executable, "-c", MAIN, "index", "import", str(file)]
        subprocess.run(add, env=env, check=True, capture_output=True)
        file.unlink()
        yield "documents", {"KB on disk, each": disk(home / "index") * 1e3 / documents}
        yield "local searches", _local(folder, searches // 4)


def _searches(server: Server, key: str, count: int, *options: str) -> dict[str, float]:
    before = server.cpu
    figures = load(f"{server.url}/search", key, *closed(count), *options)
    assert not figures["errors"], figures
    return {"CPU ms each": (server.cpu - before) / count * 1e3, "server MB": server.megabytes}


LOCAL = """
import sys, time
from kensaku.sync import Kensaku
with Kensaku(route="local", cache_enabled=False) as k:
    k.search("page")
    print(flush=True)
    count = int(sys.stdin.readline())
    began = time.process_time()
    for n in range(count):
        k.search(f"page {n}")
    print(time.process_time() - began, flush=True)
    sys.stdin.read()
"""


def _local(home: str, count: int) -> dict[str, float]:
    """Searches of the documents, by a program that asks the worker."""
    process = subprocess.Popen(
        [sys.executable, "-c", LOCAL], env={**os.environ, "KENSAKU_HOME": home},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdin is not None
    process.stdout.readline()
    worker = worker_of(home)
    before = cpu_of(worker)
    print(count, file=process.stdin, flush=True)
    seconds = float(process.stdout.readline()) + cpu_of(worker) - before
    figures = {"CPU ms each": seconds / count * 1e3}
    if worker is not None:
        figures["worker MB"] = resident(worker)
    process.communicate()
    return figures


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--searches", type=int, default=2_000)
    parser.add_argument("--documents", type=int, default=2_000)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    steps: dict[str, Any] = {}
    for step, figures in measure(options.searches, options.documents):
        steps[step] = figures
        if not options.json:
            shown = ", ".join(f"{name} {value:,.2f}" for name, value in figures.items())
            print(f"{step}: {shown}", flush=True)
    if options.json:
        print(json.dumps(steps))
    return 0


if __name__ == "__main__":
    sys.exit(main())

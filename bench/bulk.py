"""Pages a CPU-second of `kensaku index build`, at one and two workers.

    python bench/bulk.py [--pages 600] [--texts 6000] [--workers 1 2] [--source warc]

Two sources: a WARC of real pages (WCXB, `KENSAKU_DATA` or `../shared/data`, repeated under new
addresses until there are enough; without the data they are invented), which are parsed, extracted
and indexed; and JSON lines with their extracted texts, which are only indexed. Each run has a
process and an empty home of its own, with SQLite and the embedded engine. CPU is user and system
time of the job's process, of its parsers and of the index worker; starting and stopping is left
out of both figures. The seconds are those of a machine that others may use, too.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import io
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from kensaku import Settings, extract_html
from kensaku.jobs import Jobs

TICKS = os.sysconf("SC_CLK_TCK")


def real_pages() -> list[bytes]:
    """The pages of WCXB, or invented ones."""
    given = os.environ.get("KENSAKU_DATA")
    folder = Path(given) if given else Path(__file__).resolve().parents[2] / "shared" / "data"
    if (pages := folder / "extract" / "wcxb-dev-360.jsonl.gz").exists():
        with gzip.open(pages, "rt", encoding="utf-8") as lines:
            return [json.loads(line)["html"].encode() for line in lines]
    from pages import made_pages

    return made_pages()


def write_warc(file: Path, pages: list[bytes], n: int) -> None:
    """Write `n` responses, each compressed by itself, as crawlers do."""
    with file.open("wb") as out:
        for i in range(n):
            body = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + pages[i % len(pages)]
            head = (
                "WARC/1.0\r\nWARC-Type: response\r\nContent-Type: application/http\r\n"
                f"WARC-Target-URI: https://e.org/{file.name}/{i}\r\n"
                f"Content-Length: {len(body)}\r\n\r\n"
            )
            buffer = io.BytesIO()
            with gzip.GzipFile(fileobj=buffer, mode="wb") as member:
                member.write(head.encode() + body + b"\r\n\r\n")
            out.write(buffer.getvalue())


def write_jsonl(file: Path, texts: list[dict[str, str]], n: int) -> None:
    """Write `n` documents."""
    with file.open("w") as out:
        for i in range(n):
            row = {"url": f"https://e.org/{file.name}/{i}", **texts[i % len(texts)]}
            out.write(json.dumps({**row, "text": f"{row['text']} {i}"}) + "\n")


def index_cpu(home: str) -> float:
    """The CPU seconds of the index worker, which runs for a moment more."""
    pid = int(Path(home, "index", "lock").read_text())
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


async def run_one(sources: list[str], workers: int) -> dict[str, Any]:
    """Index the sources in an empty home; return counts, seconds and CPU by process."""
    with tempfile.TemporaryDirectory(prefix="kensaku-bulk-") as home:
        settings = Settings.load(environ={}, home=home)
        async with Jobs(settings, workers=workers) as jobs:
            await jobs.start()
            before, began = time.process_time(), time.perf_counter()
            id = await jobs.submit("bulk", {"sources": sources}, operator=True)
            job = await jobs.wait(id)
            seconds, here = time.perf_counter() - began, time.process_time() - before
            index = index_cpu(home)
        assert job.result is not None, job.error
        parsers = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = {"job": here, "parsers": parsers.ru_utime + parsers.ru_stime, "index": index}
        return {"documents": job.result["documents"], "seconds": seconds, "cpu": cpu}


def main() -> int:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=600)
    parser.add_argument("--texts", type=int, default=6_000)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--source", choices=("warc", "jsonl"), help="only this one")
    parser.add_argument("--one", nargs="+", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        print(json.dumps(asyncio.run(run_one(args.one, args.workers[0]))))
        return 0
    pages = real_pages()
    read = [extract_html(page) for page in pages]
    texts = [{"title": p.title, "text": p.markdown or p.text} for p in read if p.text]
    with tempfile.TemporaryDirectory() as folder:
        sources = {"warc": [Path(folder, f"{n}.warc.gz") for n in range(4)]}
        sources["jsonl"] = [Path(folder, f"{n}.jsonl") for n in range(4)]
        for n in range(4):
            write_warc(sources["warc"][n], pages[n::4], args.pages // 4)
            write_jsonl(sources["jsonl"][n], texts[n::4], args.texts // 4)
        html, text = _mean(pages), _mean([t["text"].encode() for t in texts])
        print(f"a page: {html:,.0f} bytes of HTML, {text:,.0f} bytes of text, on average")
        print("source  workers  documents  seconds  job  parsers  index  documents/CPU-s")
        for name, files in sources.items():
            for workers in args.workers if args.source in (None, name) else ():
                _print(name, workers, _measure(files, workers))
    return 0


def _mean(texts: list[bytes]) -> float:
    return sum(map(len, texts)) / len(texts)


def _measure(files: list[Path], workers: int) -> dict[str, Any]:
    command = [sys.executable, __file__, "--workers", str(workers), "--one", *map(str, files)]
    done = subprocess.run(command, capture_output=True, check=True, text=True)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def _print(name: str, workers: int, result: dict[str, Any]) -> None:
    cpu = result["cpu"]
    rate = result["documents"] / sum(cpu.values())
    columns = [
        f"{name:<6}",
        f"{workers:7}",
        f"{result['documents']:9,}",
        f"{result['seconds']:7.1f}",
    ]
    columns += [f"{cpu[part]:.1f}" for part in ("job", "parsers", "index")]
    print("  ".join([*columns, f"{rate:,.0f}"]), flush=True)


if __name__ == "__main__":
    sys.exit(main())

"""What was acknowledged survives: kill -9, a full disk, a read-only directory."""

from __future__ import annotations

import asyncio
import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from kensaku.errors import IndexFault
from kensaku.index import Index
from kensaku.index.worker.lock import DirectoryLock
from kensaku.models import Document
from tests.index.animals import ALL, HERONS, OTTERS, urls
from tests.index.test_damage import closed_files

pytestmark = pytest.mark.usefixtures("workers")

KILLS = int(os.environ.get("KENSAKU_KILLS", "6"))


HANG = 120  # seconds: what takes longer on a busy machine hangs
WRITER = Path(__file__).with_name("killed_writer.py")


def _start_writer(directory: Path, journal: Path, seed: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, WRITER, directory, journal, str(seed)])


def _kill_all(program: subprocess.Popen[bytes], directory: Path) -> None:
    """End the program and the worker at once, as a power button would."""
    worker = DirectoryLock(directory).owner()
    program.kill()
    if worker is not None:
        with suppress(ProcessLookupError):
            os.kill(worker, signal.SIGKILL)
    program.wait()


def _wait_for_change(program: subprocess.Popen[bytes], journal: Path, size: int) -> None:
    while not journal.exists() or journal.stat().st_size == size:
        assert program.poll() is None, "the writer ended by itself"
        time.sleep(0.01)


def _replay(journal: Path) -> tuple[dict[str, str | None], dict[str, set[str | None]]]:
    """What must be there, and what else may be: an operation without its `!` is open."""
    sure: dict[str, str | None] = {}
    maybe: dict[str, set[str | None]] = {}
    lines = journal.read_bytes().decode().splitlines()
    for line in lines:
        with suppress(json.JSONDecodeError):  # the last line may be cut
            changes = json.loads(line[1:])
            if line[0] == "!":
                sure |= changes
                for url in changes:
                    maybe.pop(url, None)
            else:
                for url, text in changes.items():
                    maybe.setdefault(url, set()).add(text)
    return sure, maybe


async def _stored(index: Index, path: Path) -> dict[str, str]:
    await index.export_jsonl(path, "default")
    text = await asyncio.to_thread(path.read_text)
    rows = map(json.loads, text.splitlines())
    return {row["url"]: row["text"] for row in rows}


@pytest.mark.usefixtures("killed")
async def test_acknowledged_documents_survive_kill_9(tmp_path):
    """Killed at random points while adding, replacing, deleting and optimising (G10)."""
    directory, journal = tmp_path / "index", tmp_path / "journal"
    chance = random.Random(7)
    for kill in range(KILLS):
        size = journal.stat().st_size if journal.exists() else 0
        program = _start_writer(directory, journal, kill)
        await asyncio.to_thread(_wait_for_change, program, journal, size)
        await asyncio.sleep(chance.uniform(0, 0.5))
        _kill_all(program, directory)

        sure, maybe = _replay(journal)
        async with Index(directory, idle_timeout=0) as index:
            if "default" not in await index.collections():
                assert not any(sure.values())
                continue
            stored = await _stored(index, tmp_path / "out.jsonl")
            for url, text in sure.items():
                assert stored.get(url) in ({text} | maybe.get(url, set())), (kill, url)
            assert stored.keys() <= sure.keys() | maybe.keys()
            for url in chance.sample(sorted(stored), min(5, len(stored))):
                word = stored[url].split()[0]
                assert url in urls(await index.search(word, max_results=5)), (kill, url)
        # What came of the open operation is settled now: later rounds start from it.
        settled = {url: stored.get(url) for url in maybe}
        with journal.open("a") as log:
            log.write(f"\n!{json.dumps(settled)}\n")


@pytest.mark.usefixtures("killed")
async def test_two_programs_search_and_add_at_the_same_time(tmp_path):
    """An agent searches while another process indexes: both use one worker."""
    directory, journal = tmp_path / "index", tmp_path / "journal"
    async with Index(directory, idle_timeout=0) as index:
        await index.add(ALL, collection="mine")
        with _start_writer(directory, journal, 1) as program:
            try:
                for _ in range(5):
                    size = journal.stat().st_size if journal.exists() else 0
                    await asyncio.to_thread(_wait_for_change, program, journal, size)
                    assert urls(await index.search("otters", collections="mine")) == [OTTERS.url]
            finally:
                program.kill()
        assert (await index.stats())["default"]["documents"] > 0


async def _fill(index: Index) -> int:
    """Add until it is refused; how many batches were acknowledged."""
    for n in range(200):
        batch = [
            Document(f"https://e.org/{n}-{k}", f"number{n}x{k}", f"w{n}x{k} " * 900)
            for k in range(30)
        ]
        try:
            await index.add(batch)
        except IndexFault:
            return n
    pytest.fail("it was never full")


async def _all_there(index: Index, batches: int) -> bool:
    found = [await index.search(f"number{n}x7", max_results=1) for n in range(batches)]
    return [urls(hits) for hits in found] == [[f"https://e.org/{n}-7"] for n in range(batches)]


async def test_a_write_that_fails_half_way_is_an_error_and_loses_nothing(index, tmp_path):
    """The worker may not make files larger: each write beyond that fails inside the engine."""
    await index.add(ALL, collection="other")
    worker = DirectoryLock(tmp_path / "index").owner()
    assert worker
    resource.prlimit(worker, resource.RLIMIT_FSIZE, (33_600_000, resource.RLIM_INFINITY))
    many = [Document(f"https://e.org/{n}", "", f"word{n}") for n in range(20)]
    await index.add(many)
    resource.prlimit(worker, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))

    with pytest.raises(IndexFault):
        await index.add([HERONS], collection="new")
    with suppress(IndexFault):  # a write that needs no longer file may still succeed
        await index.add([HERONS])

    resource.prlimit(worker, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
    assert urls(await index.search("word13")) == ["https://e.org/13"]
    await index.add([HERONS])
    assert urls(await index.search("herons", collections="default")) == [HERONS.url]


async def test_a_full_disk_is_an_error_and_loses_nothing(tmp_path):
    """Typed, everything acknowledged is there, and with room it goes on (G11)."""
    disk = tmp_path / "disk"
    await asyncio.to_thread(disk.mkdir)
    mount = ["mount", "-t", "tmpfs", "-o", "size=140m", "tmpfs", str(disk)]
    if (await asyncio.to_thread(subprocess.run, mount, capture_output=True)).returncode:
        pytest.skip("mounting a small disk takes root")
    try:
        ballast = disk / "ballast"
        await asyncio.to_thread(ballast.write_bytes, b"x" * 20_000_000)
        async with Index(disk / "index", idle_timeout=0) as index:
            acknowledged = await _fill(index)
            assert acknowledged > 0
            assert await _all_there(index, acknowledged)
        async with Index(disk / "index", idle_timeout=0) as index:
            assert await _all_there(index, acknowledged)
            ballast.unlink()
            await index.add([HERONS])
            assert urls(await index.search("herons")) == [HERONS.url]
        await closed_files(disk / "index")
    finally:
        await asyncio.to_thread(subprocess.run, ["umount", "-l", str(disk)], check=True)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
async def test_a_read_only_directory_is_an_error(tmp_path):
    """One sentence, not a traceback of the engine."""
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(IndexFault):
            async with Index(tmp_path / "index") as index:
                await index.add(ALL)
    finally:
        tmp_path.chmod(0o700)

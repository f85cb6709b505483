"""Files that were damaged, or copied while they were written: an error with a remedy, or the index.

More cases: KENSAKU_DAMAGES=200 pytest tests/index/test_damage.py
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import subprocess
from collections.abc import Awaitable
from pathlib import Path

import pytest

from kensaku.errors import IndexFault
from kensaku.index import Index
from kensaku.index.worker.lock import DirectoryLock
from kensaku.models import Document
from tests.index.animals import urls

pytestmark = pytest.mark.usefixtures("workers")

DAMAGES = int(os.environ.get("KENSAKU_DAMAGES", "8"))
COPIES = 3
HANG = 120  # seconds: what takes longer on a busy machine hangs


def _document(number: int) -> Document:
    return Document(f"https://e.org/{number}", f"Page {number}", f"word{number} and others. " * 20)


SOME = [_document(n) for n in range(300)]


async def closed_files(directory: Path) -> None:
    """Wait until the worker has closed its files."""
    lock = DirectoryLock(directory)
    await asyncio.to_thread(lock.acquire, HANG)
    lock.release()


def _copy(source: Path, target: Path) -> None:
    """The collections as they are on disk now. (cp keeps holes; files may come and go meanwhile.)"""
    target.mkdir()
    subprocess.run(["cp", "-R", source / "collections", target], capture_output=True)


@pytest.fixture(scope="module")
def closed(tmp_path_factory) -> Path:
    """A closed index with the collections `broken` and `whole`."""
    directory = tmp_path_factory.mktemp("closed") / "index"

    async def build() -> None:
        async with Index(directory, idle_timeout=0) as index:
            await index.add(SOME, collection="broken")
            await index.optimize("broken")
            await index.add([_document(1_000)], collection="broken")
            await index.add(SOME[:5], collection="whole")
        await closed_files(directory)

    asyncio.run(build())
    return directory


def _damage(directory: Path, seed: int) -> None:
    chance = random.Random(seed)
    files = [p for p in directory.rglob("*") if p.is_file() and p.stat().st_size]
    path = chance.choice(sorted(files))
    size = path.stat().st_size
    if chance.random() < 0.3:
        os.truncate(path, chance.randrange(size))
        return
    with path.open("r+b") as file:
        for _ in range(chance.choice([1, 16, 256])):
            # Where a file begins it says what it is; damage there is the hardest.
            file.seek(chance.randrange(min(size, chance.choice([64, 4_096, size]))))
            file.write(bytes([chance.randrange(256)]))


async def _complaint(call: Awaitable[object]) -> str | None:
    """What to do about what it met; None when it was done."""
    try:
        await call
    except IndexFault as error:
        return error.remedy
    return None


@pytest.mark.usefixtures("killed")
@pytest.mark.parametrize("seed", range(DAMAGES))
async def test_flipped_bytes_and_cut_files_are_an_error_with_a_remedy_that_works(
    closed, tmp_path, seed
):
    """Neither a crash of the program nor a wait without end; the other collections go on."""
    directory = tmp_path / "index"
    _copy(closed, directory)
    _damage(directory / "collections" / "broken", seed)

    async with Index(directory, idle_timeout=0) as index, asyncio.timeout(HANG):
        complaints = [
            await _complaint(index.search("word7", collections="broken")),
            await _complaint(index.add([_document(2_000)], collection="broken")),
            await _complaint(index.optimize("broken")),
        ]
        assert all("drop" in remedy for remedy in complaints if remedy is not None)
        saved = await _salvaged(index, tmp_path / "saved.jsonl")
        assert all(saved[d.url] == d.text for d in [*SOME, _document(2_000)] if d.url in saved)
        assert urls(await index.search("word3", collections="whole")) == ["https://e.org/3"]
        await index.drop("broken")
        await index.add(SOME[:10], collection="broken")
        assert urls(await index.search("word7", collections="broken")) == ["https://e.org/7"]
    await closed_files(directory)


async def _salvaged(index: Index, path: Path) -> dict[str, str]:
    """The text of each document that an export of `broken` saves."""
    await index.export_jsonl(path, "broken", salvage=[].append)
    rows = map(json.loads, path.read_text().splitlines())
    return {row["url"]: row["text"] for row in rows}


def _break(path: Path) -> None:
    path.write_bytes(b"{" * (path.stat().st_size // 2))


@pytest.mark.usefixtures("killed")
@pytest.mark.parametrize(
    "pattern",
    [
        "edge_config.json",
        "segments/*/segment.json",
        "segments/*/*id_tracker.*",
        "segments/*/vector_index-words/*",
        "segments/*/payload_storage/tracker.dat",
        "segments/*/payload_storage/config.json",
        "wal/*",
    ],
)
async def test_the_documents_of_a_collection_that_does_not_open_are_saved(
    closed, tmp_path, pattern
):
    """Their text is in files that can be read without the engine."""
    directory = tmp_path / "index"
    _copy(closed, directory)
    for path in (directory / "collections" / "broken").glob(pattern):
        _break(path)

    async with Index(directory, idle_timeout=0) as index, asyncio.timeout(HANG):
        saved = await _salvaged(index, tmp_path / "saved.jsonl")

    assert saved == {d.url: d.text for d in [*SOME, _document(1_000)]}
    await closed_files(directory)


async def test_what_is_saved_for_a_tenant_is_the_tenants(tmp_path):
    """Both have a collection of that name, and both are damaged."""
    async with Index(tmp_path / "index", idle_timeout=0) as index:
        await index.add([_document(1)], collection="broken")
        await index.for_tenant("acme").add([_document(2)], collection="broken")
    await closed_files(tmp_path / "index")
    for path in (tmp_path / "index").glob("collections/*/edge_config.json"):
        _break(path)

    async with Index(tmp_path / "index", idle_timeout=0) as index, asyncio.timeout(HANG):
        ours = await _salvaged(index, tmp_path / "ours.jsonl")
        theirs = await _salvaged(index.for_tenant("acme"), tmp_path / "theirs.jsonl")

    assert (list(ours), list(theirs)) == ([_document(1).url], [_document(2).url])
    await closed_files(tmp_path / "index")


async def _cut_mappings(directory: Path) -> None:
    """Lose half of the ids of a collection, as a file system does after a power failure."""
    for path in (directory / "collections" / "broken").rglob("*id_tracker.mappings"):
        os.truncate(path, path.stat().st_size // 2)


@pytest.mark.usefixtures("killed")
async def test_lost_documents_are_noticed_and_the_rest_is_saved(closed, tmp_path):
    """The collection's own record says how many there were."""
    directory = tmp_path / "index"
    _copy(closed, directory)
    await _cut_mappings(directory)

    async with Index(directory, idle_timeout=0) as index, asyncio.timeout(HANG):
        stats = await index.stats()
        checked = await index.check()
        found = await index.search("word3")
        with pytest.raises(IndexFault, match="damaged") as error:
            await index.export_jsonl(tmp_path / "strict.jsonl")
        lost: list[str] = []
        saved = await index.export_jsonl(tmp_path / "saved.jsonl", salvage=lost.append)

    assert "broken" in stats["broken"]["problem"]
    assert stats["whole"]["problem"] is None
    assert checked["whole"]["problem"] is None
    assert checked["whole"]["documents"] == checked["whole"]["expected"] == 5
    assert "damaged" in checked["broken"]["problem"]
    assert any("broken" in note and "--salvage" in note for note in found.notes)
    assert "https://e.org/3" in urls(found)
    assert "--salvage" in error.value.remedy
    assert saved >= 5
    await closed_files(directory)


@pytest.mark.usefixtures("killed")
async def test_a_collection_that_does_not_open_takes_no_other_down(closed, tmp_path):
    """A search that names no collection answers from the others, if there are any, and says what is
    damaged."""
    directory = tmp_path / "index"
    _copy(closed, directory)
    (directory / "collections" / "broken" / "edge_config.json").write_text("{")

    async with Index(directory, idle_timeout=0) as index, asyncio.timeout(HANG):
        found = await index.search("word3")
        stats = await index.stats()
        with pytest.raises(IndexFault):
            await index.search("word3", collections=["broken", "whole"])
        await index.drop("whole")
        with pytest.raises(IndexFault) as error:
            await index.search("word3")

    assert urls(found) == ["https://e.org/3"]
    assert "'broken'" in found.notes[0]
    assert stats["whole"]["documents"] == 5
    assert stats["broken"]["problem"]
    assert "drop" in error.value.remedy
    await closed_files(directory)


async def _copies_while_writing(home: Path, target: Path, *, pause: bool) -> list[tuple[Path, int]]:
    """Copies of an index that is written to, each with the number of acknowledged documents."""
    acknowledged = 0
    more = asyncio.Event()

    async def write(index: Index) -> None:
        nonlocal acknowledged
        while True:
            await index.add([_document(n) for n in range(acknowledged, acknowledged + 25)])
            acknowledged += 25
            more.set()
            if acknowledged % 500 == 0:
                await index.optimize()

    copies = []
    async with Index(home, idle_timeout=0) as index:
        await index.add([_document(0)])
        worker = DirectoryLock(home).owner()
        assert worker
        writing = asyncio.create_task(write(index))
        chance = random.Random(3)
        for n in range(COPIES):
            more.clear()
            await more.wait()
            await asyncio.sleep(chance.uniform(0, 0.1))
            if pause:
                os.kill(worker, signal.SIGSTOP)
            sure = acknowledged
            await asyncio.to_thread(_copy, home, target / f"{n}")
            os.kill(worker, signal.SIGCONT)
            copies.append((target / f"{n}", sure))
        writing.cancel()
        await asyncio.gather(writing, return_exceptions=True)
    await closed_files(home)
    return copies


async def _stored(directory: Path) -> dict[str, str]:
    async with Index(directory, idle_timeout=0) as index, asyncio.timeout(HANG):
        await index.export_jsonl(directory / "out.jsonl", "default")
    await closed_files(directory)
    lines = (directory / "out.jsonl").read_text().splitlines()
    return {row["url"]: row["text"] for row in map(json.loads, lines)}


@pytest.mark.usefixtures("killed")
async def test_the_files_of_one_moment_hold_all_that_was_acknowledged(tmp_path):
    """The end of power in the middle of a write, as a snapshot of the disk would show it."""
    for copy, sure in await _copies_while_writing(tmp_path / "index", tmp_path, pause=True):
        stored = await _stored(copy)

        assert {f"https://e.org/{n}" for n in range(sure)} <= stored.keys()
        assert all(stored[d.url] == d.text for d in map(_document, range(sure)))


@pytest.mark.usefixtures("killed")
async def test_files_copied_while_they_are_written_open_or_say_so(tmp_path):
    """A backup that did not stop the writer: no two files are of the same moment."""
    for copy, sure in await _copies_while_writing(tmp_path / "index", tmp_path, pause=False):
        try:
            stored = await _stored(copy)
        except IndexFault:
            continue  # it says so
        # What opens is no other index: it holds what was in it long before, and nothing made up.
        assert {f"https://e.org/{n}" for n in range(sure - 100)} <= stored.keys()
        for url, text in stored.items():
            assert text == _document(int(url.rpartition("/")[2])).text

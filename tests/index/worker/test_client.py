"""The client: it starts workers, matches replies to calls, and never hangs."""

from __future__ import annotations

import asyncio
import gc
import os
import shutil
import signal
import socket
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from kensaku import __version__
from kensaku.errors import IndexFault
from kensaku.index import Index
from kensaku.index.worker.client import WorkerClient
from kensaku.index.worker.lock import DirectoryLock
from kensaku.index.worker.protocol import decode_body, encode_frame, socket_path
from kensaku.models import Document
from tests.index.animals import ALL, OTTERS, urls

pytestmark = pytest.mark.usefixtures("workers")

HANG = 120  # seconds: what takes longer on a busy machine hangs


async def test_a_cancelled_search_leaves_the_index_usable(index):
    """A deadline may come at any time."""
    await index.add(ALL)
    for _ in range(20):
        task = asyncio.create_task(index.search("otters"))
        await asyncio.sleep(0)
        task.cancel()

    assert urls(await index.search("otters"))[0] == OTTERS.url


async def test_a_call_that_is_cancelled_while_the_worker_starts_leaves_nothing_open(tmp_path):
    """No process, no pipe: warnings about them are errors here."""
    for _ in range(5):
        index = Index(tmp_path / "index", idle_timeout=0)
        task = asyncio.create_task(index.collections())
        await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await index.close()
    gc.collect()

    async with Index(tmp_path / "index", idle_timeout=0) as index, asyncio.timeout(HANG):
        assert await index.collections() == []


async def test_many_searches_at_once_each_get_their_own_answer(index):
    """Replies are matched to calls by id, not by order."""
    await index.add([Document(f"https://e.org/{n}", "", f"unique{n}") for n in range(50)])

    found = await asyncio.gather(*(index.search(f"unique{n}") for n in range(50)))

    assert [urls(hits) for hits in found] == [[f"https://e.org/{n}"] for n in range(50)]


async def test_the_engine_works_in_another_process(index, tmp_path):
    """It holds the interpreter's lock in every call: here it would stop the event loop.

    What the loop's own thread does between two heartbeats is counted in CPU time, which other
    work on the machine does not change.
    """
    documents = [
        Document(f"https://e.org/{n}", f"Title {n}", f"Words about subject {n}. " * 30)
        for n in range(4000)
    ]
    longest = 0.0

    async def heartbeat() -> None:
        nonlocal longest
        while True:
            before = time.thread_time()
            await asyncio.sleep(0.005)
            longest = max(longest, time.thread_time() - before)

    beating = asyncio.create_task(heartbeat())
    await index.add(documents)
    await index.optimize()
    beating.cancel()

    assert DirectoryLock(tmp_path / "index").owner() not in (None, os.getpid())
    assert longest < 0.4  # optimising in this process took 870 ms at a stretch


@pytest.mark.usefixtures("killed")
async def test_a_killed_worker_is_started_again(index, tmp_path):
    """The program does not notice: the next call is answered by a new worker."""
    await index.add(ALL)
    worker = DirectoryLock(tmp_path / "index").owner()
    assert worker

    os.kill(worker, signal.SIGKILL)

    assert urls(await index.search("otters"))[0] == OTTERS.url
    assert DirectoryLock(tmp_path / "index").owner() != worker


async def test_a_directory_that_another_process_holds_is_an_error_that_names_it(tmp_path):
    """Somebody who opened the engine by hand, say; nobody waits for that one without end."""
    holder = DirectoryLock(tmp_path)
    holder.acquire()
    try:
        async with Index(tmp_path) as index, asyncio.timeout(HANG):
            with pytest.raises(IndexFault) as caught:
                await index.collections()
    finally:
        holder.release()

    assert str(os.getpid()) in caught.value.message


async def test_a_worker_that_is_exiting_is_waited_for(tmp_path, monkeypatch):
    """Closing a large index on a busy disk takes longer than we wait for a stranger."""
    monkeypatch.setattr("kensaku.index.worker.client.LOCKED_TIMEOUT", 0)
    leaving = DirectoryLock(tmp_path)
    leaving.acquire()
    leaving.clear_owner()

    async with Index(tmp_path, idle_timeout=0) as index, asyncio.timeout(HANG):
        call = asyncio.create_task(index.collections())
        done, _ = await asyncio.wait([call], timeout=1.5)
        leaving.release()

        assert not done
        assert await call == []


async def test_one_worker_after_the_other_serves_programs_that_come_and_go(tmp_path):
    """Each closes at once, and the next one comes while it is closing."""
    async with asyncio.timeout(HANG):
        for n in range(8):
            async with Index(tmp_path, idle_timeout=0) as index:
                await index.add([Document(f"https://e.org/{n}", "", f"word{n}")])
        async with Index(tmp_path, idle_timeout=0) as index:
            assert (await index.stats())["default"]["documents"] == 8


async def test_a_directory_that_cannot_be_made_is_an_error(tmp_path):
    """A file where the directory should be: the worker's own sentence, with its remedy."""
    (tmp_path / "file").touch()

    with pytest.raises(IndexFault) as caught:
        async with Index(tmp_path / "file" / "index", idle_timeout=0) as index:
            await index.add(ALL)

    assert caught.value.message == f"{tmp_path}/file/index may not be written"
    assert caught.value.remedy == "check the directory, and who owns it"


@pytest.mark.parametrize("missing", ["executable", "AF_UNIX"])
async def test_where_no_worker_can_be_started_a_thread_serves_the_index(
    tmp_path, monkeypatch, missing
):
    """Inside another program that has Python in it, or on Windows."""
    if missing == "executable":
        monkeypatch.setattr(sys, "executable", "")
    else:
        monkeypatch.delattr(socket, "AF_UNIX")
    async with Index(tmp_path, idle_timeout=0) as index:
        await index.add(ALL)
        assert urls(await index.search("otters"))[0] == OTTERS.url
        assert DirectoryLock(tmp_path).owner() in (None, os.getpid())


class ScriptedWorker:
    """Listens where a worker would; each connection is served by the next script."""

    def __init__(self, directory: Path, *scripts: Any) -> None:
        self._path, self._scripts = socket_path(directory), list(scripts)

    async def __aenter__(self) -> ScriptedWorker:
        self._server = await asyncio.start_unix_server(self._serve, self._path)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for reply in self._scripts.pop(0):
            size = int.from_bytes(await reader.readexactly(4), "big")
            asked = decode_body(await reader.readexactly(size))
            if callable(reply):
                await reply()
            elif reply is not None:
                writer.write(encode_frame({"id": asked["id"], **reply}))
        writer.close()


HELLO = {"result": {"version": __version__, "pid": 7}}


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[WorkerClient]:
    made = WorkerClient(tmp_path, idle_timeout=0)
    yield made
    await made.close()


class Disk:
    """A disk whose free bytes a test sets: filling a real one takes root."""

    def __init__(self, free: int) -> None:
        self.free = free


@pytest.mark.parametrize(
    ("free", "said"),
    [
        (99_999_999, "there is no room left to write the index at .*; free some space"),
        (100_000_000, "the worker of the index at .* ended twice during one call; if it happens"),
    ],
)
async def test_a_worker_that_ends_twice_is_an_error(client, tmp_path, monkeypatch, free, said):
    """A full disk kills it, too: the engine writes through memory maps."""
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Disk(free))
    async with ScriptedWorker(tmp_path, [HELLO, None], [HELLO, None]):
        with pytest.raises(IndexFault, match=said):
            await client.call("collections")


async def test_the_answer_to_a_call_that_was_cancelled_is_dropped(client, tmp_path):
    """The next call gets its own, over the same connection."""
    async with ScriptedWorker(tmp_path, [HELLO, *({"result": n} for n in range(3))]):
        assert await client.call("stats") == 0
        cancelled = asyncio.create_task(client.call("stats"))
        await asyncio.sleep(0)
        cancelled.cancel()
        await asyncio.gather(cancelled, return_exceptions=True)

        assert await client.call("stats") == 2


async def test_an_answer_that_cannot_be_read_is_an_error_of_the_index(client, tmp_path):
    """And the connection goes on."""
    script = [HELLO, {"error": {}}, {"error": None}, {"result": [1]}]
    async with ScriptedWorker(tmp_path, script):
        for _ in range(2):
            with pytest.raises(IndexFault, match="the answer of the index cannot be read"):
                await client.call("stats")
        assert await client.call("stats") == [1]


async def test_a_worker_of_another_version_is_not_used(client, tmp_path):
    """It is said which one has the directory, and what to do."""
    other = {"result": {"version": "0.0.1", "pid": 7}}
    async with ScriptedWorker(tmp_path, [other, {"result": []}]):
        with pytest.raises(IndexFault) as caught:
            await client.call("collections")

    assert caught.value.message == (
        f"the index at {tmp_path} is served by process 7 of Kensaku 0.0.1, and this is "
        f"{__version__}"
    )
    assert caught.value.remedy == "end the programs that use the other version"


async def test_a_worker_that_does_not_greet_is_given_up(client, tmp_path, clock):
    """After the time that a start may take; its process is named."""
    greeted = asyncio.Event()

    async def hang() -> None:
        clock.advance(60)
        await greeted.wait()

    (tmp_path / "lock").write_text("4711\n")
    async with ScriptedWorker(tmp_path, [hang]):
        with pytest.raises(IndexFault, match="is held by process 4711"):
            await client.call("collections")
        greeted.set()


def test_a_program_may_run_one_event_loop_after_the_other(tmp_path):
    """A connection belongs to one of them."""
    index = Index(tmp_path, idle_timeout=0)

    async def collections() -> list[str]:
        async with asyncio.timeout(HANG):
            return await index.collections()

    assert [asyncio.run(collections()) for _ in range(2)] == [[], []]

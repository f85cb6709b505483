"""The client: it starts workers, matches replies to calls, and never hangs."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import time

import pytest

from kensaku.errors import IndexFault
from kensaku.index import Index
from kensaku.index.worker.lock import DirectoryLock
from kensaku.models import Document
from tests.index.animals import ALL, OTTERS, urls

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
    """A file where the directory should be."""
    (tmp_path / "file").touch()

    with pytest.raises(IndexFault):
        async with Index(tmp_path / "file" / "index", idle_timeout=0) as index:
            await index.add(ALL)

"""Kensaku's workers in this process: starting one takes longer than most tests do.

A page is parsed by the code of the parse worker, and an index is served over its socket by the
code of the index worker; only the processes are missing. A test of the processes themselves asks
for the fixture `workers`.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from kensaku.errors import KensakuError
from kensaku.extract.html.markup_check import check_size
from kensaku.extract.worker import pool, process
from kensaku.index.worker import client, server
from kensaku.index.worker.lock import DirectoryLock
from kensaku.models import Page


@contextmanager
def within_this_process(patch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let every client parse pages and serve indexes without processes."""
    indexes: list[_IndexThread] = []

    def start_worker(directory: Path, idle_timeout: float) -> bool:
        lock = DirectoryLock(directory)
        try:
            thread = _IndexThread(directory, lock, idle_timeout)
        except (KensakuError, OSError):
            if lock.contended:
                return False
            raise
        indexes.append(thread)
        thread.start()
        return True

    patch.setattr(client, "start_worker", start_worker)
    patch.setattr(pool.ParsePool, "prestart", lambda _: None)
    patch.setattr(pool.ParsePool, "extract", _extract)
    yield
    for index in indexes:
        index.stop()


async def _extract(_: object, data: bytes, url: str = "", content_type: str = "") -> Page:
    check_size(len(data))
    await asyncio.sleep(0)
    return pool.page_of(process.parse({"url": url, "content_type": content_type}, data))


class _IndexThread(threading.Thread):
    """The index worker of one directory."""

    def __init__(self, directory: Path, lock: DirectoryLock, idle_timeout: float) -> None:
        super().__init__(name=f"index of {directory}", daemon=True)
        self._directory, self._lock, self._idle_timeout = directory, lock, idle_timeout
        self._listener = server.lock_and_listen(directory, lock)
        self._loop = asyncio.new_event_loop()
        self._task: asyncio.Task[None] | None = None

    def run(self) -> None:
        with suppress(asyncio.CancelledError), asyncio.Runner(loop_factory=lambda: self._loop) as r:
            r.run(self._serve())

    async def _serve(self) -> None:
        self._task = asyncio.current_task()
        try:
            collections = server.open_collections(self._directory, self._lock)
        except Exception:  # as a process that dies: the client is told that it is gone
            self._listener.close()
            self._lock.release()
            return
        await server.serve(collections, self._lock, self._listener, self._idle_timeout)

    def stop(self) -> None:
        """End it, whoever is still connected."""

        def cancel() -> None:
            if self._task is not None:
                self._task.cancel()

        with suppress(RuntimeError):  # its loop is closed: it has ended, or is about to
            self._loop.call_soon_threadsafe(cancel)
        self.join()

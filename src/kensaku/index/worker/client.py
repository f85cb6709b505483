"""Ask the index where it lives: a worker process, or a thread for a cluster.

    call → frame → worker → frame → result, or the error it met

A worker that is not there is started; one that was killed is started anew and asked again, which
is safe: adding the same document twice is adding it once.
"""

from __future__ import annotations

import asyncio
import errno
import itertools
import os
import shutil
import socket
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol

from kensaku import __version__
from kensaku.errors import IndexFault, KensakuError
from kensaku.index.errors import fault
from kensaku.index.worker.lock import DirectoryLock
from kensaku.index.worker.protocol import error_in, frame, message, socket_path

PATIENCE = 0.9  # seconds for a directory that somebody else holds
START = 15.0  # seconds for a worker to start on a busy machine
LITTLE = 100_000_000  # bytes of free disk under which the engine may end for lack of room
_STEP = 0.02


class Line(Protocol):
    """A way to an index."""

    async def call(self, name: str, **given: Any) -> Any:
        """The answer to one question."""
        ...

    async def close(self) -> None:
        """Hang up."""
        ...


class Thread:
    """An index in a thread of this process: for engines that wait for a network."""

    def __init__(self, open_store: Callable[[], Any]) -> None:
        self._open = open_store
        self._store: Any = None
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="kensaku-index")

    async def call(self, name: str, **given: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._pool, self._do, name, given)

    def _do(self, name: str, given: dict[str, Any]) -> Any:
        from kensaku.index.worker.dispatch import answer

        if self._store is None:
            self._store = self._open()
        return answer(self._store, name, given)

    async def close(self) -> None:
        loop = asyncio.get_running_loop()
        if self._store is not None:
            await loop.run_in_executor(self._pool, self._store.close)
            self._store = None
        self._pool.shutdown(wait=False)


class Process:
    """An index in the worker process of a directory."""

    def __init__(self, directory: Path, *, linger: float) -> None:
        self._directory = directory
        self._linger = linger
        self._numbers = itertools.count(1)
        self._link: _Link | None = None
        self._connecting: asyncio.Lock | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def call(self, name: str, **given: Any) -> Any:
        for attempt in (1, 2):
            link = await self._connected()
            try:
                return await link.ask(next(self._numbers), name, given)
            except _Gone:
                if attempt == 2:
                    break
        raise await asyncio.to_thread(self._died)

    def _died(self) -> IndexFault:
        if shutil.disk_usage(self._directory).free < LITTLE:
            return fault(OSError(errno.ENOSPC, ""), f"the index at {self._directory}")
        return IndexFault(
            f"the worker of the index at {self._directory} ended twice during one call",
            remedy="if it happens again, drop the collection and add or import its documents anew",
        )

    async def close(self) -> None:
        if self._link is not None and self._loop is asyncio.get_running_loop():
            await self._link.close()
        self._link = None

    async def _connected(self) -> _Link:
        loop = asyncio.get_running_loop()
        if self._loop is not loop or self._connecting is None:
            # A program may run one event loop after the other; a connection belongs to one.
            self._loop, self._link, self._connecting = loop, None, asyncio.Lock()
        async with self._connecting:
            if self._link is None or self._link.gone:
                self._link = await self._connect()
            return self._link

    async def _connect(self) -> _Link:
        path = await asyncio.to_thread(socket_path, self._directory)
        started = self._loop.time() if self._loop else 0.0
        held = False
        while True:
            try:
                return await self._greeted(*await asyncio.open_unix_connection(path))
            except (OSError, _Gone):
                pass
            waited = asyncio.get_running_loop().time() - started
            if waited > (PATIENCE if held else START):
                raise DirectoryLock(self._directory).held()
            held = not await self._start()
            if held:
                await asyncio.sleep(_STEP)

    async def _greeted(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> _Link:
        link = _Link(reader, writer)
        try:
            async with asyncio.timeout(START):
                told = await link.ask(0, "hello", {})
        except TimeoutError as error:
            await link.close()
            raise DirectoryLock(self._directory).held() from error
        if told["version"] != __version__:
            await link.close()
            raise IndexFault(
                f"the index at {self._directory} is served by process {told['pid']} of "
                f"Kensaku {told['version']}, and this is {__version__}",
                remedy="end the programs that use the other version",
            )
        return link

    async def _start(self) -> bool:
        """Start a worker; False when another process has the directory."""
        from kensaku.index.worker.server import HELD

        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-m", "kensaku.index.worker.server", str(self._directory), str(self._linger)),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )
        _, told = await process.communicate()
        if process.returncode not in (0, HELD):
            message, _, remedy = told.decode(errors="replace").strip().rpartition("\n")
            raise IndexFault(
                message.rpartition("\n")[2] or f"the index at {self._directory} cannot be opened",
                remedy=remedy,
            )
        return process.returncode == 0


class _Gone(Exception):
    """The worker hung up."""


class _Link:
    """One connection: questions go out in order, answers come back by number."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._broken = False  # writing may notice it before reading does
        self._reading = asyncio.create_task(self._read(reader))

    @property
    def gone(self) -> bool:
        return self._broken or self._reading.done()

    async def ask(self, number: int, name: str, given: dict[str, Any]) -> Any:
        if self.gone:
            raise _Gone
        answer = self._waiting[number] = asyncio.get_running_loop().create_future()
        try:
            self._writer.write(frame({"id": number, "call": name, "given": given}))
            await self._writer.drain()
            return await answer
        except ConnectionError as error:
            self._broken = True
            raise _Gone from error
        finally:
            self._waiting.pop(number, None)  # whoever stopped waiting does not want the answer

    async def close(self) -> None:
        self._reading.cancel()
        self._writer.close()
        await asyncio.gather(self._reading, self._writer.wait_closed(), return_exceptions=True)

    async def _read(self, reader: asyncio.StreamReader) -> None:
        try:
            while True:
                size = int.from_bytes(await reader.readexactly(4), "big")
                told = message(await reader.readexactly(size))
                waiting = self._waiting.get(told["id"])
                if waiting is None or waiting.done():
                    continue
                if "error" in told:
                    waiting.set_exception(_told(told["error"]))
                else:
                    waiting.set_result(told["result"])
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            self._writer.close()
            for waiting in self._waiting.values():
                if not waiting.done():
                    waiting.set_exception(_Gone())


def _told(error: dict[str, Any]) -> KensakuError:
    try:
        return error_in(error)
    except (KeyError, TypeError) as broken:
        return fault(broken, "the answer of the index")


def open_line(path: Path | None, url: str | None, api_key: str | None, linger: float) -> Line:
    """The way to the index of a directory or of a server."""
    if path is not None and sys.executable and hasattr(socket, "AF_UNIX") and os.name == "posix":
        return Process(path, linger=linger)

    def open_store() -> Any:
        from kensaku.index.collections import Store
        from kensaku.index.engines.base import open_index

        return Store(open_index(path, url=url, api_key=api_key))

    return Thread(open_store)

"""Client of the index worker: over a Unix socket, or in a thread for a Qdrant server.

    call → frame → worker → frame → result, or the error that the worker raised

The client starts a worker when none listens. When the worker was killed during a call, the client
starts another one and repeats the call once, which is safe: adding a document twice is adding it
once.
"""

from __future__ import annotations

import asyncio
import errno
import itertools
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from kensaku import __version__
from kensaku._child_process import child_environment, python_command
from kensaku._shielded import end_thread
from kensaku.errors import IndexFault, KensakuError
from kensaku.index.engines.base import open_engine
from kensaku.index.errors import to_index_fault
from kensaku.index.worker.lock import DirectoryLock
from kensaku.index.worker.protocol import decode_body, decode_error, encode_frame, socket_path
from kensaku.messages import msg

if TYPE_CHECKING:
    from kensaku.index.collections import Collections
    from kensaku.index.payload import PayloadFields

# Seconds to wait for a directory that another process has locked. A worker that is exiting erases
# its id from the lock first; the client waits for it as long as for a start.
LOCKED_TIMEOUT = 0.9
START_TIMEOUT = 60.0  # seconds for a worker to start on a busy machine
LOW_DISK = 100_000_000  # bytes of free disk under which the engine may have died of a full disk
_RETRY_INTERVAL = 0.02


class IndexClient(Protocol):
    """Sends calls to an index. `worker/dispatch.py` lists the calls."""

    async def call(self, name: str, **arguments: Any) -> Any:
        """Make one call and return its result, or raise the error that it raised there."""
        ...

    async def close(self) -> None:
        """Disconnect."""
        ...


class ThreadClient:
    """An index in a thread of this process: for engines that wait for a network."""

    def __init__(self, open_collections: Callable[[], Collections]) -> None:
        self._open = open_collections
        self._collections: Collections | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="kensaku-index")

    async def call(self, name: str, **arguments: Any) -> Any:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, self._dispatch, name, arguments)

    def _dispatch(self, name: str, arguments: dict[str, Any]) -> Any:
        from kensaku.index.worker.dispatch import dispatch

        if self._collections is None:
            self._collections = self._open()
        return dispatch(self._collections, name, arguments)

    async def close(self) -> None:
        await end_thread(self._thread, self._close)

    def _close(self) -> None:
        if self._collections is not None:
            self._collections.close()
            self._collections = None


class WorkerClient:
    """An index in the worker process of a directory."""

    def __init__(self, directory: Path, *, idle_timeout: float) -> None:
        self._directory = directory
        self._idle_timeout = idle_timeout
        self._call_ids = itertools.count(1)
        self._connection: _Connection | None = None
        self._connecting: asyncio.Lock | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def call(self, name: str, **arguments: Any) -> Any:
        for attempt in (1, 2):
            connection = await self._connected()
            try:
                return await connection.call(next(self._call_ids), name, arguments)
            except _Disconnected:
                if attempt == 2:
                    break
        raise await asyncio.to_thread(self._crash_error)

    def _crash_error(self) -> IndexFault:
        if shutil.disk_usage(self._directory).free < LOW_DISK:
            return to_index_fault(OSError(errno.ENOSPC, ""), f"the index at {self._directory}")
        return IndexFault(
            msg(
                "the worker of the index at {directory} ended twice during one call",
                directory=self._directory,
            ),
            remedy=msg(
                "if it happens again, drop the collection and add or import its documents anew"
            ),
        )

    async def close(self) -> None:
        if self._connection is not None and self._loop is asyncio.get_running_loop():
            await self._connection.close()
        self._connection = None

    async def _connected(self) -> _Connection:
        loop = asyncio.get_running_loop()
        if self._loop is not loop or self._connecting is None:
            # A program may run one event loop after the other; a connection belongs to one.
            self._loop, self._connection, self._connecting = loop, None, asyncio.Lock()
        async with self._connecting:
            if self._connection is None or self._connection.closed:
                self._connection = await self._connect()
            return self._connection

    async def _connect(self) -> _Connection:
        path = await asyncio.to_thread(socket_path, self._directory)
        loop = asyncio.get_running_loop()
        started = loop.time()
        locked_at: float | None = None
        while True:
            try:
                return await self._handshake(*await asyncio.open_unix_connection(path))
            except (OSError, _Disconnected):
                pass
            lock = DirectoryLock(self._directory)
            timeout = START_TIMEOUT
            if locked_at is not None and await asyncio.to_thread(lock.owner) is not None:
                timeout = LOCKED_TIMEOUT
            if loop.time() - (locked_at or started) > timeout:
                raise lock.held_error()
            # In a thread: a caller that is cancelled leaves no half-started process behind.
            if await asyncio.to_thread(start_worker, self._directory, self._idle_timeout):
                locked_at = None
            else:
                locked_at = locked_at or loop.time()
                await asyncio.sleep(_RETRY_INTERVAL)

    async def _handshake(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> _Connection:
        connection = _Connection(reader, writer)
        try:
            async with asyncio.timeout(START_TIMEOUT):
                worker = await connection.call(0, "hello", {})
        except TimeoutError as error:
            await connection.close()
            raise DirectoryLock(self._directory).held_error() from error
        if worker["version"] != __version__:
            await connection.close()
            raise IndexFault(
                msg(
                    "the index at {directory} is served by process {worker} of Kensaku "
                    "{worker2}, and this is {version}",
                    directory=self._directory,
                    worker=worker["pid"],
                    worker2=worker["version"],
                    version=__version__,
                ),
                remedy=msg("end the programs that use the other version"),
            )
        return connection


def start_worker(directory: Path, idle_timeout: float) -> bool:
    """Start a worker; return False when another process has locked the directory."""
    from kensaku.index.worker.server import EXIT_LOCKED

    started = subprocess.run(
        python_command("kensaku.index.worker.server", str(directory), str(idle_timeout)),
        env=child_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    if started.returncode not in (0, EXIT_LOCKED):
        output = started.stderr.decode(errors="replace").strip()
        message, _, remedy = output.rpartition("\n")
        raise IndexFault(
            message.rpartition("\n")[2]
            or msg("the index at {directory} cannot be opened", directory=directory),
            remedy=remedy,
        )
    return started.returncode == 0


class _Disconnected(Exception):
    """The worker closed the connection."""


class _Connection:
    """One connection to a worker. Replies are matched to calls by id."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        self._pending: dict[int, asyncio.Future[Any]] = {}
        self._broken = False  # writing may notice it before reading does
        self._receiver = asyncio.create_task(self._receive(reader))

    @property
    def closed(self) -> bool:
        return self._broken or self._receiver.done()

    async def call(self, id: int, name: str, arguments: dict[str, Any]) -> Any:
        if self.closed:
            raise _Disconnected
        reply = self._pending[id] = asyncio.get_running_loop().create_future()
        try:
            self._writer.write(encode_frame({"id": id, "call": name, "arguments": arguments}))
            await self._writer.drain()
            return await reply
        except ConnectionError as error:
            self._broken = True
            if reply.done():
                reply.exception()  # the receiver saw it, too; asyncio warns unless it is read
            raise _Disconnected from error
        finally:
            self._pending.pop(id, None)  # the reply to a cancelled call is dropped

    async def close(self) -> None:
        self._receiver.cancel()
        self._writer.close()
        await asyncio.gather(self._receiver, self._writer.wait_closed(), return_exceptions=True)

    async def _receive(self, reader: asyncio.StreamReader) -> None:
        try:
            while True:
                size = int.from_bytes(await reader.readexactly(4), "big")
                message = decode_body(await reader.readexactly(size))
                pending = self._pending.get(message["id"])
                if pending is None or pending.done():
                    continue
                if "error" in message:
                    pending.set_exception(_decode_error(message["error"]))
                else:
                    pending.set_result(message["result"])
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            self._writer.close()
            for pending in self._pending.values():
                if not pending.done():
                    pending.set_exception(_Disconnected())


def _decode_error(values: dict[str, Any]) -> KensakuError:
    try:
        return decode_error(values)
    except (KeyError, TypeError) as malformed:
        return to_index_fault(malformed, "the answer of the index")


def open_client(
    path: Path | None,
    url: str | None,
    api_key: str | None,
    idle_timeout: float,
    fields: PayloadFields,
) -> IndexClient:
    """Return a client for the index in a directory or on a Qdrant server."""
    # A worker needs fork and Unix sockets: elsewhere (Windows) the engine runs in a thread.
    if path is not None and sys.executable and hasattr(socket, "AF_UNIX") and os.name == "posix":
        return WorkerClient(path, idle_timeout=idle_timeout)

    def open_collections() -> Collections:
        from kensaku.index.collections import Collections

        return Collections(open_engine(path, url=url, api_key=api_key, fields=fields))

    return ThreadClient(open_collections)

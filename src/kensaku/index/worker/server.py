"""The worker process: it has the index of a directory open for all programs of the machine.

    program ─┐
    program ─┼─ Unix socket → worker: collections → Qdrant Edge → files
    program ─┘

Two reasons (Edge 0.9.0). Every call of Edge holds the interpreter's lock, so optimising in a
thread would stop an event loop for a third of a second. And Edge allows a directory to one
process, but an agent wants to search while another adds. The first program starts the worker; the
worker exits when no program has been connected for the idle timeout. A killed worker leaves
nothing behind that blocks: the lock ends with the process, and acknowledged writes are in the log.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import socket
import sys
from pathlib import Path

from kensaku import __version__
from kensaku.errors import KensakuError
from kensaku.index.collections import Collections
from kensaku.index.errors import to_index_fault
from kensaku.index.worker.dispatch import dispatch
from kensaku.index.worker.lock import DirectoryLock
from kensaku.index.worker.protocol import (
    MAX_FRAME,
    decode_body,
    encode_error,
    encode_frame,
    socket_path,
)

EXIT_LOCKED = 3  # exit status: another process has locked the directory
EXIT_FAULT = 4  # exit status: the directory cannot be used; the sentence is on stderr
FIRST_CLIENT_TIMEOUT = 60.0  # seconds; the program that started the worker is about to connect


class IndexWorker:
    """Serves calls one after the other, until no program is connected any more."""

    def __init__(self, collections: Collections, lock: DirectoryLock, idle_timeout: float) -> None:
        self._collections = collections
        self._lock = lock
        self._idle_timeout = idle_timeout
        self._clients = 0
        self._exit_timer: asyncio.TimerHandle | None = None
        self._idle = asyncio.Event()

    async def serve(self, listener: socket.socket) -> None:
        """Serve clients; return when none has been connected for the idle timeout."""
        server = await asyncio.start_unix_server(self._serve_client, sock=listener)
        self._exit_after(FIRST_CLIENT_TIMEOUT)
        await self._idle.wait()
        self._lock.clear_owner()  # before anybody can see that the socket is closed
        server.close()

    async def _serve_client(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._clients += 1
        if self._exit_timer is not None:
            self._exit_timer.cancel()
        try:
            while True:
                size = int.from_bytes(await reader.readexactly(4), "big")
                if size > MAX_FRAME:
                    break
                reply = self._handle(decode_body(await reader.readexactly(size)))
                writer.write(encode_frame(reply))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # the program exited or was killed: acknowledged writes are safe
        finally:
            writer.close()
            self._clients -= 1
            if self._clients == 0:
                self._exit_after(self._idle_timeout)

    def _handle(self, message: dict[str, object]) -> dict[str, object]:
        id, call, arguments = message["id"], str(message["call"]), message["arguments"]
        if call == "hello":
            return {"id": id, "result": {"version": __version__, "pid": os.getpid()}}
        try:
            assert isinstance(arguments, dict)
            return {"id": id, "result": dispatch(self._collections, call, arguments)}
        except KensakuError as error:
            return {"id": id, "error": encode_error(error)}
        except Exception as error:
            return {"id": id, "error": encode_error(to_index_fault(error, "the index"))}

    def _exit_after(self, seconds: float) -> None:
        self._exit_timer = asyncio.get_running_loop().call_later(seconds, self._idle.set)


def main(directory: Path, idle_timeout: float) -> int:
    """Lock the directory, listen, and go on in the background."""
    os.umask(0o077)
    lock = DirectoryLock(directory)
    try:
        listener = lock_and_listen(directory, lock)
    except (KensakuError, OSError) as error:
        ours = error if isinstance(error, KensakuError) else to_index_fault(error, f"{directory}")
        sys.stderr.write(f"{ours.message}\n{ours.remedy}\n")
        return EXIT_LOCKED if lock.contended else EXIT_FAULT
    # The client waits for the process it started: when that exits, the socket accepts connections.
    if os.fork():
        os._exit(0)
    _detach()
    lock.record_owner()  # the fork has another process id
    collections = open_collections(directory, lock)
    # What is loaded now stays, and later objects have no cycles worth a collection every 700
    # allocations: it took a twentieth of indexing.
    gc.freeze()
    gc.set_threshold(50_000)
    asyncio.run(serve(collections, lock, listener, idle_timeout))
    return 0


def lock_and_listen(directory: Path, lock: DirectoryLock) -> socket.socket:
    """Make this process the one that serves a directory."""
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    lock.acquire(timeout=0.2)
    path = socket_path(directory)
    path.unlink(missing_ok=True)  # left by a killed worker: this process holds the lock
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(str(path))
    listener.listen(128)
    return listener


def open_collections(directory: Path, lock: DirectoryLock) -> Collections:
    """Open the index of a locked directory."""
    from kensaku.index.engines.embedded import EmbeddedEngine

    return Collections(EmbeddedEngine(directory, lock=lock))


async def serve(
    collections: Collections, lock: DirectoryLock, listener: socket.socket, idle_timeout: float
) -> None:
    """Serve until no program is connected any more; then close the index."""
    path = listener.getsockname()
    try:
        await IndexWorker(collections, lock, idle_timeout).serve(listener)
    finally:
        # In this order: no new client can connect, the files are closed, the lock is released.
        with contextlib.suppress(OSError):
            os.unlink(path)
        listener.close()
        collections.close()


def _detach() -> None:
    os.setsid()
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), float(sys.argv[2])))

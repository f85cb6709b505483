"""The process that has the index of a directory open, for all programs of the machine.

    program ─┐
    program ─┼─ Unix socket → worker: store → Qdrant Edge → files
    program ─┘

Two reasons (Edge 0.9.0): every call of it holds the interpreter's lock, so that optimising in a
thread would stop an event loop for a third of a second; and it keeps a directory to one process,
but an agent wants to search while another adds. The first program starts the worker; it ends by
itself when nobody has been connected for a while. Killed, it leaves nothing behind that blocks:
the lock ends with the process, and what was acknowledged is in the log.
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
from kensaku.errors import IndexFault, KensakuError
from kensaku.index.collections import Store
from kensaku.index.errors import fault
from kensaku.index.worker.dispatch import answer
from kensaku.index.worker.lock import DirectoryLock
from kensaku.index.worker.protocol import MAX_FRAME, error_out, frame, message, socket_path

HELD = 3  # exit status: another process has the directory
FAULT = 4  # exit status: the directory cannot be used; the sentence is on stderr


class Worker:
    """Answers programs one after the other, until all have left."""

    def __init__(self, store: Store, linger: float) -> None:
        self._store = store
        self._linger = linger
        self._clients = 0
        self._left: asyncio.TimerHandle | None = None
        self._done = asyncio.Event()

    async def serve(self, listener: socket.socket) -> None:
        """Until the last program has left and the time to linger is over."""
        server = await asyncio.start_unix_server(self._client, sock=listener)
        self._expect(10.0)  # whoever started us is about to connect
        await self._done.wait()
        server.close()

    async def _client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._clients += 1
        if self._left is not None:
            self._left.cancel()
        try:
            while True:
                size = int.from_bytes(await reader.readexactly(4), "big")
                if size > MAX_FRAME:
                    break
                writer.write(frame(self._answer(message(await reader.readexactly(size)))))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # it left, or was killed: what it was told is safe, what it was not may be there
        finally:
            writer.close()
            self._clients -= 1
            if self._clients == 0:
                self._expect(self._linger)

    def _answer(self, asked: dict[str, object]) -> dict[str, object]:
        id, call, given = asked["id"], str(asked["call"]), asked["given"]
        if call == "hello":
            return {"id": id, "result": {"version": __version__, "pid": os.getpid()}}
        try:
            assert isinstance(given, dict)
            return {"id": id, "result": answer(self._store, call, given)}
        except KensakuError as error:
            return {"id": id, "error": error_out(error)}
        except Exception as error:
            return {"id": id, "error": error_out(fault(error, "the index"))}

    def _expect(self, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        self._left = loop.call_later(seconds, self._done.set)


def main(directory: Path, linger: float) -> int:
    """Take the directory, listen, and go on in the background."""
    os.umask(0o077)
    lock = DirectoryLock(directory)
    try:
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock.take(patience=0.2)
        listener = _listen(socket_path(directory))
    except (KensakuError, OSError) as error:
        known = error if isinstance(error, KensakuError) else fault(error, f"{directory}")
        sys.stderr.write(f"{known.message}\n{known.remedy}\n")
        return HELD if lock.refused else FAULT
    # The starter waits for the process it started: when that ends, the socket can be reached.
    if os.fork():
        os._exit(0)
    _detach()
    _run(directory, lock, listener, linger)
    return 0


def _run(directory: Path, lock: DirectoryLock, listener: socket.socket, linger: float) -> None:
    from kensaku.index.engines.embedded import Embedded

    lock.sign()  # the fork has another number
    store = Store(Embedded(directory, lock=lock))
    # What is loaded now stays, and what comes has no cycles worth a look every 700 objects:
    # it took a twentieth of indexing.
    gc.freeze()
    gc.set_threshold(50_000)
    try:
        asyncio.run(_serve(store, listener, linger))
    finally:
        # First nobody can reach us, then the files are closed, then the next one may have them.
        with contextlib.suppress(OSError, IndexFault):
            socket_path(directory).unlink(missing_ok=True)
        listener.close()
        store.close()


async def _serve(store: Store, listener: socket.socket, linger: float) -> None:
    await Worker(store, linger).serve(listener)


def _listen(path: Path) -> socket.socket:
    path.unlink(missing_ok=True)  # left by a killed worker: we hold the lock, so it is nobody's
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(str(path))
    listener.listen(128)
    return listener


def _detach() -> None:
    os.setsid()
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), float(sys.argv[2])))

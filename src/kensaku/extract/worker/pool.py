"""Parsing in worker processes: a document can hang or break one, never us.

    extract → a free worker (or a new one) → frame out, frame in → Page
              └ no answer in time, or a broken pipe → killed, a typed error; a new one next time

Nothing here blocks the event loop. Workers get no environment, and so no keys. One worker is never
given to what may take seconds (a PDF, an Office document, or a quarter of a megabyte of anything):
however many of those are waiting, ordinary pages are read meanwhile.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import struct
import sys
from collections.abc import Coroutine
from typing import Any

from kensaku.errors import FetchError, TooLarge, Unparsable
from kensaku.extract.html.markup_check import check_size
from kensaku.models import Page

MEMORY = 1_000_000_000
TIMEOUT = 9.0  # the caller is to have its answer within ten, and a new worker takes a moment
PAGES_PER_WORKER = 500
MAX_WORKERS = 9
HEAVY_BYTES = 256 * 1024
_ERRORS: dict[str, type[FetchError]] = {"TooLarge": TooLarge, "Unparsable": Unparsable}


class ParsePool:
    """A few workers, started when needed, each used by one call at a time."""

    def __init__(
        self,
        workers: int | None = None,  # by default one for each core, and one more
        *,
        timeout: float = TIMEOUT,
        memory: int = MEMORY,
        pages_per_worker: int = PAGES_PER_WORKER,
    ) -> None:
        self._timeout, self._memory, self._pages = timeout, memory, pages_per_worker
        workers = workers or min(_cores() + 1, MAX_WORKERS)
        self._free = asyncio.Semaphore(workers)
        self._heavy = asyncio.Semaphore(max(1, workers - 1))
        self._idle: list[_Worker] = []
        self._all: set[_Worker] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False

    async def __aenter__(self) -> ParsePool:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def prestart(self) -> None:
        """Start the first worker, which loads its parsers while the first page is on its way."""
        if not self._all and not self._tasks and not self._closed:
            self._spin(self._first())

    async def extract(self, data: bytes, url: str = "", content_type: str = "") -> Page:
        """The page of a document; `TooLarge` if it takes too long, `Unparsable` if it breaks."""
        check_size(len(data))
        async with self._heavy if is_heavy(data) else contextlib.nullcontext(), self._free:
            worker = self._idle.pop() if self._idle else await self._start()
            keep = False
            try:
                reply = await self._ask(worker, data, url, content_type)
                keep = worker.served < self._pages
            finally:
                # Also when the caller was cancelled: the worker may be in the middle of an answer.
                if keep and not self._closed:
                    self._idle.append(worker)
                else:
                    self._end(worker)
        return _page(reply)

    async def aclose(self) -> None:
        """End all workers. Calls under way fail."""
        self._closed = True
        self._idle.clear()
        for worker in list(self._all):
            self._end(worker)
        await asyncio.gather(*self._tasks)

    def _end(self, worker: _Worker) -> None:
        self._all.discard(worker)
        self._spin(worker.end())

    def _spin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)  # a task that nobody holds may vanish
        task.add_done_callback(self._tasks.discard)

    async def _first(self) -> None:
        async with self._free:
            # Whoever needs a worker next hears of it when none can be started.
            with contextlib.suppress(Unparsable, RuntimeError):
                self._idle.append(await self._start())

    async def _start(self) -> _Worker:
        if self._closed:
            raise RuntimeError("the parse pool is closed")
        try:
            worker = _Worker(await _spawn(self._memory))
        except OSError as error:
            raise Unparsable(
                f"no process could be started to read the document ({error.strerror})",
                remedy="see how many processes and open files this machine allows",
            ) from None
        if self._closed:  # while it was started
            await worker.end()
            raise RuntimeError("the parse pool is closed")
        self._all.add(worker)
        return worker

    async def _ask(
        self, worker: _Worker, data: bytes, url: str, content_type: str
    ) -> dict[str, Any]:
        try:
            async with asyncio.timeout(self._timeout):
                return await worker.ask(data, url, content_type)
        except TimeoutError:
            raise TooLarge(f"parsing the document took longer than {self._timeout:g} s") from None
        except (OSError, EOFError):
            raise Unparsable("the document made the parser crash, or run out of memory") from None


class _Worker:
    """One process and its two pipes."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.served = 0

    async def ask(self, data: bytes, url: str, content_type: str) -> dict[str, Any]:
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise EOFError
        header = json.dumps({"url": url, "content_type": content_type}).encode()
        stdin.write(struct.pack(">I", len(header)) + header + struct.pack(">I", len(data)))
        stdin.write(data)
        await stdin.drain()
        parts = []
        for _ in range(3):
            length = struct.unpack(">I", await stdout.readexactly(4))[0]
            parts.append(await stdout.readexactly(length))
        self.served += 1
        reply: dict[str, Any] = json.loads(parts[0])
        if page := reply.get("page"):
            page["text"], page["markdown"] = parts[1].decode(), parts[2].decode()
        return reply

    async def end(self) -> None:
        """Kill the process, close its pipes, and wait until it is gone."""
        transport: asyncio.SubprocessTransport = self._process._transport  # type: ignore[attr-defined]
        if self._process.returncode is None:
            # Process.kill() would look whether it is dead, and take the news from who waits for it.
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._process.pid, getattr(signal, "SIGKILL", signal.SIGTERM))
        # asyncio waits for the end of the pipes, too, which never comes where it has stopped
        # reading: half a long answer was enough to wait for ever.
        for number in (0, 1):
            if (pipe := transport.get_pipe_transport(number)) is not None:
                pipe.close()
        await self._process.wait()
        transport.close()


async def _spawn(memory: int) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "kensaku.extract.worker.process",
        str(memory),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env={"PYTHONPATH": os.pathsep.join(p for p in sys.path if p), "PYTHONUTF8": "1"},
    )


def is_heavy(data: bytes) -> bool:
    """Whether a document may take seconds: by its size, or by a kind that packs much in little."""
    head = data[:1024]
    return len(data) > HEAVY_BYTES or b"%PDF-" in head or head.startswith(b"PK\x03\x04")


def _cores() -> int:
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def _page(reply: dict[str, Any]) -> Page:
    if error := reply.get("error"):
        kind = _ERRORS.get(error["type"], Unparsable)
        raise kind(error["message"], remedy=error["remedy"])
    fields = dict(reply["page"])
    for name in ("images", "links", "notes"):
        fields[name] = tuple(fields[name])
    return Page(**fields)

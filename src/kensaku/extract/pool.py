"""Parsing in worker processes: a document can hang or break one, never us.

    extract → a free worker (or a new one) → frame out, frame in → Page
              └ no answer in time, or a broken pipe → killed, a typed error; a new one next time

Nothing here blocks the event loop. Workers get no environment, and so no keys.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import struct
import sys
from typing import Any

from kensaku.errors import FetchError, TooLarge, Unparsable
from kensaku.extract.bounds import check_size
from kensaku.models import Page

MEMORY = 1024 * 1024 * 1024
TIMEOUT = 10.0
PAGES_PER_WORKER = 500
_ERRORS: dict[str, type[FetchError]] = {"TooLarge": TooLarge, "Unparsable": Unparsable}


class ParsePool:
    """A few workers, started when needed, each used by one call at a time."""

    def __init__(
        self,
        workers: int = 2,
        *,
        timeout: float = TIMEOUT,
        memory: int = MEMORY,
        pages_per_worker: int = PAGES_PER_WORKER,
    ) -> None:
        self._timeout, self._memory, self._pages = timeout, memory, pages_per_worker
        self._free = asyncio.Semaphore(workers)
        self._idle: list[_Worker] = []
        self._all: set[_Worker] = set()
        self._ending: set[asyncio.Task[None]] = set()
        self._closed = False

    async def __aenter__(self) -> ParsePool:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def extract(self, data: bytes, url: str = "", content_type: str = "") -> Page:
        """The page of a document; `TooLarge` if it takes too long, `Unparsable` if it breaks."""
        check_size(len(data))
        async with self._free:
            if self._closed:
                raise RuntimeError("the parse pool is closed")
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
        await asyncio.gather(*self._ending)

    def _end(self, worker: _Worker) -> None:
        self._all.discard(worker)
        task = asyncio.create_task(worker.end())
        self._ending.add(task)  # a task that nobody holds may vanish
        task.add_done_callback(self._ending.discard)

    async def _start(self) -> _Worker:
        worker = _Worker(await _spawn(self._memory))
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
            raise Unparsable("the document made the parser crash") from None


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
        """Kill the process, wait until it is gone, and close its pipes."""
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
        await self._process.wait()
        self._process._transport.close()  # type: ignore[attr-defined]


async def _spawn(memory: int) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "kensaku.extract.worker",
        str(memory),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env={"PYTHONPATH": os.pathsep.join(p for p in sys.path if p), "PYTHONUTF8": "1"},
    )


def _page(reply: dict[str, Any]) -> Page:
    if error := reply.get("error"):
        kind = _ERRORS.get(error["type"], Unparsable)
        raise kind(error["message"], remedy=error["remedy"])
    fields = dict(reply["page"])
    for name in ("images", "links", "notes"):
        fields[name] = tuple(fields[name])
    return Page(**fields)

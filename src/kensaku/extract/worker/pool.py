"""Parse in worker processes: a document that hangs or crashes the parser costs one worker.

    extract → an idle worker (or a new one, once it is ready) → frame out, frames in → Page
              └ timeout or broken pipe → the worker is killed, a typed error is raised

Nothing here blocks the event loop. Workers get none of our keys. One worker never
gets documents that may take seconds (PDF, Office, or more than 256 KiB of anything): however many
of those are queued, ordinary pages are parsed meanwhile.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import struct
from collections.abc import Coroutine, Sequence
from typing import Any

from kensaku._child_process import child_environment, python_command
from kensaku.errors import FetchError, TooLarge, Unparsable, system_reason
from kensaku.extract.html.markup_check import check_size
from kensaku.extract.worker.process import READY
from kensaku.messages import msg
from kensaku.models import Page

MEMORY = 1_000_000_000
TIMEOUT = 9.0  # seconds for a document; callers expect an answer within ten
# Loading the parsers takes a second, and ten on a busy machine: this is not the document's fault.
START_TIMEOUT = 60.0
PAGES_PER_WORKER = 500
MAX_WORKERS = 9
HEAVY_BYTES = 256 * 1024
_ERRORS: dict[str, type[FetchError]] = {"TooLarge": TooLarge, "Unparsable": Unparsable}


class ParsePool:
    """A pool of workers, started when needed, each used by one call at a time."""

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
        """Start the first worker, which loads its parsers while the first page is being fetched."""
        if not self._all and not self._tasks and not self._closed:
            self._run_in_background(self._start_first())

    async def extract(self, data: bytes, url: str = "", content_type: str = "") -> Page:
        """Parse a document. Raise `TooLarge` after a timeout, `Unparsable` after a crash."""
        check_size(len(data))
        async with self._heavy if is_heavy(data) else contextlib.nullcontext(), self._free:
            worker = self._idle.pop() if self._idle else await self._start()
            reusable = False
            try:
                await self._wait_until_ready(worker)
                reply = await self._request(worker, data, url, content_type)
                reusable = worker.served < self._pages
            finally:
                # Also when the caller was cancelled: the worker may be in the middle of a reply.
                if reusable and not self._closed:
                    self._idle.append(worker)
                else:
                    self._discard(worker)
        return page_of(reply)

    async def aclose(self) -> None:
        """Kill all workers. Running calls fail."""
        self._closed = True
        self._idle.clear()
        for worker in list(self._all):
            self._discard(worker)
        await asyncio.gather(*self._tasks)

    def _discard(self, worker: _Worker) -> None:
        self._all.discard(worker)
        self._run_in_background(worker.kill())

    def _run_in_background(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)  # the event loop holds only a weak reference to a task
        task.add_done_callback(self._tasks.discard)

    async def _start_first(self) -> None:
        async with self._free:
            # The next call that needs a worker raises the error.
            with contextlib.suppress(Unparsable, RuntimeError):
                self._idle.append(await self._start())

    async def _start(self) -> _Worker:
        if self._closed:
            raise RuntimeError("the parse pool is closed")
        try:
            worker = _Worker(await _spawn(self._memory))
        except OSError as error:
            raise Unparsable(
                msg(
                    "no process could be started to read the document ({reason})",
                    reason=system_reason(error),
                ),
                remedy=msg("see how many processes and open files this machine allows"),
            ) from None
        if self._closed:  # while it was started
            await worker.kill()
            raise RuntimeError("the parse pool is closed")
        self._all.add(worker)
        return worker

    async def _wait_until_ready(self, worker: _Worker) -> None:
        try:
            async with asyncio.timeout(START_TIMEOUT):
                await worker.wait_until_ready()
        except TimeoutError:
            raise Unparsable(
                msg("no parser was ready within {start_timeout:g} s", start_timeout=START_TIMEOUT)
            ) from None
        except (OSError, EOFError):
            raise Unparsable(msg("the parser ended while it was started")) from None

    async def _request(
        self, worker: _Worker, data: bytes, url: str, content_type: str
    ) -> list[bytes]:
        try:
            async with asyncio.timeout(self._timeout):
                return await worker.request(data, url, content_type)
        except TimeoutError:
            raise TooLarge(
                msg("parsing the document took longer than {timeout:g} s", timeout=self._timeout)
            ) from None
        except (OSError, EOFError):
            raise Unparsable(
                msg("the document made the parser crash, or run out of memory")
            ) from None


class _Worker:
    """One worker process and its two pipes."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._ready = False
        self.served = 0

    async def wait_until_ready(self) -> None:
        """Wait until the process has loaded its parsers."""
        if not self._ready and self._process.stdout is not None:
            await self._process.stdout.readexactly(len(READY))
            self._ready = True

    async def request(self, data: bytes, url: str, content_type: str) -> list[bytes]:
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
        return parts

    async def kill(self) -> None:
        """Kill the process, close its pipes, and wait for its end."""
        transport: asyncio.SubprocessTransport = self._process._transport  # type: ignore[attr-defined]
        if self._process.returncode is None:
            # Process.kill() polls first, and would take the exit status from the child watcher.
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._process.pid, getattr(signal, "SIGKILL", signal.SIGTERM))
        # asyncio also waits for the end of the pipes, which never comes when it has stopped
        # reading: half a long reply was enough to wait for ever.
        for number in (0, 1):
            if (pipe := transport.get_pipe_transport(number)) is not None:
                pipe.close()
        await self._process.wait()
        transport.close()


async def _spawn(memory: int) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *python_command("kensaku.extract.worker.process", str(memory)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=child_environment(),
    )


def is_heavy(data: bytes) -> bool:
    """Tell whether a document may take seconds: by its size, or because it is compressed."""
    head = data[:1024]
    return len(data) > HEAVY_BYTES or b"%PDF-" in head or head.startswith(b"PK\x03\x04")


def _cores() -> int:
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def page_of(reply: Sequence[bytes]) -> Page:
    """Return the page of a reply, or raise its error."""
    values, text, markdown = reply
    decoded = json.loads(values)
    if error := decoded.get("error"):
        kind = _ERRORS.get(error["type"], Unparsable)
        raise kind(error["message"], remedy=error["remedy"])
    fields = decoded["page"] | {"text": text.decode(), "markdown": markdown.decode()}
    for name in ("images", "links", "notes"):
        fields[name] = tuple(fields[name])
    return Page(**fields)

"""MCP servers that run as processes of ours: JSON-RPC by lines on standard input and output.

    Request → the process of this event loop, started on first use → Reply
            → NotConfigured | Unreachable | Timeout | Unreadable

A process that has ended is started again by the next call. It gets no key of ours, only the
variables that the operator names, and runs in a folder that no stranger writes to.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import shutil
import signal
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kensaku._child_process import foreign_environment
from kensaku._shielded import shielded
from kensaku.errors import NotConfigured, Timeout, Unreachable, Unreadable
from kensaku.foreign_json import decode_json
from kensaku.messages import msg
from kensaku.transport.per_loop import PerLoop
from kensaku.transport.reply import Reply

if TYPE_CHECKING:
    from kensaku.transport.request import Request

PROTOCOL = "2025-06-18"
HELLO: Mapping[str, Any] = {
    "protocolVersion": PROTOCOL,
    "capabilities": {},
    "clientInfo": {"name": "kensaku", "version": "1"},
}
START_SECONDS = 60.0  # `npx` and `uvx` may download the server first
REPLY_SECONDS = 120.0
SILENT_SECONDS = 10.0  # a process that said nothing for so long when its caller gave up is replaced
END_SECONDS = 2.0  # to end by itself when its input is closed, and again when it is told to
MAX_LINE = 16 * 2**20  # bytes, as of a reply over HTTP
PARSED_AT_ONCE = 2**20  # bytes that are parsed on the event loop; a thread does the rest


@dataclass(frozen=True)
class Command:
    """What to run, with which variables of the environment, in which folder."""

    words: tuple[str, ...] = field(repr=False)  # an argument may be a key
    variables: tuple[str, ...]
    folder: Path

    async def start(self) -> asyncio.subprocess.Process:
        """Start the process. Raises `OSError`."""
        environ = foreign_environment(self.variables)
        program = await asyncio.to_thread(self._prepare, environ.get("PATH", os.defpath))
        return await asyncio.create_subprocess_exec(
            program,
            *self.words[1:],
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            limit=MAX_LINE,
            env=environ,
            cwd=self.folder,
            start_new_session=True,  # it is ended with what it has started
        )

    def _prepare(self, path: str) -> str:
        """Make the folder; return the program. Raises `OSError`."""
        # Nothing relative: that would be the working directory's, which may be a stranger's.
        folders = os.pathsep.join(p for p in path.split(os.pathsep) if os.path.isabs(p))
        program = shutil.which(os.path.expanduser(self.words[0]), path=folders or os.defpath)
        if program is None or not os.path.isabs(program):
            raise FileNotFoundError(self.words[0])
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return program


class McpProcesses(PerLoop["McpProcess"]):
    """A transport: one process of a command for each event loop."""

    def __init__(self, command: Command) -> None:
        super().__init__()
        self._command = command

    async def send(self, request: Request, provider: str) -> Reply:
        """Send the message of a request, and return the reply to it."""
        return await (await self._session()).call(request.json, provider)

    async def _make(self) -> McpProcess:
        return McpProcess(self._command)

    def _abandon(self, session: McpProcess) -> None:
        session.kill()


class McpProcess:
    """One process, which is started with the first call, and again after it has ended."""

    def __init__(self, command: Command) -> None:
        self._command = command
        self._starting: asyncio.Future[_Connection] | None = None
        self._connection: _Connection | None = None

    async def call(self, message: Mapping[str, Any], provider: str) -> Reply:
        """Send a request, and return the reply. Raises a `ProviderError`."""
        try:
            connection = await self._connect()
        except OSError:
            name = self._command.words[0][:80]
            raise NotConfigured(
                provider,
                msg("its command {name!r} cannot be started", name=name),
                remedy=msg("install it, or set command to its full path"),
            ) from None
        except TimeoutError:
            took = msg("its process did not start within {seconds:g} s", seconds=START_SECONDS)
            raise Timeout(provider, took) from None
        except _Ended as ended:
            raise Unreachable(provider, ended.reason) from None
        try:
            async with asyncio.timeout(REPLY_SECONDS):
                body = await connection.call(message)
        except TimeoutError:
            raise Timeout(provider, msg("it took too long")) from None
        except _TooLong:
            size = MAX_LINE >> 20
            raise Unreadable(
                provider, msg("the reply is larger than {size} MiB", size=size)
            ) from None
        except _Ended as ended:
            raise Unreachable(provider, ended.reason) from None
        return Reply(200, {"content-type": "application/json"}, body)

    async def _connect(self) -> _Connection:
        if self._connection is not None and self._connection.is_open:
            return self._connection
        if self._starting is None:
            self._starting = asyncio.ensure_future(self._start())
        # Shielded: a deadline ends the waiting, and the next search finds the process started.
        return await shielded(self._starting)

    async def _start(self) -> _Connection:
        try:
            connection = self._connection = _Connection(await self._command.start())
            try:
                async with asyncio.timeout(START_SECONDS):
                    await connection.call({"method": "initialize", "params": HELLO})
                connection.notify("notifications/initialized")
            except BaseException:
                connection.kill()
                raise
            return connection
        finally:
            self._starting = None

    def kill(self) -> None:
        """End the process at once."""
        if self._connection is not None:
            self._connection.kill()

    async def close(self) -> None:
        """Close the input of the process; end it if that is not enough."""
        if self._starting is not None:
            self._starting.cancel()
            await asyncio.gather(self._starting, return_exceptions=True)
        if self._connection is not None:
            await self._connection.close()
            self._connection = None


class _Ended(Exception):
    """The process has ended."""

    def __init__(self, status: int | None) -> None:
        self.reason = msg("its process has ended (status {status})", status=status)


class _TooLong(Exception):
    """A line of the process is over the bound."""


class _Connection:
    """A running process: requests out, replies in, by their ids."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._ids = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[bytes]] = {}
        self._heard = asyncio.get_running_loop().time()
        self._ended: Exception | None = None
        self._reading = asyncio.ensure_future(self._read())

    @property
    def is_open(self) -> bool:
        return self._ended is None

    async def call(self, message: Mapping[str, Any]) -> bytes:
        """Send a request, and return the line with its reply. Raises `_Ended` or `_TooLong`."""
        if self._ended is not None:
            raise self._ended
        loop, id = asyncio.get_running_loop(), next(self._ids)
        reply: asyncio.Future[bytes] = loop.create_future()
        self._waiting[id] = reply
        began = loop.time()
        try:
            self._send({**message, "id": id})
            return await reply
        except asyncio.CancelledError:
            self.notify("notifications/cancelled", {"requestId": id})
            if self._heard < began < loop.time() - SILENT_SECONDS:
                self.kill()
            raise
        finally:
            self._waiting.pop(id, None)

    def notify(self, method: str, params: Mapping[str, Any] | None = None) -> None:
        """Send what has no reply."""
        self._send({"method": method, "params": params or {}})

    def kill(self) -> None:
        """End the process, and what it has started."""
        self._end(_Ended(None))
        self._signal("SIGKILL")

    async def close(self) -> None:
        """Let the process end: by itself, when told to, or at once."""
        self._end(_Ended(None))
        if self._process.stdin is not None:
            self._process.stdin.close()
        for name in ("SIGTERM", "SIGKILL"):
            with suppress(TimeoutError):
                async with asyncio.timeout(END_SECONDS):
                    await self._process.wait()
                    break
            self._signal(name)
        await self._process.wait()
        self._signal("SIGKILL")  # what it has started and left behind
        self._reading.cancel()
        await asyncio.gather(self._reading, return_exceptions=True)

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        with suppress(OSError, RuntimeError):  # it has ended: `_read` says so
            line = json.dumps({"jsonrpc": "2.0", **message}).encode()
            self._process.stdin.write(line + b"\n")

    async def _read(self) -> None:
        assert self._process.stdout is not None
        try:
            while line := await self._process.stdout.readline():
                self._heard = asyncio.get_running_loop().time()
                await self._take(line)
            self._end(_Ended(await self._process.wait()))
        except ValueError:  # of the reader, for a line that is too long
            self._end(_TooLong())
            self._signal("SIGKILL")

    async def _take(self, line: bytes) -> None:
        """Take a line: a reply, or something that the server asks of us. All else is left out."""
        try:
            small = len(line) < PARSED_AT_ONCE
            said = decode_json(line) if small else await asyncio.to_thread(decode_json, line)
        except ValueError:
            return
        id = said.get("id") if isinstance(said, dict) else None
        if id is None:
            return
        if "method" in said:
            known = said["method"] == "ping"
            refusal = {"error": {"code": -32601, "message": "not supported"}}
            self._send({"id": id, **({"result": {}} if known else refusal)})
        elif isinstance(id, int) and (reply := self._waiting.get(id)) and not reply.done():
            reply.set_result(line)

    def _end(self, why: Exception) -> None:
        self._ended = self._ended or why
        for reply in self._waiting.values():
            if not reply.done():
                reply.set_exception(self._ended)

    def _signal(self, name: str) -> None:
        """Send a signal to the group of the process."""
        number = getattr(signal, name, signal.SIGTERM)
        with suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, number)
            elif self._process.returncode is None:
                self._process.send_signal(number)

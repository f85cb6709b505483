"""What a person types: a prompt with history and completion, or plain lines.

line()        → the next line;           raises `Interrupted` (Ctrl-C) and `EOFError`
reply(until)  → the reply to a question; None: it came too late
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TextIO

from kensaku.errors import MissingExtra

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import Completer

MAX_LINE = 1 << 16  # characters; more than any question may have
MAX_HISTORY = 1 << 20  # bytes; of a longer file the newest half is kept
PROMPT, REPLY = "> ", "? "
HISTORY = "chat-history"  # in home


class Interrupted(Exception):
    """Ctrl-C was pressed."""


class Reads(Protocol):
    """Where lines come from."""

    async def line(self, on_ready: Callable[[], None]) -> str:
        """Return the next line. `on_ready` is called once the person can type."""

    @property
    def has_person(self) -> bool:
        """Whether somebody is there who can be asked."""

    async def reply(self, until: Awaitable[object]) -> str | None:
        """Return the reply to a question; None when `until` ends first."""

    async def aside(self, show: Callable[[], None]) -> None:
        """Show something above the line that is being typed."""


class Lines:
    """Lines of a stream, each read when it is asked for. In a pipe nobody replies."""

    def __init__(self, stream: TextIO | None = None, prompts: TextIO | None = None) -> None:
        """`prompts`: where prompts are written, when a person types the lines."""
        self._stream, self._prompts = stream or sys.stdin, prompts
        self._pending: asyncio.Future[str] | None = None

    async def line(self, on_ready: Callable[[], None]) -> str:
        """Return the next line."""
        self._prompt(PROMPT)
        on_ready()
        return await self._next()

    @property
    def has_person(self) -> bool:
        """Not in a pipe."""
        return self._prompts is not None

    async def aside(self, show: Callable[[], None]) -> None:
        """Show it where the output is."""
        show()

    async def reply(self, until: Awaitable[object]) -> str | None:
        """Return what a person types on a terminal."""
        self._prompt(REPLY)
        line, late = asyncio.ensure_future(self._next()), asyncio.ensure_future(until)
        try:
            await asyncio.wait([line, late], return_when=asyncio.FIRST_COMPLETED)
            return line.result() if line.done() else None
        finally:
            for task in (line, late):
                task.cancel()

    def _prompt(self, text: str) -> None:
        if self._prompts is not None:
            print(text, end="", file=self._prompts, flush=True)

    async def _next(self) -> str:
        # A thread cannot be stopped while it reads: a line that nobody waits for is the next one.
        loop = asyncio.get_running_loop()
        if self._pending is None:
            self._pending = loop.create_future()
            threading.Thread(target=self._read, args=(loop, self._pending), daemon=True).start()
        interrupted = asyncio.Event()
        stop = asyncio.ensure_future(interrupted.wait())
        with on_interrupt(interrupted.set):
            waited: list[asyncio.Future[Any]] = [self._pending, stop]
            await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
        stop.cancel()
        if not self._pending.done():
            raise Interrupted
        line, self._pending = self._pending.result(), None
        if not line:
            raise EOFError
        return line

    def _read(self, loop: asyncio.AbstractEventLoop, result: asyncio.Future[str]) -> None:
        line = self._stream.readline(MAX_LINE)
        rest = line
        while rest and not rest.endswith("\n"):  # too long: its beginning is refused by its length
            rest = self._stream.readline(MAX_LINE)
        with suppress(RuntimeError):  # the loop was closed
            loop.call_soon_threadsafe(result.set_result, line)


class Prompt:
    """A prompt with history, completion and the usual keys (prompt_toolkit)."""

    def __init__(self, history: Path, completer: Callable[[], Completer]) -> None:
        try:
            from prompt_toolkit import PromptSession
            from prompt_toolkit.history import FileHistory
        except ImportError:
            raise MissingExtra("prompt_toolkit", "chat") from None
        prepare_history(history)
        self._session: PromptSession[str] = PromptSession(
            PROMPT,
            history=FileHistory(str(history)),
            completer=completer(),
            reserve_space_for_menu=4,
            interrupt_exception=Interrupted,
        )

    @cached_property
    def _replies(self) -> PromptSession[str]:
        from prompt_toolkit import PromptSession

        return PromptSession(REPLY, interrupt_exception=Interrupted)

    async def line(self, on_ready: Callable[[], None]) -> str:
        """Return the next line."""
        ready: list[Callable[[], None]] = [on_ready]

        def rendered(_: object) -> None:
            while ready:
                ready.pop()()

        self._session.app.after_render += rendered
        try:
            return await self._session.prompt_async()
        finally:
            self._session.app.after_render -= rendered

    @property
    def has_person(self) -> bool:
        """Somebody types."""
        return True

    async def aside(self, show: Callable[[], None]) -> None:
        """Draw the prompt again below."""
        from prompt_toolkit.application import run_in_terminal

        await run_in_terminal(show)

    async def reply(self, until: Awaitable[object]) -> str | None:
        """Return the reply, or None when it came too late."""
        app = self._replies.app
        typing = asyncio.ensure_future(self._replies.prompt_async())
        late = asyncio.ensure_future(until)

        def too_late(waited: asyncio.Future[object]) -> None:
            if app.is_running and not waited.cancelled():  # else it is the next prompt that runs
                app.exit(exception=EOFError)

        late.add_done_callback(too_late)
        try:
            return await typing
        except EOFError:
            if late.done():
                return None
            raise
        finally:
            late.cancel()


@contextmanager
def on_interrupt(call: Callable[[], object]) -> Iterator[None]:
    """Call something when Ctrl-C is pressed, instead of ending the program."""
    # Not the loop's own handlers: a prompt replaces those and removes them.
    loop = asyncio.get_running_loop()
    before = signal.signal(signal.SIGINT, lambda *_: loop.call_soon_threadsafe(call))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def without_echo() -> Iterator[None]:
    """Keep what is typed during a run off the screen; the next prompt gets it."""
    if not sys.stdin.isatty():
        yield
        return
    import termios

    fd = sys.stdin.fileno()
    before = termios.tcgetattr(fd)
    quiet = termios.tcgetattr(fd)
    quiet[3] &= ~(termios.ECHO | termios.ICANON)
    termios.tcsetattr(fd, termios.TCSADRAIN, quiet)
    try:
        yield
    finally:
        termios.tcsetattr(fd, termios.TCSADRAIN, before)


def prepare_history(path: Path) -> None:
    """Make the file of the history: for this user alone, and of a bounded size."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    os.close(os.open(path, os.O_CREAT | os.O_RDONLY, 0o600))
    path.chmod(0o600)
    if path.stat().st_size > MAX_HISTORY:
        kept = path.read_bytes()[-MAX_HISTORY // 2 :]
        path.write_bytes(kept[max(0, kept.find(b"\n# ")) :])

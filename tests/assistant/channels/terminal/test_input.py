"""The prompt by itself: keys come from a pipe, and nothing is drawn."""

from __future__ import annotations

import asyncio
import os
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.completion import DummyCompleter
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from kensaku.assistant.channels.terminal.input import (
    Interrupted,
    Lines,
    Prompt,
    prepare_history,
    without_echo,
)
from kensaku.errors import MissingExtra
from tests.search.support import until

CTRL_C, CTRL_D, ENTER = "\x03", "\x04", "\r"


@contextmanager
def typing() -> Iterator[Any]:
    """A terminal whose keys a test presses."""
    with create_pipe_input() as keys, create_app_session(input=keys, output=DummyOutput()):
        yield keys


def nothing() -> None:
    """Nothing is to be done."""


async def test_a_line_is_read_and_kept_in_the_history(tmp_path: Path) -> None:
    """What is to be done once the person can type is done once."""
    path, ready, completer = tmp_path / "home" / "history", list[str](), DummyCompleter()
    with typing() as keys:
        prompt = Prompt(path, lambda: completer)
        assert prompt.has_person
        for line in ("one", "two"):
            keys.send_text(line + ENTER)
            assert await prompt.line(lambda: ready.append("ready")) == line
        session = prompt._session

    assert ready == ["ready", "ready"]
    assert [line for line in path.read_text().splitlines() if line[:1] == "+"] == ["+one", "+two"]
    assert (session.message, session.completer) == ("> ", completer)
    assert session.reserve_space_for_menu == 4
    assert len(session.app.after_render._handlers) == len(
        Prompt(path, lambda: completer)._session.app.after_render._handlers
    )


@pytest.mark.parametrize(("key", "error"), [(CTRL_C, Interrupted), (CTRL_D, EOFError)])
async def test_keys_that_end_a_line(key: str, error: type, tmp_path: Path) -> None:
    """Ctrl-C interrupts, Ctrl-D ends: at the prompt, and at a question."""
    with typing() as keys:
        prompt = Prompt(tmp_path / "history", DummyCompleter)
        keys.send_text(key)
        with pytest.raises(error):
            await prompt.line(nothing)
        until_late = asyncio.Event()
        keys.send_text(key)
        with pytest.raises(error):
            await prompt.reply(until_late.wait())


async def test_a_reply_is_not_kept_and_may_come_too_late(tmp_path: Path) -> None:
    """It has a prompt of its own; None when nobody waits for it any more."""
    path = tmp_path / "history"
    with typing() as keys:
        prompt = Prompt(path, DummyCompleter)
        keys.send_text("yes" + ENTER)
        waiting = asyncio.Event()
        assert await prompt.reply(waiting.wait()) == "yes"
        assert prompt._replies.message == "? "

        reply = asyncio.ensure_future(prompt.reply(waiting.wait()))
        await until(lambda: prompt._replies.app.is_running)
        waiting.set()
        assert await reply is None
    assert path.read_text() == ""


async def test_what_is_shown_beside_the_prompt_is_shown(tmp_path: Path) -> None:
    """Above the line that is being typed."""
    shown: list[str] = []
    with typing() as keys:
        prompt = Prompt(tmp_path / "history", DummyCompleter)
        line = asyncio.ensure_future(prompt.line(nothing))
        await until(lambda: prompt._session.app.is_running)
        await prompt.aside(lambda: shown.append("aside"))
        keys.send_text("x" + ENTER)
        assert await line == "x"
    assert shown == ["aside"]


def test_without_its_library_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And no history is begun."""
    for name in [n for n in sys.modules if n.partition(".")[0] == "prompt_toolkit"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "prompt_toolkit", None)
    with pytest.raises(MissingExtra) as missing:
        Prompt(tmp_path / "history", DummyCompleter)

    assert "kensaku-search[chat]" in str(missing.value)
    assert list(tmp_path.iterdir()) == []


# --- plain lines


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (f"{'x' * 65_535}\nnext\n", ["x" * 65_535 + "\n", "next\n"]),
        (f"{'x' * 65_536}\nnext\n", ["x" * 65_536, "next\n"]),
        (f"{'x' * 200_000}\nnext", ["x" * 65_536, "next"]),
    ],
    ids=["fits", "one too many", "far too many"],
)
async def test_of_a_long_line_the_beginning_is_taken(text: str, lines: list[str]) -> None:
    """Its length refuses it; its end is no line of its own."""
    reads = Lines(StringIO(text))
    assert [await reads.line(nothing) for _ in lines] == lines


async def test_lines_come_from_the_usual_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """The input of the program, unless another is given."""
    monkeypatch.setattr(sys, "stdin", StringIO("typed\n"))
    assert await Lines().line(nothing) == "typed\n"


# --- the echo of the terminal


def test_what_is_typed_during_a_run_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """And read key by key; afterwards the terminal is as before, also after an error."""
    master, slave = os.openpty()
    try:
        monkeypatch.setattr(
            sys, "stdin", SimpleNamespace(isatty=lambda: True, fileno=lambda: slave)
        )
        before = termios.tcgetattr(slave)
        assert before[3] & termios.ECHO
        assert before[3] & termios.ICANON

        def run() -> None:
            with without_echo():
                during = termios.tcgetattr(slave)
                assert during[3] == before[3] & ~termios.ECHO & ~termios.ICANON
                assert during[:3] == before[:3]
                raise EOFError

        with pytest.raises(EOFError):
            run()
        assert termios.tcgetattr(slave) == before
    finally:
        os.close(master)
        os.close(slave)


def test_in_a_pipe_there_is_no_echo(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is asked of it."""
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: False))
    ran = []
    with without_echo():
        ran.append(1)
    assert ran == [1]


@pytest.mark.parametrize(
    ("entries", "kept"),
    [
        (b"\n# 1\n+" + b"a" * (1 << 20), b"a" * (1 << 19)),
        (b"x" * (1 << 20) + b"\n# 2\n+b\n", b"\n# 2\n+b\n"),
    ],
    ids=["one entry", "an entry at the end"],
)
def test_a_history_that_is_cut_begins_with_an_entry(
    entries: bytes, kept: bytes, tmp_path: Path
) -> None:
    """If there is one in the half that is kept."""
    path = tmp_path / "history"
    path.write_bytes(entries)
    prepare_history(path)

    assert path.read_bytes() == kept

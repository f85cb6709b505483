"""The prompt by itself: keys come from a pipe, and nothing is drawn."""

from __future__ import annotations

import asyncio
import os
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from kensaku.assistant.channels.terminal.input import (
    Interrupted,
    Prompt,
    without_echo,
)
from kensaku.errors import MissingExtra

CTRL_C, CTRL_D, ENTER = "\x03", "\x04", "\r"


@contextmanager
def typing() -> Iterator[Any]:
    """A terminal whose keys a test presses."""
    from prompt_toolkit.application import create_app_session
    from prompt_toolkit.input import create_pipe_input
    from prompt_toolkit.output import DummyOutput

    with create_pipe_input() as keys, create_app_session(input=keys, output=DummyOutput()):
        yield keys


def nothing() -> None:
    """Nothing is to be done."""


async def test_a_line_is_read_and_kept_in_the_history(tmp_path: Path) -> None:
    """What is to be done once the person can type is done once for each."""
    from prompt_toolkit.completion import DummyCompleter

    path, ready = tmp_path / "home" / "history", list[str]()
    with typing() as keys:
        prompt = Prompt(path, DummyCompleter)
        assert prompt.has_person
        for line in ("one", "two"):
            keys.send_text(line + ENTER)
            assert await prompt.line(lambda: ready.append("ready")) == line

    assert ready == ["ready", "ready"]
    assert [line for line in path.read_text().splitlines() if line[:1] == "+"] == ["+one", "+two"]


@pytest.mark.parametrize(("key", "error"), [(CTRL_C, Interrupted), (CTRL_D, EOFError)])
async def test_keys_that_end_a_line(key: str, error: type, tmp_path: Path) -> None:
    """Ctrl-C interrupts, Ctrl-D ends: at the prompt, and at a question."""
    from prompt_toolkit.completion import DummyCompleter

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
    """None when nobody waits for it any more, also when that is so at once."""
    from prompt_toolkit.completion import DummyCompleter

    path = tmp_path / "history"
    with typing() as keys:
        prompt = Prompt(path, DummyCompleter)
        keys.send_text("yes" + ENTER)
        waiting = asyncio.Event()
        assert await prompt.reply(waiting.wait()) == "yes"

        reply = asyncio.ensure_future(prompt.reply(waiting.wait()))
        keys.send_text("half a wo")
        waiting.set()
        assert await reply is None
    assert path.read_text() == ""


async def test_what_is_shown_beside_the_prompt_is_shown(tmp_path: Path) -> None:
    """Above the line that is being typed."""
    from prompt_toolkit.completion import DummyCompleter

    shown, ready = list[str](), asyncio.Event()
    with typing() as keys:
        prompt = Prompt(tmp_path / "history", DummyCompleter)
        line = asyncio.ensure_future(prompt.line(ready.set))
        await ready.wait()
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
        Prompt(tmp_path / "history", lambda: None)  # type: ignore[arg-type, return-value]

    assert "kensaku-search[chat]" in str(missing.value)
    assert list(tmp_path.iterdir()) == []


# --- the echo of the terminal


def test_what_is_typed_during_a_run_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """And read key by key; afterwards the terminal is as before, also after an error."""
    master, slave = os.openpty()
    with os.fdopen(slave) as terminal:
        monkeypatch.setattr(sys, "stdin", terminal)
        before = termios.tcgetattr(slave)
        assert before[3] & termios.ECHO

        def run() -> None:
            with without_echo():
                during = termios.tcgetattr(slave)
                assert during[3] == before[3] & ~termios.ECHO & ~termios.ICANON
                raise EOFError

        with pytest.raises(EOFError):
            run()
        assert termios.tcgetattr(slave) == before
    os.close(master)

"""`kensaku init`: a key is asked for on a real terminal, tried, and stored privately."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
from pathlib import Path

import pytest

from kensaku import Hit
from kensaku.testing import FakeUpstream, faults

from .conftest import Run

KEY = "tvly-dev-0123456789abcdef"


class Terminal:
    """A command on a terminal of its own."""

    def __init__(self, words: list[str], env: dict[str, str]) -> None:
        self._master, slave = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "kensaku.cli", *words],
            stdin=slave, stdout=slave, stderr=slave, env=env, start_new_session=True,
        )  # fmt: skip
        os.close(slave)
        self.shown = ""

    def until(self, text: str) -> None:
        """Read until the text has been shown."""
        while text not in self.shown:
            assert select.select([self._master], [], [], 60)[0], self.shown
            try:
                data = os.read(self._master, 65536)
            except OSError:
                data = b""
            assert data, self.shown
            self.shown += data.decode("utf-8", "replace")

    def say(self, text: str) -> None:
        """Type a line."""
        os.write(self._master, f"{text}\n".encode())

    def end(self) -> int:
        """Wait for the end; return the exit status."""
        while True:
            try:
                data = os.read(self._master, 65536)
            except OSError:
                break
            if not data:
                break
            self.shown += data.decode("utf-8", "replace")
        os.close(self._master)
        return self.process.wait(60)


@pytest.fixture
def empty(env: dict[str, str]) -> dict[str, str]:
    """A machine without keys."""
    del env["TAVILY_API_KEY"]
    return env | {"LC_ALL": "C.UTF-8"}


def test_a_key_that_works_is_stored(empty: dict[str, str], up: FakeUpstream, machine: Path) -> None:
    """It is never shown; the next search uses it."""
    up.answers("tavily", [Hit("https://a.example/", "A", "kensaku")])
    terminal = Terminal(["init", "--provider", "tavily"], empty)
    terminal.until("Tavily key")
    terminal.say(KEY)

    assert terminal.end() == 0, terminal.shown
    assert "it works" in terminal.shown
    assert KEY not in terminal.shown
    file = machine / "config.toml"
    assert KEY in file.read_text()
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_key_that_is_refused_is_stored_only_on_demand(
    empty: dict[str, str], up: FakeUpstream, machine: Path
) -> None:
    """In Japanese."""
    up.fails("tavily", faults.status(401, {"detail": {"error": f"bad key {KEY}"}}))
    terminal = Terminal(["init", "--provider", "tavily"], empty | {"LC_ALL": "ja_JP.UTF-8"})
    terminal.until("Tavily のキー")
    terminal.say(KEY)
    terminal.until("保存しますか")
    terminal.say("")

    assert terminal.end() == 0, terminal.shown
    assert "保存していません" in terminal.shown
    assert KEY not in terminal.shown
    assert not (machine / "config.toml").exists()


def test_enter_skips(empty: dict[str, str], machine: Path) -> None:
    """Kensaku works without a key."""
    terminal = Terminal(["init", "--provider", "tavily", "--provider", "brave"], empty)
    terminal.until("Tavily key")
    terminal.say("")
    terminal.until("Brave")
    terminal.say("")
    assert terminal.end() == 0
    assert not (machine / "config.toml").exists()


def test_the_providers_that_most_people_have_are_asked_for(empty: dict[str, str]) -> None:
    """One after the other, when none is named."""
    terminal = Terminal(["init"], empty)
    for label in ("Tavily", "Brave Search", "Exa", "Serper"):
        terminal.until(f"{label} key (https://")
        terminal.say("")
    assert terminal.end() == 0
    assert terminal.shown.count(" key (https://") == 4


def test_without_a_terminal_it_says_what_to_do(run: Run) -> None:
    """A script sets values by another command."""
    done = run("init")
    assert done.returncode == 2
    assert "config set" in done.stderr

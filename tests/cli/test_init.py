"""`kensaku init`: a key is asked for on a terminal, tried, and stored privately."""

from __future__ import annotations

import getpass
import os
import pty
import select
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from kensaku.testing import FakeUpstream, faults

from .conftest import Cli, CliResult

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


@pytest.mark.usefixtures("processes")
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


Typed = Callable[..., tuple[CliResult, list[str]]]


@pytest.fixture
def typed(terminal: Cli, monkeypatch: pytest.MonkeyPatch) -> Typed:
    """`typed("--provider", "tavily", keys=[KEY], lines="y\\n")` → what came, what was asked."""

    def run(*words: str, keys: list[str], lines: str = "") -> tuple[CliResult, list[str]]:
        asked, left = list[str](), list(keys)

        def read(prompt: str) -> str:
            asked.append(prompt)
            if not left:
                raise EOFError
            return left.pop(0)

        monkeypatch.setattr(getpass, "getpass", read)
        done = terminal("init", *words, stdin=lines, TAVILY_API_KEY=None, NO_COLOR="1")
        assert not any(key in done.out + done.err for key in keys if key)
        return done, asked

    return run


def test_a_key_is_tried_with_one_search_and_named_as_set_afterwards(
    typed: Typed, up: FakeUpstream, machine: Path
) -> None:
    """Blanks around it are not part of it; Enter keeps it; the next search uses it."""
    file = machine / "config.toml"
    done, _ = typed("--provider", "tavily", keys=[f" {KEY} "])
    again, asked = typed("--provider", "tavily", keys=[""])
    (sent,) = up.asked("tavily")

    assert (done.status, again.status, done.out) == (0, 0, "")
    assert "it works" in done.err
    assert file.stat().st_mode & 0o777 == 0o600
    assert str(file) in done.err
    assert sent.headers["authorization"] == f"Bearer {KEY}"
    assert sent.json["max_results"] == 1
    assert str(file) in asked[0]
    assert KEY in file.read_text()


@pytest.mark.parametrize(
    ("line", "stored"),
    [("y\n", True), (" YES\n", True), ("はい\n", True), ("n\n", False), ("", False)],
)
def test_a_refused_key_needs_a_yes(
    line: str, stored: bool, typed: Typed, up: FakeUpstream, machine: Path
) -> None:
    """What the provider said is told, without the key that it repeats."""
    up.fails("tavily", faults.status(401, {"detail": {"error": f"bad key {KEY}"}}))
    done, _ = typed("--provider", "tavily", keys=[KEY], lines=line)

    assert done.status == 0
    assert "it does not take this key" in done.err
    assert (machine / "config.toml").exists() is stored


@pytest.mark.parametrize("keys", [[""] * 4, []])
def test_the_providers_that_most_people_have_are_asked_for(
    keys: list[str], typed: Typed, machine: Path
) -> None:
    """One after the other; Enter and the end of the input skip: it works without a key."""
    done, asked = typed(keys=keys)

    assert done.status == 0
    assert [prompt.partition(" key (https://")[0] for prompt in asked] == [
        "Tavily", "Brave Search", "Exa", "Serper",
    ]  # fmt: skip
    assert not (machine / "config.toml").exists()


def test_keys_go_to_the_file_that_was_named(typed: Typed, machine: Path, tmp_path: Path) -> None:
    """It need not be there yet; what is in it stays."""
    file = tmp_path / "mine.toml"
    keys = [f"{name}-0123456789" for name in ("tavily", "brave")]
    for key in keys:
        done, _ = typed("--provider", key.partition("-")[0], "--config", str(file), keys=[key])
        assert done.status == 0

    assert all(key in file.read_text() for key in keys)
    assert not (machine / "config.toml").exists()


def test_without_a_terminal_it_says_what_to_do(cli: Cli) -> None:
    """A script sets values by another command."""
    done = cli("init", stdin="")
    assert done.status == 2
    assert "config set" in done.err

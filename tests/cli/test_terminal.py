"""Colour, links and progress: on a terminal, and only there."""

from __future__ import annotations

import io
import os
import subprocess
import sys

import pytest

from kensaku.cli._terminal import ProgressBar, format_table, hyperlink
from kensaku.models import Hit, ProgressEvent
from kensaku.testing import FakeUpstream

pty = pytest.importorskip("pty")


class Terminal(io.StringIO):
    """A stream that says it is one."""

    def isatty(self) -> bool:
        return True


def _on_a_terminal(env: dict[str, str], *words: str, messages: bool = True) -> str:
    """What a person sees, without what the terminal itself adds; `messages`: also stderr."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "kensaku.cli", *words],
        env=env,
        stdout=theirs,
        stderr=theirs if messages else subprocess.DEVNULL,
    )
    os.close(theirs)
    seen = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:  # how Linux says that the other end is closed
            break
        if not part:
            break
        seen += part
    os.close(ours)
    assert process.wait(120) == 0
    return seen.decode().replace("\r\n", "\n")


@pytest.mark.usefixtures("processes")
def test_colour_and_links_are_for_terminals_only(up: FakeUpstream, env: dict[str, str]) -> None:
    """In a pipe there is not one escape; NO_COLOR and dumb terminals have none either."""
    up.answers("tavily", [Hit(url="https://a.example/検", title="Otters", content="swim")])
    env = {**env, "TERM": "xterm-256color", "NO_COLOR": ""}  # which counts when it is not empty
    shown = _on_a_terminal(env, "search", "otter")

    assert "\x1b]8;;https://a.example/%E6%A4%9C\x1b\\" in shown
    assert "\x1b[1;36mOtters\x1b[0m" in shown
    for plain in ({**env, "NO_COLOR": "1"}, {**env, "TERM": "dumb"}):
        assert "\x1b" not in _on_a_terminal(plain, "search", "otter")
    piped = subprocess.run(
        [sys.executable, "-m", "kensaku.cli", "search", "otter"], env=env, capture_output=True
    )
    assert b"\x1b" not in piped.stdout + piped.stderr


@pytest.mark.usefixtures("processes")
def test_other_dialects_are_not_painted(up: FakeUpstream, env: dict[str, str]) -> None:
    """They are for models: the same bytes everywhere; JSON is indented for people."""
    up.answers("tavily", [Hit(url="https://a.example/", title="Otters")])
    env = {**env, "TERM": "xterm-256color"}

    # On a slow machine the sign that somebody is waited for is on stderr.
    words = ("search", "otter", "--dialect", "term")
    assert "\x1b" not in _on_a_terminal(env, *words, messages=False)
    assert '\n  "outcome": "found"' in _on_a_terminal(env, "search", "otter", "--json")


def test_only_web_addresses_become_links() -> None:
    """And nothing in an address ends the sequence."""
    assert hyperlink("x", "javascript:alert(1)") == "x"
    assert hyperlink("x", "pydoc:json") == "x"
    assert hyperlink("x", "https://a.example/\x1b\\ \x07") == (
        "\x1b]8;;https://a.example/%1B\\%20%07\x1b\\x\x1b]8;;\x1b\\"
    )


def test_progress_is_a_bar_on_a_terminal() -> None:
    """It goes away when the work is done."""
    stream = Terminal()
    progress = ProgressBar(stream)
    progress(ProgressEvent("indexing", 1, 4))
    progress(ProgressEvent("indexing", 4, 4))

    assert stream.getvalue() == "\r\x1b[Kindexing ██████░░░░░░░░░░░░░░░░░░ 1/4\r\x1b[K"


def test_progress_is_a_few_lines_elsewhere() -> None:
    """A log is not filled with it."""
    stream = io.StringIO()
    progress = ProgressBar(stream)
    for done in range(1001):
        progress(ProgressEvent("indexing", done, 1000))
    progress(ProgressEvent("opening", 0))
    progress.clear()

    assert stream.getvalue().splitlines() == [
        "indexing: 0 %", "indexing: 25 %", "indexing: 50 %", "indexing: 75 %", "indexing: 100 %",
        "opening",
    ]  # fmt: skip


def test_columns_are_as_wide_as_they_look() -> None:
    """A Japanese character takes two places."""
    assert format_table([["検索", "x"], ["abc", "y"]]) == "検索  x\nabc   y"
    assert format_table([]) == ""

"""The first five minutes in a real terminal: init, search, a folder, ask it, MCP; and Ctrl-C."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kensaku import Hit
from kensaku.testing import FakeUpstream, faults
from kensaku.text.width import display_width
from tests.assistant.channels.terminal.tmux import PATIENCE, Terminal

pytestmark = pytest.mark.skipif(
    shutil.which("tmux") is None, reason="tmux is not installed: no real terminal"
)
KEY = "tvly-dev-0123456789abcdef"
HITS = [
    Hit(
        "https://a.example/otters",
        "How sea otters sleep: an article with a title that is longer than forty columns",
        "Sea otters hold hands while they sleep. ラッコは手をつないで眠ります。" * 3,
        score=0.9,
    )
]
Start = Callable[..., Terminal]


@pytest.fixture
def start(tmux: None, up: FakeUpstream, env: dict[str, str], tmp_path: Path) -> Iterator[Start]:
    """A window of a new person, so wide, in a language."""
    opened: list[Terminal] = []
    up.answers("tavily", HITS)
    del env["TAVILY_API_KEY"]
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "harbour.md").write_text("# Harbour\n\nThe harbour was built in 1893.\n")
    (notes / "draft.tmp").write_text("not this one")
    home = {"HOME": str(tmp_path), "TERM": "screen-256color", "WEB_SEARCH_PROVIDER": "tavily"}

    def make(columns: int, locale: str = "C.UTF-8", **more: str) -> Terminal:
        terminal = Terminal(tmp_path, env | home | {"LC_ALL": locale} | more, columns)
        opened.append(terminal)
        return terminal

    yield make
    for terminal in opened:
        terminal.close()


def run(terminal: Terminal, *words: str, until: str) -> None:
    """Run a command until it has shown something and the prompt is back."""
    terminal.start(*words)
    terminal.wait_for(until)
    to_prompt(terminal)
    assert "Traceback" not in terminal.flat


def to_prompt(terminal: Terminal) -> None:
    """Wait for the prompt of the shell."""
    terminal.wait_until(lambda: "".join(terminal.screen[-1:]).startswith("$"), "the prompt")


@pytest.mark.parametrize(("columns", "locale"), [(40, "C.UTF-8"), (120, "ja_JP.UTF-8")])
def test_from_nothing_to_an_agent_that_searches(
    columns: int, locale: str, start: Start, tmp_path: Path
) -> None:
    """Each step says what comes next; no line is wider than the window."""
    terminal = start(columns, locale)
    terminal.start("init", "--provider", "tavily")
    terminal.wait_for("Tavily のキー（" if locale.startswith("ja") else "Tavily key (")
    terminal.press(KEY)  # nothing is shown while it is typed
    terminal.press("Enter")
    terminal.wait_for("kensaku doctor")

    run(terminal, "search", "how do sea otters sleep", until="hold hands")
    wide = [line for line in terminal.screen if display_width(line) > columns]
    assert not wide
    notes = str(tmp_path / "notes")
    run(terminal, "index", "add", notes, "--include", "*.md", "-v", until="draft.tmp")
    run(terminal, "ask", "--route", "local", "When was the harbour built?", until="1893")
    run(terminal, "mcp", "install", "cursor", until="mcp.json")

    assert KEY not in terminal.flat
    installed = json.loads((tmp_path / ".cursor" / "mcp.json").read_text())
    assert "kensaku" in installed["mcpServers"]


def test_ctrl_c_ends_every_long_step(start: Start, up: FakeUpstream) -> None:
    """At once, without a traceback, and the prompt is there."""
    terminal = start(80, TAVILY_API_KEY=KEY)
    up.fails("tavily", faults.hang())
    for n, words in enumerate(
        (("search", "otters"), ("answer", "otters"), ("ask", "otters"), ("watch", "otters")), 1
    ):
        terminal.start(*words)
        wait_until(lambda n=n: len(up.asked("tavily")) >= n)  # type: ignore[misc]
        terminal.press("C-c")
        to_prompt(terminal)
        assert "Traceback" not in terminal.flat


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait for the other process."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)

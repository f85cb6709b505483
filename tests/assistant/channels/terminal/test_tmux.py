"""`kensaku chat` on a real terminal, at 40 and 120 columns, in English and Japanese."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kensaku.models import Hit
from kensaku.testing import FakeUpstream, faults
from kensaku.text.width import display_width
from tests.cli.conftest import env as env
from tests.cli.conftest import up as up
from tests.cli.examples import HITS

from .tmux import Terminal

pytestmark = pytest.mark.skipif(
    shutil.which("tmux") is None, reason="tmux is not installed: no real terminal"
)

SLEEP = "Do sea otters hold hands while they sleep?"
ASYNC = "Pythonの非同期プログラミングについて検索して"
ASYNC_HITS = [
    Hit(
        url="https://docs.example/asyncio",
        title="Python の非同期プログラミング入門",
        content="Pythonの非同期プログラミングは、asyncio ライブラリと async、await の構文で行います。",
        score=0.95,
    )
]
Start = Callable[..., Terminal]


@pytest.fixture
def start(tmux: None, up: FakeUpstream, env: dict[str, str], tmp_path: Path) -> Iterator[Start]:
    """`start(40, "--lite", KENSAKU_X="y")`: `kensaku chat` in a window so wide, at its prompt."""
    opened: list[Terminal] = []
    up.answers("tavily", HITS)

    def make(columns: int, *words: str, **variables: str) -> Terminal:
        settings = {"KENSAKU_ASSISTANT_FETCHES": "0", "WEB_SEARCH_PROVIDER": "tavily"}
        settings |= {"TERM": "screen-256color", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"}
        terminal = Terminal(tmp_path, env | settings | variables, columns)
        opened.append(terminal)
        terminal.start("chat", *words)
        terminal.wait_for("Ctrl-D")
        terminal.wait_for(">")
        return terminal

    yield make
    for terminal in opened:
        terminal.close()


@pytest.mark.parametrize("columns", [40, 120])
def test_a_question_is_answered_with_sources(columns: int, start: Start) -> None:
    """The tool's line, the answer, the sources; and the prompt again."""
    terminal = start(columns)
    terminal.type(SLEEP)
    terminal.wait_for("https://a.example/1")
    terminal.wait_for(">", times=2)
    shown = terminal.flat

    assert 'web_search:"Dosea' in shown
    assert "tavily·2hits·" in shown
    assert "Seaottersholdhandswhiletheysleep" in shown
    assert all(display_width(line) <= columns for line in terminal.screen)
    terminal.press("C-d")
    terminal.wait_for("$")


def test_a_question_in_japanese_is_answered_in_japanese(start: Start, up: FakeUpstream) -> None:
    """The proof sentence of every channel, where its letters take half of a line."""
    up.answers("tavily", ASYNC_HITS)
    terminal = start(40)
    terminal.type(ASYNC)
    terminal.wait_for("https://docs.example/asyncio")
    terminal.wait_for(">", times=2)
    shown = terminal.flat

    assert 'web_search:"Pythonの非同期' in shown
    assert "1件" in shown
    assert "asyncioライブラリとasync、awaitの構文で行います。" in shown
    assert all(display_width(line) <= 40 for line in terminal.screen)


def test_ctrl_c_stops_the_run_and_keeps_the_prompt(start: Start, up: FakeUpstream) -> None:
    """At an empty prompt it leaves, the second time."""
    up.fails("tavily", faults.hang())
    terminal = start(80)
    terminal.type(SLEEP)
    terminal.wait_until(lambda: bool(up.asked("tavily")), "the search")
    terminal.press("C-c")
    terminal.wait_for("Stopped")
    up.heals("tavily")
    terminal.type(f"Tell me: {SLEEP}")
    terminal.wait_for("https://a.example/1")

    terminal.wait_for(">", times=3)  # the run is over, and the prompt is there
    terminal.press("C-c")
    terminal.wait_for("Ctrl-C again")
    terminal.press("C-c")
    terminal.wait_for("$")


def test_approval_is_asked_at_the_prompt(start: Start, up: FakeUpstream) -> None:
    """A letter replies; other words change the query."""
    terminal = start(40, KENSAKU_ASSISTANT_APPROVALS="web_search=ask")
    terminal.type(SLEEP)
    terminal.wait_for("May web_search run?")
    terminal.wait_for("[y] yes")
    assert up.asked("tavily") == []
    terminal.type("otters asleep")
    terminal.wait_for("https://a.example/1")
    assert [r.json["query"] for r in up.asked("tavily")] == ["otters asleep"]

    terminal.type("/new")
    terminal.wait_for("A new conversation.")
    terminal.type(f"Once more: {SLEEP}")
    terminal.wait_for("May web_search run?", times=2)
    terminal.type("s")
    terminal.wait_for("not allowed")
    assert len(up.asked("tavily")) == 1


def test_what_is_typed_during_a_run_is_for_the_next_prompt(start: Start, up: FakeUpstream) -> None:
    """It does not appear between the lines of the run."""
    up.fails("tavily", faults.hang())
    terminal = start(80, KENSAKU_TIMEOUT="5")
    terminal.type(SLEEP)
    terminal.wait_until(lambda: bool(up.asked("tavily")), "the search")
    terminal.press("kelp beds")
    lines = terminal.wait_for("? kelp beds")

    assert sum("kelp beds" in line for line in lines) == 1


def test_kensaku_ask_takes_the_same_letters(start: Start, up: FakeUpstream) -> None:
    """One question, with consent."""
    terminal = start(80, KENSAKU_ASSISTANT_APPROVALS="web_search=ask")
    terminal.press("C-d")
    terminal.wait_for("$")
    terminal.start("ask", SLEEP)
    terminal.wait_for("[y] yes")
    terminal.type("y")
    terminal.wait_for("https://a.example/1")
    assert len(up.asked("tavily")) == 1


def test_a_killed_run_goes_on(start: Start, up: FakeUpstream) -> None:
    """The question is offered, and answered after --resume, with one search more."""
    up.fails("tavily", faults.hang())
    terminal = start(80)
    terminal.type(SLEEP)
    terminal.wait_until(lambda: bool(up.asked("tavily")), "the search")
    terminal.kill()
    up.heals("tavily")

    terminal.start("chat", "--resume")
    terminal.wait_for("Going on: Do sea otters")
    terminal.wait_for("https://a.example/1")
    assert len(up.asked("tavily")) == 2


def test_lite_mode_prints_plain_lines(start: Start) -> None:
    """No colour, no movement; questions and commands as elsewhere."""
    terminal = start(40, "--lite")
    terminal.type(SLEEP)
    terminal.wait_for("https://a.example/1")
    terminal.type("/settings")
    terminal.wait_for("collection: as in the settings")

    assert "\x1b" not in terminal.raw
    terminal.press("C-d")
    terminal.wait_for("$")


def test_completion_and_history(start: Start, machine: Path) -> None:
    """Tab completes a command, the arrow brings back what was typed; nobody else reads it."""
    terminal = start(40)
    terminal.press("/col")
    terminal.wait_for("/collection")
    terminal.press("Tab")
    terminal.wait_for("> /collection")
    terminal.press("Enter")
    terminal.wait_for("collection: as in the settings")
    terminal.press("Up")
    terminal.wait_for("> /collection", times=2)

    terminal.press("C-u")
    terminal.type("/help")
    lines = terminal.wait_for("/quit")
    assert all(display_width(line) <= 40 for line in lines)
    assert (machine / "chat-history").stat().st_mode & 0o777 == 0o600


COMMANDS = ("/help", "/provider", "/budget", "/history", "/delete-me", "/quit")


@pytest.mark.parametrize(("columns", "language"), [(80, "C.UTF-8"), (40, "ja_JP.UTF-8")])
def test_help_has_a_line_for_each_command(columns: int, language: str, start: Start) -> None:
    """The name of each once, with its own words beside or below it."""
    terminal = start(columns, LANG=language, LC_ALL=language)
    terminal.type("/help")
    lines = terminal.wait_for("/quit")
    shown = lines[next(n for n, line in enumerate(lines) if line.startswith("> /help")) + 1 :]

    for name in COMMANDS:
        assert len([line for line in shown if line.startswith(name)]) == 1
    assert all(display_width(line) <= columns for line in shown)
    about = "コマンドの一覧" if language.startswith("ja") else "list the commands"
    assert "".join(shown).count(about) == 1


def test_a_command_is_a_command_at_every_prompt(start: Start, up: FakeUpstream) -> None:
    """Where the run waits for a reply, too: it is no query, and no consent; /quit leaves."""
    terminal = start(80, KENSAKU_ASSISTANT_APPROVALS="web_search=ask")
    terminal.type(SLEEP)
    terminal.wait_for("May web_search run?")
    terminal.type("/help")
    terminal.wait_for("/quit")
    terminal.wait_for("May web_search run?", times=2)
    terminal.type("/new")
    terminal.wait_for("/new has to wait")
    terminal.type("/provder tavily")
    terminal.wait_for("There is no command /provder")
    assert up.asked("tavily") == []

    terminal.type("y")
    terminal.wait_for("https://a.example/1")
    terminal.type("/new")
    terminal.wait_for("A new conversation.")
    terminal.type(f"Once more: {SLEEP}")
    terminal.wait_for("May web_search run?", times=3)
    terminal.type("/quit")
    terminal.wait_for("$")

    assert [r.json["query"] for r in up.asked("tavily")] == [SLEEP]

"""`kensaku chat` in a pipe: line by line, to the end."""

from __future__ import annotations

import getpass
import io
import os
import sys
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from kensaku import Settings
from kensaku.assistant.channels.terminal import input, screen, words
from kensaku.cli import _notices
from kensaku.cli import chat as chat_command
from kensaku.cli._terminal import prefers_japanese, supports_movement
from kensaku.errors import Timeout
from kensaku.models import Attempt, Outcome
from kensaku.testing import FakeUpstream, faults

from .conftest import Cli, Run
from .examples import HITS

QUESTION = "do sea otters hold hands while they sleep"


@pytest.fixture(autouse=True)
def no_pages(env: dict[str, str]) -> None:
    """The hits are of hosts that do not exist: their snippets have to do."""
    env |= {"KENSAKU_ASSISTANT_FETCHES": "0", "WEB_SEARCH_PROVIDER": "tavily"}


def test_lines_of_a_pipe_are_answered_one_by_one(up: FakeUpstream, run: Run) -> None:
    """Answers on stdout, all else on stderr; no prompt and no escape sequence."""
    up.answers("tavily", HITS)
    done = run("chat", stdin=f"{QUESTION}\n\n/settings\nラッコは眠るときに手をつなぎますか")

    assert done.returncode == 0
    assert done.stdout.startswith("Sea otters hold hands while they sleep, so that the current")
    assert "ラッコは眠るときに手をつなぎます。 [1]" in done.stdout
    assert "[1] (web) Sleep\n    https://a.example/1\n" in done.stdout
    assert f'web_search: "{QUESTION}" · tavily · 2 hits · ' in done.stderr
    assert " · 2 件 · " in done.stderr
    assert "collection: as in the settings" in done.stderr
    assert "\x1b" not in done.stdout + done.stderr
    assert "> " not in done.stderr


def test_nobody_could_search_is_said_and_is_status_1(up: FakeUpstream, run: Run) -> None:
    """With the reason, and the next line is read."""
    up.fails("tavily", faults.status(401))
    done = run("chat", "--lite", stdin=f"{QUESTION}\n/quit\nnot read\n")

    assert done.returncode == 1
    assert done.stdout == ""
    assert "could not search" in done.stderr
    assert "tavily: " in done.stderr
    assert "not read" not in done.stderr


def test_a_database_that_cannot_be_opened_ends_it(run: Run) -> None:
    """With one sentence, as in every command."""
    done = run("chat", stdin=QUESTION, KENSAKU_DATABASE_URL="nonsense")

    assert done.returncode == 2
    assert done.stderr.startswith("kensaku: ")


def test_the_locale_decides_the_language_before_the_first_question() -> None:
    """By the variables that every terminal program reads, in their order."""
    assert prefers_japanese({"LANG": "ja_JP.UTF-8"})
    assert prefers_japanese({"LC_ALL": "", "LC_MESSAGES": "ja", "LANG": "en_GB"})
    assert prefers_japanese({"LANG": "Japanese_Japan.932"})
    assert not prefers_japanese({"LC_ALL": "C.UTF-8", "LANG": "ja_JP.UTF-8"})
    assert not prefers_japanese({})


class _Terminal:
    def isatty(self) -> bool:
        return True


def test_a_dumb_terminal_gets_plain_lines() -> None:
    """As a pipe does."""
    assert supports_movement(_Terminal(), {"TERM": "xterm"})  # type: ignore[arg-type]
    assert not supports_movement(_Terminal(), {"TERM": "dumb"})  # type: ignore[arg-type]
    assert not supports_movement(_Terminal(), {})  # type: ignore[arg-type]


class Tty(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        return True


class FakeOpener:
    """Only its method is handed on."""

    def open(self) -> None:
        raise AssertionError


def made(monkeypatch: pytest.MonkeyPatch, *, typed: bool, lite: bool = False, **env: str) -> Any:
    """A chat, and what was said before its first prompt."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    streams = {name: Tty() if typed else io.StringIO() for name in ("stdin", "stdout", "stderr")}
    for name, stream in streams.items():
        monkeypatch.setattr(sys, name, stream)
    monkeypatch.setattr(input, "Prompt", FakePrompt)
    monkeypatch.setattr(getpass, "getuser", lambda: "ada")
    opener: Any = FakeOpener()
    settings = Settings.load(environ=dict(os.environ), tenant="acme")
    chat = chat_command._make_chat(opener, settings, {"route": "local"}, lite=lite)
    assert (chat._open_assistant, chat._notices) == (opener.open, opener)
    assert (chat.person, chat.tenant, chat.home) == ("ada", "acme", settings.home)
    assert chat.options == {"route": "local"}
    return chat, streams["stderr"].getvalue()


class FakePrompt:
    """Notes where its history is."""

    def __init__(self, history: Path, completer: Callable[[], Any]) -> None:
        self.history, self.completer = history, completer


def test_a_person_gets_a_prompt_and_a_screen(
    monkeypatch: pytest.MonkeyPatch, machine: Path
) -> None:
    """With a history in the home, and commands that are completed."""
    chat, said = made(monkeypatch, typed=True, TERM="xterm")

    assert said == f"{words.ENGLISH.welcome}\n"
    assert type(chat.screen) is screen.Screen
    assert chat.words is words.ENGLISH
    assert isinstance(chat.reads, FakePrompt)
    assert chat.reads.history == machine / input.HISTORY
    assert chat.reads.completer() is not None
    assert chat._japanese is False


@pytest.mark.parametrize(("lite", "term"), [(True, "xterm"), (False, "dumb"), (False, "")])
def test_plain_lines_are_typed_without_a_history(
    lite: bool, term: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where nothing can move, or nothing shall."""
    chat, said = made(monkeypatch, typed=True, lite=lite, TERM=term, LANG="ja_JP.UTF-8")

    assert said == f"{words.JAPANESE.welcome}\n"
    assert type(chat.screen) is screen.LiteScreen
    assert chat.words is words.JAPANESE
    assert type(chat.reads) is input.Lines
    assert chat.reads.has_person
    assert chat._japanese is True


def test_a_pipe_is_not_greeted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is there to read it."""
    chat, said = made(monkeypatch, typed=False, TERM="xterm")

    assert said == ""
    assert type(chat.screen) is screen.LiteScreen
    assert not chat.reads.has_person


@pytest.mark.parametrize(
    ("line", "options", "lite", "resume"),
    [
        ("chat", {}, False, False),
        (
            "chat --model v:m --collection notes --route local --lite --resume",
            {"model": "v:m", "collection": "notes", "route": "local"},
            True,
            True,
        ),
        ("chat --route tavily", {"route": "tavily"}, False, False),
    ],
)
def test_what_was_given_reaches_the_chat(
    line: str,
    options: dict[str, str],
    lite: bool,
    resume: bool,
    cli: Cli,
    machine: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its status is that of the command."""
    calls: list[Any] = []

    class FakeChat:
        async def run(self, *, resume: bool) -> int:
            calls.append(resume)
            return 1

    def make(opener: Any, settings: Settings, options: Any, *, lite: bool) -> FakeChat:
        calls.append((opener._settings is settings, settings.home, options, lite))
        return FakeChat()

    monkeypatch.setattr(chat_command, "_make_chat", make)

    assert cli(*line.split()).status == 1
    assert calls == [(True, machine, options, lite), resume]


class Opened:
    """A context that notes when it ends."""

    def __init__(self, ended: list[str], name: str) -> None:
        self._ended, self._name = ended, name

    async def __aenter__(self) -> Opened:
        return self

    async def __aexit__(self, *_: object) -> None:
        self._ended.append(self._name)

    async def close(self) -> None:
        self._ended.append(self._name)


async def test_all_that_is_opened_for_a_chat_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The assistant before the database, and that before the client."""
    ended: list[str] = []
    opened: dict[str, Any] = {}
    settings = Settings.load(environ={})

    def make_client(given: Settings) -> Opened:
        assert given is settings
        opened["client"] = Opened(ended, "client")
        return opened["client"]

    def make_assistant(db: Any, client_of: Callable[[str], Any]) -> Opened:
        opened["given"] = (db, client_of("any tenant"))
        return Opened(ended, "assistant")

    class FakeDatabase:
        @staticmethod
        async def open(given: Settings) -> Opened:
            assert given is settings
            opened["database"] = Opened(ended, "database")
            return opened["database"]

    load = (make_client, make_assistant, FakeDatabase)
    monkeypatch.setattr(chat_command, "_load", lambda: load)
    async with AsyncExitStack() as stack:
        opener = chat_command._Opener(settings, stack)
        opener.before({"route": "local"})  # nothing can be said of a client that is not there
        assert opener._keyless is None
        assistant: Any = await opener.open()
        assert assistant._name == "assistant"
        assert opener._client is opened["client"]
        assert opened["given"] == (opened["database"], opened["client"])
        assert ended == []
    assert ended == ["assistant", "database", "client"]


async def test_what_searches_need_said_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before them where queries go, after them who failed."""
    calls: list[Any] = []

    class FakeNotice:
        def __init__(self, client: Any, route: Any) -> None:
            calls.append((client, route))

        def print_before(self) -> None:
            calls.append("before")

        def print_after(self, attempts: Any) -> None:
            calls.append(("after", attempts))

    monkeypatch.setattr(_notices, "KeylessNotice", FakeNotice)
    late = Attempt("exa", Outcome.UNAVAILABLE, Timeout("exa", "it took too long"), sent=True)
    answer: Any = SimpleNamespace(outcome=Outcome.UNAVAILABLE, attempts=(late,), notes=("a note",))
    async with AsyncExitStack() as stack:
        opener = chat_command._Opener(Settings.load(environ={}), stack)
        opener.after(answer)
        assert calls == []
        client: Any = "client"
        opener._client = client
        opener.before({"route": "exa", "model": "m"})
        opener.before({})
        opener.after(answer)

    assert calls == [("client", "exa"), "before", ("client", None), "before", ("after", (late,))]
    assert capsys.readouterr().err.splitlines() == [
        "exa: it took too long", "note: a note", "exa: it took too long", "note: a note",
    ]  # fmt: skip

"""`kensaku mcp`: which client is set up and where, and which token is asked for."""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from kensaku import Settings
from kensaku.cli.mcp import _token
from kensaku.compat.tavily_tools import client as tavily
from kensaku.errors import UsageError
from kensaku.mcp import http, server

from .conftest import Cli


def test_a_client_is_set_up_once_and_taken_out(cli: Cli, tmp_path: Path) -> None:
    """It says in which file; a second time changes nothing."""
    file = tmp_path / ".cursor" / "mcp.json"
    first, second = cli("mcp", "install", "cursor"), cli("mcp", "install", "cursor")

    assert (first.status, first.out) == (0, "")
    assert first.err == f"kensaku mcp: Cursor is set up in {file}; restart it\n"
    assert second.err == f"kensaku mcp: Cursor is set up already, in {file}\n"
    out, again = cli("mcp", "uninstall", "cursor"), cli("mcp", "uninstall", "cursor")
    assert (out.status, out.err) == (0, f"kensaku mcp: kensaku is out of {file}\n")
    assert again.err == f"kensaku mcp: kensaku was not in {file}\n"


@pytest.mark.parametrize(
    ("options", "more"),
    [
        ([], []),
        (["--tools", "web_search,web_extract,web_context", "--language", "en"], []),
        (["--tools", "web_search"], ["--tools", "web_search"]),
        (["--language", "ja"], ["--language", "ja"]),
    ],
)
def test_what_would_be_written_is_printed(
    options: list[str], more: list[str], cli: Cli, tmp_path: Path
) -> None:
    """Only what is not usual; nothing is written."""
    done = cli("mcp", "install", "cursor", "--print", *options)
    file = tmp_path / ".cursor" / "mcp.json"

    assert (done.status, done.err) == (0, f"kensaku mcp: for {file}\n")
    assert done.json == {
        "mcpServers": {
            "kensaku": {"command": sys.executable, "args": ["-m", "kensaku.cli", "mcp", *more]}
        }
    }
    assert not file.exists()
    cli("mcp", "install", "cursor", *options)
    assert json.loads(file.read_text()) == done.json


def test_the_clients_are_listed_with_their_files(cli: Cli, tmp_path: Path) -> None:
    """By the name that `install` takes."""
    heading, *lines = cli("mcp", "clients").out.splitlines()

    assert heading.split() == ["client", "name", "file"]
    (cursor,) = [line.split() for line in lines if line.startswith("cursor ")]
    assert cursor == ["cursor", "Cursor", str(tmp_path / ".cursor" / "mcp.json")]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["fly"], "kensaku: unknown: fly; kensaku mcp [--http] [options]"),
        (["install"], "kensaku: unknown: install; "),
        (["clients", "x"], "kensaku: unknown: clients x; "),
        (["x" * 100], f"kensaku: unknown: {'x' * 60}; "),
        (["install", "cursr"], "did you mean 'cursor'?"),
        (["uninstall", "cursr"], "did you mean 'cursor'?"),
    ],
)
def test_other_words_are_refused(words: list[str], said: str, cli: Cli) -> None:
    """With what can be said."""
    done = cli("mcp", *words)

    assert (done.status, done.out) == (2, "")
    assert said in done.err


@pytest.mark.parametrize(("mode", "remarks"), [(0o600, 0), (0o640, 1), (0o604, 1)])
def test_a_token_is_read_from_its_file(
    mode: int, remarks: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without the line break; whether others can read it is remarked on."""
    file = tmp_path / "token"
    file.write_text(" a-token\n")
    file.chmod(mode)
    settings = Settings.load(environ={"KENSAKU_MCP_TOKEN": "of-the-settings-0123"})

    assert _token(file, settings) == "a-token"
    said = f"kensaku mcp: others can read {file}; chmod 600 it\n"
    assert capsys.readouterr().err == said * remarks


def test_without_a_file_the_token_is_that_of_the_settings() -> None:
    """Or there is none."""
    given = Settings.load(environ={"KENSAKU_MCP_TOKEN": "of-the-settings-0123"})

    assert _token(None, given) == "of-the-settings-0123"
    assert _token(None, Settings.load(environ={})) is None


@pytest.mark.parametrize(
    ("content", "why"), [(None, "No such file or directory"), (b"\xff\xfe\xff", "it is not text")]
)
def test_a_token_that_cannot_be_read(content: bytes | None, why: str, tmp_path: Path) -> None:
    """It says why."""
    file = tmp_path / "token"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(UsageError, match=f"cannot read {file}: {why}"):
        _token(file, Settings.load(environ={}))


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What a server is made of and started with; it ends at once."""
    calls: list[Any] = []

    def make(names: list[str], *, client: Any, language: str) -> str:
        calls.append(("make", names, client.settings.home, language))
        return "server"

    async def stdio(given: str) -> None:
        calls.append(("stdio", given, signal.getsignal(signal.SIGINT)))

    async def over_http(*args: Any, ready: Any, **options: Any) -> None:
        calls.append(("http", args, options))
        ready("http://127.0.0.1:1/mcp")

    async def close() -> None:
        calls.append("close")

    monkeypatch.setattr(server, "make_server", make)
    monkeypatch.setattr(server, "serve_stdio", stdio)
    monkeypatch.setattr(http, "serve_http", over_http)
    monkeypatch.setattr(tavily, "close_clients", close)
    return calls


def test_it_serves_the_program_that_started_it(served: list[Any], cli: Cli, machine: Path) -> None:
    """Ctrl-C ends the process: a thread blocks on stdin. What the tools opened is closed."""
    before = signal.getsignal(signal.SIGINT)
    try:
        done = cli("mcp")
    finally:
        signal.signal(signal.SIGINT, before)

    assert (done.status, done.out, done.err) == (0, "", "")
    usual = ["web_search", "web_extract", "web_context"]
    assert served == [
        ("make", usual, machine, "en"), ("stdio", "server", signal.SIG_DFL), "close",
    ]  # fmt: skip


def test_it_serves_over_http_as_the_options_say(
    served: list[Any], cli: Cli, machine: Path, tmp_path: Path
) -> None:
    """With the tools, the language and the token that are named; it says where."""
    (tmp_path / "token").write_text("a-token\n")
    (tmp_path / "token").chmod(0o600)
    before = signal.getsignal(signal.SIGINT)
    line = (
        "mcp --http --host ::1 --port 3000 --allow-host a --allow-host b --language ja "
        f"--token-file {tmp_path / 'token'} --tools"
    )
    done = cli(*line.split(), " web_search, ,web_extract,")

    assert (done.status, done.out) == (0, "")
    assert done.err == "kensaku mcp: http://127.0.0.1:1/mcp\n"
    assert served == [
        ("make", ["web_search", "web_extract"], machine, "ja"),
        (
            "http",
            ("server", "::1", 3000),
            {"token": "a-token", "allow_hosts": ["a", "b"]},
        ),
        "close",
    ]
    assert signal.getsignal(signal.SIGINT) is before


def test_without_its_package_the_extra_is_named(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is opened; installing it into a client needs no package."""
    monkeypatch.setitem(sys.modules, "mcp", None)
    done = cli("mcp")

    assert done.status == 1
    assert "kensaku-search[mcp]" in done.err
    assert cli("mcp", "clients").status == 0

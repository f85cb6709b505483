"""`kensaku mcp`: which client is set up and where, and which token is asked for."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from .conftest import Cli


def test_a_client_is_set_up_once_and_taken_out(cli: Cli, tmp_path: Path) -> None:
    """It says in which file; a second time changes nothing."""
    file = tmp_path / ".cursor" / "mcp.json"
    first, second = cli("mcp", "install", "cursor"), cli("mcp", "install", "cursor")

    assert (first.status, first.out) == (0, "")
    assert first.err == f"kensaku mcp: Cursor is set up in {file}; restart it\n"
    assert second.err == f"kensaku mcp: Cursor is set up already, in {file}\n"
    out, again = cli("mcp", "uninstall", "cursor"), cli("mcp", "uninstall", "cursor")
    assert (out.status, out.err) == (0, f"kensaku mcp: kensaku was removed from {file}\n")
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


@pytest.mark.parametrize(("mode", "remarks"), [(0o600, False), (0o640, True), (0o604, True)])
def test_a_token_that_others_can_read_is_remarked_on(
    mode: int, remarks: bool, cli: Cli, tmp_path: Path
) -> None:
    """And one that is too short to be one is refused, without being shown."""
    file = tmp_path / "token"
    file.write_text(" a-token\n")
    file.chmod(mode)
    done = cli("mcp", "--http", "--port", "0", "--token-file", file)

    assert done.status == 2
    assert (f"others can read {file}; chmod 600 it" in done.err) is remarks
    assert "a-token" not in done.err


@pytest.mark.parametrize("content", [None, b"\xff\xfe"])
def test_a_token_that_cannot_be_read_is_wrong_use(
    content: bytes | None, cli: Cli, tmp_path: Path
) -> None:
    """Before anything is served."""
    file = tmp_path / "token"
    if content is not None:
        file.write_bytes(content)
    done = cli("mcp", "--http", "--port", "0", "--token-file", file)

    assert done.status == 2
    assert f"cannot read {file}" in done.err


def test_without_its_package_the_extra_is_named(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is opened; installing it into a client needs no package."""
    monkeypatch.setitem(sys.modules, "mcp", None)
    done = cli("mcp")

    assert done.status == 1
    assert "kensaku-search[mcp]" in done.err
    assert cli("mcp", "clients").status == 0

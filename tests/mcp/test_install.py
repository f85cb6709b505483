"""`kensaku mcp install`: into the files of the known clients, and out again."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from kensaku.errors import ConfigError
from kensaku.mcp.install import CLIENTS, client_named, entry, install, uninstall

COMMAND = ["/usr/bin/python3", "-m", "kensaku.cli", "mcp"]


@pytest.mark.parametrize("name", CLIENTS)
def test_a_client_gets_the_server_and_keeps_the_rest(name: str, tmp_path: Path) -> None:
    """Twice is once, another command replaces it; taking it out leaves what was there."""
    client = client_named(name)
    path = client.path(tmp_path)
    path.parent.mkdir(parents=True, exist_ok=True)
    toml = path.suffix == ".toml"
    path.write_text('model = "x"  # mine\n' if toml else '{"theme": "暗い"}')
    before = path.read_text()

    assert install(client, ["old"], path)
    assert install(client, COMMAND, path)
    assert not install(client, COMMAND, path)
    read = tomllib.loads if toml else json.loads
    document = read(path.read_text())
    form = document[client.section]["kensaku"]
    assert COMMAND[0] in (form["command"], form["command"][0])
    assert ("# mine" if toml else "暗い") in path.read_text()
    assert read(entry(client, COMMAND))[client.section]["kensaku"] == form

    assert uninstall(client, path)
    assert not uninstall(client, path)
    left = read(path.read_text())
    left.pop(client.section, None)
    assert left == read(before)


USUAL = {"command": "/usr/bin/python3", "args": ["-m", "kensaku.cli", "mcp"]}
LOCAL = {"type": "local", "command": COMMAND, "enabled": True}
CODE = "Code/User/mcp.json"
FILES = [
    ("cursor", "darwin", ".cursor/mcp.json", "mcpServers", USUAL),
    ("vscode", "linux", f".config/{CODE}", "servers", {"type": "stdio", **USUAL}),
    ("vscode", "darwin", f"Library/Application Support/{CODE}", "servers",
     {"type": "stdio", **USUAL}),
    ("vscode", "win32", f"AppData/Roaming/{CODE}", "servers", {"type": "stdio", **USUAL}),
    ("opencode", "linux", ".config/opencode/opencode.json", "mcp", LOCAL),
    ("codex", "linux", ".codex/config.toml", "mcp_servers", USUAL),
]  # fmt: skip


@pytest.mark.parametrize(("name", "platform", "file", "section", "form"), FILES)
def test_each_client_is_written_as_it_reads_itself(
    name: str, platform: str, file: str, section: str, form: dict, tmp_path: Path
) -> None:
    """Where its documentation says, on each system; a file that is not there yet is made."""
    client = client_named(name)
    path = client.path(tmp_path, platform)

    assert install(client, COMMAND, path)

    assert path == tmp_path / file
    read = tomllib.loads if file.endswith(".toml") else json.loads
    assert read(path.read_text()) == {section: {"kensaku": form}}
    assert path.stat().st_mode & 0o777 == 0o600


def test_what_is_written_reads_well(tmp_path: Path) -> None:
    """People edit these files, in their own language."""
    path = tmp_path / "mcp.json"

    install(client_named("cursor"), ["検索"], path)

    written = """{
  "mcpServers": {
    "kensaku": {
      "command": "検索",
      "args": []
    }
  }
}"""
    assert path.read_text() == written + "\n"
    assert entry(client_named("cursor"), ["検索"]) == written
    assert entry(client_named("codex"), ["検索"]) == (
        '[mcp_servers.kensaku]\ncommand = "検索"\nargs = []\n'
    )


def test_what_was_never_there_is_not_made_by_taking_it_out(tmp_path: Path) -> None:
    """Neither a file nor a section."""
    missing, empty, other = (tmp_path / f"{n}.json" for n in ("missing", "empty", "other"))
    empty.write_text(" \n")
    other.write_text("{}")

    assert not any(uninstall(CLIENTS["cursor"], path) for path in (missing, empty, other))

    assert (missing.exists(), empty.read_text(), other.read_text()) == (False, " \n", "{}")


def test_a_file_that_cannot_be_read_or_written_is_left_alone(tmp_path: Path) -> None:
    """One sentence says why; what was begun is not left behind."""
    cursor, codex = CLIENTS["cursor"], CLIENTS["codex"]
    latin, folder, listed = tmp_path / "latin.json", tmp_path / "folder.json", tmp_path / "l.json"
    latin.write_bytes(b'{"x": "\xe9"}')
    folder.mkdir()
    listed.write_text("[]")
    commented, shaped = tmp_path / "commented.json", tmp_path / "shaped.json"
    commented.write_text("{ // mine\n}")
    shaped.write_text('{"mcpServers": ["x"]}')
    toml = tmp_path / "wrong.toml"
    toml.write_text("= 1")
    below = tmp_path / "l.json" / "mcp.json"

    for client, path, says in [
        (cursor, latin, "is not UTF-8"),
        (cursor, folder, "cannot be read: Is a directory"),
        (cursor, listed, "not plain JSON"),
        (cursor, commented, "not plain JSON"),
        (cursor, shaped, "mcpServers"),
        (codex, toml, "not valid TOML"),
        (cursor, below, "Not a directory"),
    ]:
        with pytest.raises(ConfigError, match=says):
            install(client, COMMAND, path)

    names = {"latin.json", "folder.json", "l.json", "wrong.toml", "commented.json", "shaped.json"}
    assert {p.name for p in tmp_path.iterdir()} == names
    assert commented.read_text() == "{ // mine\n}"


def test_a_large_file_is_left_alone(tmp_path: Path) -> None:
    """Over four mebibytes it is no settings."""
    fits, larger = tmp_path / "fits.json", tmp_path / "larger.json"
    fits.write_text("{}" + " " * ((4 << 20) - 2))
    larger.write_text("{}" + " " * ((4 << 20) - 1))

    assert install(CLIENTS["cursor"], COMMAND, fits)
    with pytest.raises(ConfigError, match="4 MiB"):
        install(CLIENTS["cursor"], COMMAND, larger)


def test_a_byte_order_mark_is_read_over(tmp_path: Path) -> None:
    """Windows' editors write one."""
    path = tmp_path / "mcp.json"
    path.write_bytes(b"\xef\xbb\xbf{}")

    assert install(CLIENTS["cursor"], COMMAND, path)


def test_a_link_stays_a_link_and_a_mode_its_mode(tmp_path: Path) -> None:
    """Dotfiles are often links."""
    real, link = tmp_path / "real.json", tmp_path / "mcp.json"
    real.write_text("{}")
    real.chmod(0o640)
    link.symlink_to(real)
    install(CLIENTS["cursor"], COMMAND, link)
    assert link.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o640
    assert "kensaku" in real.read_text()

"""`kensaku mcp install`: into the files of the known clients, and out again."""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path

import pytest

from kensaku.errors import ConfigError, UnknownName
from kensaku.mcp.install import CLIENTS, client_named, entry, install, server_command, uninstall

COMMAND = ["/usr/bin/python3", "-m", "kensaku.cli", "mcp"]


@pytest.mark.parametrize("name", CLIENTS)
def test_a_client_gets_the_server_and_keeps_the_rest(name: str, tmp_path: Path) -> None:
    """Twice is once; taking it out leaves what was there."""
    client = client_named(name)
    path = client.path(tmp_path)
    path.parent.mkdir(parents=True, exist_ok=True)
    toml = path.suffix == ".toml"
    path.write_text('model = "x"  # mine\n' if toml else '{"theme": "暗い"}')
    before = path.read_text()

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


def test_a_file_with_comments_is_left_alone(tmp_path: Path) -> None:
    """And what to do is said."""
    path = tmp_path / "mcp.json"
    path.write_text("{ // mine\n}")
    with pytest.raises(ConfigError, match="plain JSON"):
        install(CLIENTS["cursor"], COMMAND, path)
    assert path.read_text() == "{ // mine\n}"


def test_other_shapes_are_refused(tmp_path: Path) -> None:
    """Nothing of another program is overwritten."""
    path = tmp_path / "mcp.json"
    path.write_text('{"mcpServers": ["x"]}')
    with pytest.raises(ConfigError, match="mcpServers"):
        install(CLIENTS["cursor"], COMMAND, path)
    with pytest.raises(UnknownName, match="cursor"):
        client_named("cursr")


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


def test_the_command_is_this_python() -> None:
    """Wherever the client is started."""
    assert server_command() == [sys.executable, "-m", "kensaku.cli", "mcp"]
    assert server_command("web_search", "ja")[-4:] == ["--tools", "web_search", "--language", "ja"]

"""Write Kensaku into the settings of MCP clients, or take it out. One table knows the clients.

    install("cursor", command) → ~/.cursor/mcp.json, with everything else as it was

A file that is no plain JSON (with comments, say) is left alone: `entry` is what to paste. No key is
written: the server reads its own settings (`kensaku init`).
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kensaku.errors import ConfigError, UnknownName, system_reason
from kensaku.foreign_json import decode_json
from kensaku.messages import msg

NAME = "kensaku"
MAX_BYTES = 4 << 20


@dataclass(frozen=True, slots=True)
class McpClient:
    """Where a client keeps its servers, and how it writes one down."""

    label: str
    files: Mapping[str, str]  # sys.platform → below the home directory; "" for all others
    section: str
    form: Callable[[Sequence[str]], dict[str, Any]]

    def path(self, home: Path, platform: str = sys.platform) -> Path:
        """The file of this machine."""
        return home / self.files.get(platform, self.files[""])


def _usual(command: Sequence[str]) -> dict[str, Any]:
    return {"command": command[0], "args": list(command[1:])}


def _typed(command: Sequence[str]) -> dict[str, Any]:
    return {"type": "stdio", **_usual(command)}


def _opencode(command: Sequence[str]) -> dict[str, Any]:
    return {"type": "local", "command": list(command), "enabled": True}


_MAC = "Library/Application Support"
CLIENTS: Mapping[str, McpClient] = {
    "claude-desktop": McpClient(
        "Claude Desktop",
        {
            "": ".config/Claude/claude_desktop_config.json",
            "darwin": f"{_MAC}/Claude/claude_desktop_config.json",
            "win32": "AppData/Roaming/Claude/claude_desktop_config.json",
        },
        "mcpServers",
        _usual,
    ),
    "claude-code": McpClient("Claude Code", {"": ".claude.json"}, "mcpServers", _typed),
    "cursor": McpClient("Cursor", {"": ".cursor/mcp.json"}, "mcpServers", _usual),
    "windsurf": McpClient(
        "Windsurf", {"": ".codeium/windsurf/mcp_config.json"}, "mcpServers", _usual
    ),
    "vscode": McpClient(
        "VS Code",
        {
            "": ".config/Code/User/mcp.json",
            "darwin": f"{_MAC}/Code/User/mcp.json",
            "win32": "AppData/Roaming/Code/User/mcp.json",
        },
        "servers",
        _typed,
    ),
    "gemini-cli": McpClient("Gemini CLI", {"": ".gemini/settings.json"}, "mcpServers", _usual),
    "lm-studio": McpClient("LM Studio", {"": ".lmstudio/mcp.json"}, "mcpServers", _usual),
    "opencode": McpClient("opencode", {"": ".config/opencode/opencode.json"}, "mcp", _opencode),
    "codex": McpClient("Codex", {"": ".codex/config.toml"}, "mcp_servers", _usual),
}


def client_named(name: str) -> McpClient:
    """Return a client. Raises `UnknownName`."""
    if name not in CLIENTS:
        raise UnknownName(msg("MCP client"), name, CLIENTS)
    return CLIENTS[name]


def server_command(tools: str = "", language: str = "") -> list[str]:
    """Return the command that a client is to start: this very Python, wherever it is."""
    command = [sys.executable, "-m", "kensaku.cli", "mcp"]
    command += ["--tools", tools] if tools else []
    return command + (["--language", language] if language else [])


def entry(client: McpClient, command: Sequence[str]) -> str:
    """Return what to write into the client's file, for whoever pastes it."""
    form = client.form(command)
    if client.files[""].endswith(".toml"):
        import tomlkit

        return tomlkit.dumps({client.section: {NAME: form}})
    return json.dumps({client.section: {NAME: form}}, indent=2, ensure_ascii=False)


def install(client: McpClient, command: Sequence[str], path: Path) -> bool:
    """Add the server. Return False if it is already there, unchanged."""
    return _change(client, path, client.form(command))


def uninstall(client: McpClient, path: Path) -> bool:
    """Take the server out. False when it was not there."""
    return path.exists() and _change(client, path, None)


def _change(client: McpClient, path: Path, form: dict[str, Any] | None) -> bool:
    read, write = _TOML if path.suffix == ".toml" else _JSON
    document = read(path)
    section = document.get(client.section)
    if section is None:
        document[client.section] = {}
        section = document[client.section]  # of TOML it is another object
    if not isinstance(section, Mapping):
        raise ConfigError(
            msg(
                "{section} in {path} is not what {client} writes there",
                section=client.section,
                path=path,
                client=client.label,
            )
        )
    if section.get(NAME) == form:
        return False
    if form is None:
        del section[NAME]  # type: ignore[attr-defined]
    else:
        section[NAME] = form  # type: ignore[index]
    _replace(path, write(document))
    return True


def _read_json(path: Path) -> Any:
    text = _text(path)
    try:
        document = decode_json(text) if text.strip() else {}
    except ValueError:
        document = None
    if not isinstance(document, dict):
        raise ConfigError(
            msg("{path} is not plain JSON, and was left alone", path=path),
            remedy=msg("add what this prints yourself: kensaku mcp install CLIENT --print"),
        )
    return document


def _write_json(document: Any) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _read_toml(path: Path) -> Any:
    import tomlkit

    text = _text(path)
    try:
        return tomlkit.parse(text)
    except ValueError:
        raise ConfigError(msg("{path} is not valid TOML, and was left alone", path=path)) from None


def _write_toml(document: Any) -> str:
    import tomlkit

    return tomlkit.dumps(document)


_JSON = (_read_json, _write_json)
_TOML = (_read_toml, _write_toml)


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise ConfigError(msg("{path} is larger than 4 MiB, and was left alone", path=path))
        return path.read_text("utf-8-sig")
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError:
        raise ConfigError(msg("{path} is not UTF-8, and was left alone", path=path)) from None
    except OSError as error:
        raise ConfigError(
            msg("{path} cannot be read: {reason}", path=path, reason=system_reason(error))
        ) from None


def _replace(path: Path, text: str) -> None:
    """Write the file whole, with its mode; a symbolic link stays one."""
    target = path.resolve()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o600
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=".kensaku-")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(name, mode)
        os.replace(name, target)
    except OSError as error:
        raise ConfigError(
            msg("{path} cannot be written: {reason}", path=path, reason=system_reason(error))
        ) from None

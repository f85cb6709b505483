"""The commands by which other programs start our MCP server, as their files say it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests import ROOT


def registry_command(server: dict[str, Any]) -> list[str]:
    """What a client of the MCP registry makes of `server.json`."""
    (package,) = server["packages"]
    return [
        package["runtimeHint"],
        *(f"{a['name']}={a['value']}" for a in package["runtimeArguments"]),
        f"{package['identifier']}@{package['version']}",
        *(a["value"] for a in package["packageArguments"]),
    ]


def plugin_command() -> list[str]:
    """What Claude Code starts for the plugin."""
    text = (ROOT / "packages/claude-plugin/.mcp.json").read_text(encoding="utf-8")
    server = json.loads(text)["mcpServers"]["kensaku"]
    return [server["command"], *server["args"]]


def bundle_command(folder: Path) -> list[str]:
    """What a program starts that has unpacked the bundle into `folder`."""
    config = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["server"]
    words = [config["mcp_config"]["command"], *config["mcp_config"]["args"]]
    return [word.replace("${__dirname}", str(folder)) for word in words]

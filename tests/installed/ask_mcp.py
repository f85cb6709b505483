"""Start an MCP server as a client does, list its tools, and search once.

python ask_mcp.py COMMAND…           that command
python ask_mcp.py --of registry      the one that server.json describes; plugin, cursor, vscode
python ask_mcp.py --bundle FILE      the one of an .mcpb file, unpacked beside it
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import sys
import zipfile
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

from mcp import Client, StdioServerParameters

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from docs.deep_links import SERVER, cursor, vscode  # noqa: E402

from tests.installed.cases import QUERY  # noqa: E402
from tests.packages.commands import bundle_command, plugin_command, registry_command  # noqa: E402


def command_of(name: str) -> list[str]:
    """The command that a program finds in our files or links."""
    if name == "registry":
        return registry_command(json.loads((ROOT / "server.json").read_text(encoding="utf-8")))
    if name == "plugin":
        return plugin_command()
    if name == "cursor":
        config = parse_qs(urlsplit(cursor(SERVER)).query)["config"][0]
        server = json.loads(base64.b64decode(config))
    else:
        server = json.loads(unquote(vscode(SERVER).partition("?")[2]))
    return [server["command"], *server["args"]]


def unpacked(file: Path) -> list[str]:
    """The command of a bundle; fields that the user left empty arrive as their names."""
    folder = file.parent / "unpacked"
    with zipfile.ZipFile(file) as bundle:
        bundle.extractall(folder)
    os.environ["BRAVE_API_KEY"] = "${user_config.brave_api_key}"
    return bundle_command(folder)


async def ask(command: list[str]) -> None:
    server = StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))
    async with Client(server) as client:
        print(", ".join(tool.name for tool in (await client.list_tools()).tools))
        result = await client.call_tool("web_search", {"query": QUERY})
        print(result.content[0].text)


def main(words: list[str]) -> None:
    match words:
        case ["--of", name]:
            command = command_of(name)
        case ["--bundle", file]:
            command = unpacked(Path(file))
        case _:
            command = words
    asyncio.run(ask(command))


if __name__ == "__main__":
    main(sys.argv[1:])

"""Links that install the MCP server in an editor by one click.

cursor(SERVER)             cursor://anysphere.cursor-deeplink/mcp/install?name=…&config=BASE64
vscode(SERVER)             vscode:mcp/install?URL-ENCODED-JSON
cursor(SERVER, web=True)   the same behind an https address, for pages that allow no other
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

NAME = "kensaku"
# The two extras that an editor needs; `standard` would make the first start download twice as much.
SERVER: Mapping[str, Any] = {
    "command": "uvx",
    "args": ["--from", "kensaku-search[ddgs,mcp]", "kensaku", "mcp"],
}


def cursor(server: Mapping[str, Any], *, web: bool = False) -> str:
    """Return the link for Cursor: the server as JSON in Base64."""
    config = base64.b64encode(_json(server).encode()).decode()
    query = f"name={NAME}&config={quote(config, safe='')}"
    if web:
        return f"https://cursor.com/en/install-mcp?{query}"
    return f"cursor://anysphere.cursor-deeplink/mcp/install?{query}"


def vscode(server: Mapping[str, Any], *, web: bool = False) -> str:
    """Return the link for VS Code: the server, and its name, as URL-encoded JSON."""
    if web:
        config = quote(_json(server), safe="")
        return f"https://vscode.dev/redirect/mcp/install?name={NAME}&config={config}"
    return "vscode:mcp/install?" + quote(_json({"name": NAME, **server}), safe="")


def section() -> str:
    """Return the badges and the links of docs/mcp.md."""
    return f"""\
[![Install in Cursor](images/install-cursor.svg)]({cursor(SERVER, web=True)})
[![Install in VS Code](images/install-vscode.svg)]({vscode(SERVER, web=True)})

```text
{cursor(SERVER)}
{vscode(SERVER)}
```"""


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, separators=(",", ":"))

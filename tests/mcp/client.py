"""The official client, of whichever version of `mcp` is installed: `async with Client(server) as c`.

mcp 2 has it. For mcp 1 the same is put together here, and its types get mcp 2's names.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from operator import attrgetter
from typing import Any

from mcp import StdioServerParameters, types

from kensaku.mcp._sdk import IS_MCP_1

__all__ = ["IS_MCP_1", "Client", "MCPError", "StdioServerParameters"]

if not IS_MCP_1:
    from mcp import Client, MCPError
else:
    from mcp import ClientSession
    from mcp import McpError as MCPError
    from mcp.client.stdio import stdio_client
    from mcp.client.streamable_http import streamable_http_client
    from mcp.shared.memory import create_connected_server_and_client_session

    for _kind in filter(inspect.isclass, list(vars(types).values())):
        for _name in getattr(_kind, "model_fields", ()):
            _snake = re.sub(r"([A-Z])", lambda m: "_" + m[1].lower(), _name)
            if _snake != _name:
                setattr(_kind, _snake, property(attrgetter(_name)))

    @asynccontextmanager
    async def Client(server: Any, mode: str = "legacy") -> AsyncIterator[ClientSession]:
        """A session with a server: itself, its address, or the command that starts it."""
        if not isinstance(server, str | StdioServerParameters):
            async with create_connected_server_and_client_session(server) as session:
                yield session
            return
        connect = streamable_http_client if isinstance(server, str) else stdio_client
        async with connect(server) as (read, write, *_), ClientSession(read, write) as session:
            await session.initialize()
            yield session

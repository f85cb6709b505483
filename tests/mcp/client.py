"""The official client, of whichever version of `mcp` is installed: `async with Client(server) as c`.

mcp 2 has it. For mcp 1 the same is put together here; its types and sessions get mcp 2's names.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from operator import attrgetter
from typing import Any

from mcp import StdioServerParameters, types
from mcp.client.stdio import stdio_client

from kensaku.mcp._sdk import IS_MCP_1

__all__ = ["IS_MCP_1", "Client", "MCPError", "StdioServerParameters"]

if not IS_MCP_1:
    from mcp import Client as SdkClient
    from mcp import MCPError

    def Client(server: Any, **options: Any) -> SdkClient:
        """The official one, with commands whose errors go to the real stderr."""
        return SdkClient(_started(server), **options)

else:
    from mcp import ClientSession
    from mcp import McpError as MCPError
    from mcp.client.streamable_http import streamable_http_client
    from mcp.shared.memory import create_connected_server_and_client_session

    for _kind in filter(inspect.isclass, list(vars(types).values())):
        for _name in getattr(_kind, "model_fields", ()):
            _snake = re.sub(r"([A-Z])", lambda m: "_" + m[1].lower(), _name)
            if _snake != _name:
                setattr(_kind, _snake, property(attrgetter(_name)))

    async def _initialize(session: Any, _sdk: Any = ClientSession.initialize) -> Any:
        result = await _sdk(session)
        session.server_info, session.instructions = result.serverInfo, result.instructions
        return result

    ClientSession.initialize = _initialize

    @asynccontextmanager
    async def Client(server: Any, mode: str = "legacy") -> AsyncIterator[ClientSession]:
        """A session with a server: itself, its address, or the command that starts it."""
        if not isinstance(server, str | StdioServerParameters):
            async with create_connected_server_and_client_session(server) as session:
                yield session
            return
        streams = streamable_http_client(server) if isinstance(server, str) else _started(server)
        async with streams as (read, write, *_), ClientSession(read, write) as session:
            await session.initialize()
            yield session


def _started(server: Any) -> Any:
    """A command as its streams; anything else as it is.

    Left to itself the SDK takes what stderr was when somebody imported it: perhaps a test's.
    """
    if isinstance(server, StdioServerParameters):
        return stdio_client(server, errlog=sys.__stderr__)
    return server

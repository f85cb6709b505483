"""`docs/mcp.md` is true: the server of the page runs, and its tools can be called."""

from __future__ import annotations

import sys

import pytest

from tests.blocks import python_blocks

from .servers import OTTERS, connect, environment, started, text_of


@pytest.mark.usefixtures("documentation")
async def test_the_server_of_the_page_serves_its_tools(upstream, machine):
    """Whoever copies it has a server with a tool of their own."""
    (block,) = python_blocks("mcp.md")
    upstream.answers("tavily", OTTERS)
    server = started(command=sys.executable, args=["-c", block], env=environment(upstream, machine))

    async with connect(server) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        time = await client.call_tool("clock", {})
        found = await client.call_tool("web_search", {"query": "otter"})

    assert names == ["web_search", "clock"]
    assert text_of(time).endswith("+00:00")
    assert OTTERS[0].content in text_of(found)

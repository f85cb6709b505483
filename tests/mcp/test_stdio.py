"""The server over stdio: protocol and nothing else."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys

import pytest

from .servers import (
    COMMAND,
    INITIALIZE,
    OTTERS,
    connect,
    environment,
    eras,
    started,
    text_of,
)


@eras
@pytest.mark.usefixtures("processes")
async def test_kensaku_mcp_serves_the_official_client_over_stdio(upstream, machine, mode):
    """As a desktop program starts it."""
    upstream.answers("tavily", OTTERS)
    server = started(
        command=COMMAND[0],
        args=[*COMMAND[1:], "--tools", "web_search", "--structured"],
        env=environment(upstream, machine),
    )
    async with connect(server, mode=mode) as c:
        names = [t.name for t in (await c.list_tools()).tools]
        found = await c.call_tool("web_search", {"query": "otter"})
        wrong = await c.call_tool("web_search", {"query": "otter", "max_results": 0})

    assert names == ["web_search"]
    assert found.structured_content["hits"][0]["title"] == "Otters"
    assert "1. Otters" in text_of(found)
    assert wrong.is_error


NOISY = """
import logging, sys, runpy
logging.basicConfig(level=logging.DEBUG)
print("a library that prints when it is imported", file=sys.stderr)
from kensaku.tools.web_search import WebSearchTool
execute = WebSearchTool.execute
async def noisy(self, *args, **options):
    print("a library that prints while it works")
    return await execute(self, *args, **options)
WebSearchTool.execute = noisy
from kensaku.cli import main
raise SystemExit(main(["mcp"]))
"""


@pytest.mark.usefixtures("processes")
async def test_only_protocol_is_written_to_stdout(upstream, machine):
    """One stray line ends a session: clients parse every line."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", NOISY,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=environment(upstream, machine),
    )  # fmt: skip
    call = {"name": "web_search", "arguments": {"query": "otter"}}
    messages = [
        INITIALIZE,
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call},
    ]
    process.stdin.write("".join(json.dumps(m) + "\n" for m in messages).encode())
    lines = [json.loads(await process.stdout.readline()) for _ in range(2)]
    process.stdin.close()
    rest, errors = await process.stdout.read(), await process.stderr.read()

    assert await process.wait() == 0
    assert [line["id"] for line in lines] == [1, 2]
    assert lines[1]["result"]["content"][0]["text"].startswith("outcome: found")
    assert rest == b""
    assert b"prints while it works" in errors
    assert b"tavily-test-key" not in errors

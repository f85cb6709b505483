"""Servers, environments and names that the tests of MCP share."""

from __future__ import annotations

import asyncio
import io
import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from kensaku.models import Hit
from kensaku.testing import FakeUpstream

OTTERS = [Hit("https://otter.example/1", "Otters", "Sea otters hold hands.")]
TOKEN = "0123456789abcdef-for-tests"
# mcp 1 speaks the older protocol only.
IS_MCP_1 = version("mcp").startswith("1.")
eras = pytest.mark.parametrize("mode", ["legacy"] if IS_MCP_1 else ["legacy", "auto"])


# The SDK takes seconds to import: it is when a test runs, and not when tests are collected.


def connect(*server: Any, **options: Any) -> Any:
    """The official client of a server: one of ours, an address, or how to start one."""
    from .client import Client

    return Client(*server, **options)


def started(**how: Any) -> Any:
    """A server that the official client starts as a process."""
    from .client import StdioServerParameters

    return StdioServerParameters(**how)


def make_server(*tools: Any, **options: Any) -> Any:
    """Our server."""
    from kensaku.mcp.server import make_server

    return make_server(*tools, **options)


def text_of(result: Any) -> str:
    return result.content[0].text


def environment(up: FakeUpstream, machine: Path, **more: str) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(machine.parent),
        "KENSAKU_HOME": str(machine),
        "WEB_SEARCH_PROVIDER": "tavily",
        **up.environment("tavily", rate="9999/s"),
        **more,
    }


COMMAND = [sys.executable, "-m", "kensaku.cli", "mcp"]


@asynccontextmanager
async def served(server, host: str = "127.0.0.1", **options: Any) -> AsyncIterator[str]:
    """The address of the server, on a port of its own."""
    from kensaku.mcp.http import serve_http

    ready = asyncio.get_running_loop().create_future()
    running = asyncio.create_task(serve_http(server, host, 0, ready=ready.set_result, **options))
    await asyncio.wait([ready, running], return_when=asyncio.FIRST_COMPLETED)
    if not ready.done():
        await running
    try:
        yield ready.result()
    finally:
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running


ACCEPT = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
INITIALIZE = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {},
               "clientInfo": {"name": "test", "version": "0"}},
}  # fmt: skip
LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}


async def sent(url: str, body: Any = INITIALIZE, method: str = "POST", **headers: str):
    """The status and headers of one request."""
    data = io.BytesIO(body if isinstance(body, bytes) else json.dumps(body).encode())
    named = {**ACCEPT, **{n.replace("_", "-"): v for n, v in headers.items()}}
    async with (
        aiohttp.ClientSession() as http,
        http.request(method, url, data=data, headers=named) as reply,
    ):
        await reply.read()
        return reply.status, reply.headers

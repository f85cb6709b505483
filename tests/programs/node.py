"""How a check runs a program for Node.js: a command of its packages, or a script beside them."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from tests.programs.program import HERE, Place

SECONDS = 300.0  # which only a hang reaches


def run(place: Place, name: str, *words: str, env: Mapping[str, str] | None = None) -> str:
    """Run a command that the packages installed, in the empty home; return what it prints."""
    command = [place.command(name), *words]
    print("$", name, *words, file=sys.stderr, flush=True)
    with subprocess.Popen(
        command, env=environment(place) | dict(env or {}), cwd=place.home, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, start_new_session=True,
    ) as process:  # fmt: skip
        try:
            said, _ = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    print(said, file=sys.stderr, flush=True)
    assert process.returncode == 0, f"{name} ended with {process.returncode}: {said[-200:]}"
    return said


def script(place: Place, path: str, *words: str, env: Mapping[str, str] | None = None) -> Any:
    """Run a script of this folder; return what it prints as JSON. It imports the packages."""
    copy = shutil.copy(HERE / path, place.environment)
    return json.loads(run(place, "node", str(copy), *words, env=env))


def environment(place: Place) -> dict[str, str]:
    """An environment in which the packages' own Node.js comes first."""
    commands = place.environment / "node_modules" / ".bin"
    return {**os.environ, "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}"}


@asynccontextmanager
async def mcp_client(
    place: Place, name: str, *words: str, env: Mapping[str, str]
) -> AsyncIterator[Any]:
    """Connect the official Python client to an MCP server that the packages installed."""
    from mcp import Client, StdioServerParameters

    command = StdioServerParameters(
        command=place.command(name), args=list(words), cwd=place.home,
        env=environment(place) | dict(env),
    )  # fmt: skip
    async with asyncio.timeout(SECONDS), Client(command) as client:
        yield client


async def call(client: Any, tool: str, **arguments: Any) -> str:
    """Call a tool; return its text."""
    done = await client.call_tool(tool, arguments)
    text = "\n".join(part.text for part in done.content if part.type == "text")
    print(f"{tool} {arguments}: {text}", file=sys.stderr, flush=True)
    assert not done.is_error, text[:300]
    return text

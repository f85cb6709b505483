"""Checks of MCP servers that others wrote, unmodified, against /mcp of a running server."""

from __future__ import annotations

import asyncio
import shutil
import sys
from pathlib import Path

import pytest

from .conftest import Running
from .test_node_clients import packages as packages

# Those of the suite that need nothing but a server. The others call tools, prompts and resources
# with names that only a server made for the suite has.
SCENARIOS = (
    "server-initialize",
    "ping",
    "tools-list",
    "tools-call-error",
    "server-sse-multiple-streams",
    "resources-list",
    "dns-rebinding-protection",
)
CHECK = Path(sys.executable).with_name("mcp-ssrf-check")


async def run(*command: str | Path) -> tuple[int | None, str]:
    """Return the status of a program, and what it said."""
    process = await asyncio.create_subprocess_exec(
        *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    said, _ = await asyncio.wait_for(process.communicate(), 120)
    return process.returncode, said.decode()


@pytest.mark.usefixtures("processes")
async def test_the_conformance_suite_of_the_protocol_passes(
    packages: Path, server: Running
) -> None:
    """`@modelcontextprotocol/conformance`, the scenarios that every server can be asked."""
    suite = packages / "node_modules/@modelcontextprotocol/conformance/dist/index.js"
    node = shutil.which("node") or "node"
    for scenario in SCENARIOS:
        status, said = await run(
            node, suite, "server", "--url", f"{server.url}/mcp", "--scenario", scenario
        )
        assert status == 0, said[-3_000:]
        assert ", 0 failed, 0 warnings" in said


@pytest.mark.usefixtures("processes")
@pytest.mark.skipif(not CHECK.exists(), reason="mcp-ssrf-check is not installed")
@pytest.mark.parametrize("lifecycle", ["stateless", "stateful"])
async def test_a_stranger_reaches_neither_the_server_nor_its_network(
    server: Running, lifecycle: str
) -> None:
    """`mcp-ssrf-check`: foreign hosts, origins, sessions, and 9 spellings of loopback."""
    status, said = await run(
        CHECK, "--url", f"{server.url}/mcp", "--lifecycle", lifecycle,
        "--fetch-tool", "web_extract", "--url-argument", "urls",
    )  # fmt: skip

    assert status == 0, said
    found = dict(line.split()[1::-1] for line in said.splitlines() if line[:1].isupper())
    passed = {"baseline", "host-header", "origin-header", "tool-url-ssrf"}
    passed |= {"session-binding"} if lifecycle == "stateful" else set()
    assert {name for name, verdict in found.items() if verdict == "PASS"} == passed
    assert not {"FAIL", "INCONCLUSIVE", "ERROR"} & set(found.values())

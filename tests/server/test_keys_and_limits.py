"""Keys, limits and usage of a running server, alone and two of them as one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import aiohttp
import httpx
import pytest

from kensaku.database.key_cache import KeyCache
from kensaku.database.keys import create_key, revoke_key
from tests.answers.conftest import web as web

from .conftest import MakeServer, Running


@pytest.fixture
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as session:
        yield session


async def search(
    http: aiohttp.ClientSession, server: Running, secret: str = "", query: str = "otter"
) -> tuple[int, str | None]:
    """Status and Retry-After of a search by Tavily's wire."""
    headers = {"Authorization": f"Bearer {secret}"} if secret else {}
    async with http.post(f"{server.url}/search", json={"query": query}, headers=headers) as reply:
        await reply.read()
        return reply.status, reply.headers.get("Retry-After")


async def test_money_ends_with_the_price_of_searches(make_server, make_key, http):
    """Tavily's price is known; the cache is not used, or the second search would cost nothing."""
    server = await make_server(cache_enabled=False)
    poor = await make_key(server, "poor", money_per_month=0.009)

    statuses = [(await search(http, server, poor))[0] for _ in range(4)]

    assert statuses[0] == 200
    assert statuses[-1] == 432


async def test_research_that_is_queued_spends_the_quota_of_its_key(
    make_server, make_key, http, web
):
    """Its second search is refused, which the report says; the next run is not begun."""
    server = await make_server(state_url="", cache_enabled=False)
    secret = await make_key(server, searches_per_day=1)
    headers = {"Authorization": f"Bearer {secret}"}
    body = {"input": "How do sea otters sleep? What do sea otters eat?", "model": "mini"}
    async with http.post(f"{server.url}/research", json=body, headers=headers) as reply:
        id = (await reply.json())["request_id"]
    jobs = await server.state.jobs()
    await jobs.wait(id)
    async with http.get(f"{server.url}/research/{id}", headers=headers) as reply:
        report = await reply.json()

    assert report["status"] == "failed"
    assert "the budget of 1 searches is spent" in report["error"]
    assert len(web.queries) == 1
    for stream in (False, True):
        asked = body | {"stream": stream}
        async with http.post(f"{server.url}/research", json=asked, headers=headers) as reply:
            assert reply.status == 432
    assert len(web.queries) == 1


async def test_two_servers_on_one_postgresql_and_one_valkey_are_one(
    make_server: MakeServer, http, postgresql, valkey
):
    """A key of the one works at the other; they share its quota; revoked, it ends at both."""
    shared = {"database_url": postgresql, "state_url": valkey, "cache_url": valkey}
    servers = [await make_server(**shared) for _ in range(2)]
    for server in servers:
        await server.state.start()
    key, secret = await create_key(servers[0].state.database, "agent", searches_per_day=5)
    for server in servers:
        server.state.keys.require()

    statuses = [(await search(http, servers[n % 2], secret))[0] for n in range(7)]
    assert statuses == [200] * 5 + [432] * 2
    await revoke_key(servers[1].state.database, key.id)
    await asyncio.sleep(KeyCache.SECONDS)
    assert [(await search(http, server, secret))[0] for server in servers] == [401, 401]


async def test_reading_pages_counts_as_searches(reading_server, make_key, site):
    """Five pages of an extract, ten of a crawl or a map: a bounded key cannot read without end."""
    costs = {
        "/extract": ({"urls": [f"{site}otters"]}, 1),
        "/firecrawl/v2/scrape": ({"url": f"{site}otters"}, 1),
        "/crawl": ({"url": site, "limit": 15}, 2),
        "/map": ({"url": site, "limit": 10}, 1),
    }
    more = {"/extract": ({"urls": [f"{site}otters?{n}" for n in range(6)]}, 2)}
    async with httpx.AsyncClient(base_url=reading_server.url, timeout=60) as http:
        for path, (body, searches) in [*costs.items(), *more.items()]:
            secret = await make_key(reading_server, path, searches_per_day=searches)
            head = {"Authorization": f"Bearer {secret}"}
            first = await http.post(path, json=body, headers=head)
            again = await http.post(path, json=body, headers=head)
            assert (first.status_code, again.is_client_error) == (200, True), path


async def test_what_is_refused_uses_up_no_search(server, make_key):
    """A context with a bad bound is told so, and the one search of the day is still there."""
    secret = await make_key(server, searches_per_day=1)
    head = {"Authorization": f"Bearer {secret}"}
    async with httpx.AsyncClient(base_url=server.url, headers=head, timeout=60) as http:
        for wrong in ({"q": "otters", "max_tokens": 0}, {"q": ""}, {"q": "otters", "time": "x"}):
            assert (await http.post("/api/context", json=wrong)).status_code == 400, wrong
        assert (await http.post("/api/context", json={"q": "otters"})).status_code == 200
        assert (await http.post("/api/context", json={"q": "otters"})).status_code == 432

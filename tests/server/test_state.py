"""What a server opens and closes, and the names that it answers to."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

import kensaku.server
from kensaku.database.keys import create_key

HERE = ("127.0.0.1", 5)


@pytest.fixture
async def app(make_client) -> AsyncIterator[Any]:
    """An application that nobody has started, as inside somebody else's."""
    client = make_client("tavily")
    made = kensaku.server.app(client.settings, client=client, hosts=["SEARCH.example"])
    yield made
    await made.state.close()


async def post(app: Any, host: str = "localhost", peer: Any = HERE, **headers: str) -> int:
    """The status of a search that comes from this peer, for this host."""
    transport = httpx.ASGITransport(app, client=peer)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as http:
        reply = await http.post(
            "/search", json={"query": "otters"}, headers={"Host": host, **headers}
        )
    return reply.status_code


NAMES = [
    ("localhost:8080", HERE, 200),
    ("LOCALHOST", HERE, 200),
    ("127.0.0.1:1", HERE, 200),
    ("[::1]:8080", ("::1", 5), 200),
    ("[::1]", ("::1", 5), 200),
    ("Search.Example:80", HERE, 200),
    ("localhost", None, 200),  # by a Unix socket
    ("search.example", ("192.0.2.1", 5), 421),
    ("localhost", ("192.0.2.1", 5), 421),
    ("evil.example", HERE, 421),
    ("localhost.evil.example", HERE, 421),
    ("evil.example:localhost", HERE, 421),
    ("", None, 421),
]


async def test_without_keys_a_server_answers_to_its_own_machine(app):
    """Under its own names, and those that it was given; others may point theirs at it."""
    for host, peer, status in NAMES:
        assert await post(app, host, peer) == status, (host, peer)


async def test_with_keys_a_server_answers_to_all_who_have_one(app):
    """Under any name."""
    await app.state.start()
    _, secret = await create_key(app.state.database, "ann")
    app.state.keys.require()
    elsewhere = ("192.0.2.1", 5)

    assert await post(app, "any.example", elsewhere, authorization=f"Bearer {secret}") == 200
    assert await post(app, "any.example", elsewhere) == 401
    assert await post(app) == 401


async def test_a_server_opens_with_its_first_requests(app):
    """Inside somebody else's application nothing starts it; however many come first."""
    assert await asyncio.gather(*(post(app) for _ in range(5))) == [200] * 5


async def test_a_server_that_never_started_can_be_closed_and_one_twice(make_client):
    """As one that was stopped while it started."""
    client = make_client("tavily")
    app = kensaku.server.app(client.settings, client=client)
    await app.state.close()

    assert await post(app) == 503
    await app.state.close()

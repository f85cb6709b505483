"""Tavily's official clients, unmodified, pointed at the server by a base URL."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from tavily import AsyncTavilyClient, TavilyClient
from tavily.errors import BadRequestError


@pytest.fixture
async def client(server) -> AsyncIterator[AsyncTavilyClient]:
    async with AsyncTavilyClient("anything", api_base_url=server.url) as client:
        yield client


async def test_the_async_client_searches(client, upstream):
    """Every field that the documentation promises is there."""
    reply = await client.search("otters", max_results=3, include_answer=True, include_usage=True)

    assert reply["query"] == "otters"
    assert reply["images"] == []
    assert reply["follow_up_questions"] is None
    assert "answer" in reply
    assert reply["usage"] == {"credits": 1}
    assert len(reply["results"]) == 3
    assert {"title", "url", "content", "score", "raw_content"} <= reply["results"][0].keys()
    scores = [r["score"] for r in reply["results"]]
    assert scores == sorted(scores, reverse=True)
    assert upstream.requests[0].json["query"] == "otters"


async def test_the_sync_client_with_a_trailing_slash_searches(server):
    """It joins base and path to `//search`."""
    with TavilyClient("anything", api_base_url=server.url + "/") as client:
        reply = await asyncio.to_thread(client.search, "otters")

    assert reply["results"]


async def test_a_wrong_value_is_the_clients_own_error(client, upstream):
    """400 with the sentence, and nothing is sent."""
    with pytest.raises(BadRequestError, match="topic is 'sport'"):
        await client.search("otters", topic="sport")
    with pytest.raises(BadRequestError, match="Max query length is 400"):
        await client.search("o" * 401)

    assert not upstream.requests

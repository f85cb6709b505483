"""What Firecrawl's own clients are told about an account."""

from __future__ import annotations

import asyncio

import pytest
from firecrawl import Firecrawl
from firecrawl.v1 import V1FirecrawlApp

from kensaku.models import Hit

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of its client of version 1


async def test_credits_are_the_searches_of_the_day(server, make_key, upstream):
    """firecrawl-mcp and both clients ask for them; a key without a quota has more than enough."""
    upstream.answers("tavily", [Hit("https://a.example/", "A", "otters")])
    url = f"{server.url}/firecrawl"
    bounded = await make_key(server, "bounded", searches_per_day=10)
    free = await make_key(server, "free")
    client = Firecrawl(api_key=bounded, api_url=url, max_retries=1)

    await asyncio.to_thread(client.search, "otters")
    left = await asyncio.to_thread(client.get_credit_usage)
    old = await asyncio.to_thread(V1FirecrawlApp(api_key=bounded, api_url=url).get_credit_usage)
    much = await asyncio.to_thread(Firecrawl(api_key=free, api_url=url).get_credit_usage)

    assert (left.remaining_credits, left.plan_credits) == (9, 10)
    assert left.billing_period_start < left.billing_period_end
    assert old.data.remaining_credits == 9
    assert much.remaining_credits == much.plan_credits > 1_000_000


@pytest.mark.parametrize("path", ["/v2/feedback", "/v2/search/0f0e/feedback"])
async def test_an_opinion_is_acknowledged(http, path):
    """firecrawl-mcp tells agents to send one behind each search."""
    reply = await http.post(f"/firecrawl{path}", json={"rating": "good"})

    assert reply.status_code == 200
    assert reply.json()["success"] is True
    assert reply.json()["feedbackId"]

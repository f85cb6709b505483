"""What else Tavily's API has: usage and feedback, their whole replies, and what is refused."""

from __future__ import annotations

import asyncio

import pytest

from kensaku.models import Hit


@pytest.mark.parametrize("prefix", ["", "/tavily"])
async def test_usage_is_told_for_the_key_and_the_account(server, make_key, http, upstream, prefix):
    """By endpoint, in requests; the limit of a month is that of 31 days."""
    upstream.answers("tavily", [Hit("https://a.example/", "A", "otters")])
    bounded = await make_key(server, "bounded", searches_per_day=10)
    free = await make_key(server, "free")
    for key, times in ((bounded, 2), (free, 1)):
        for n in range(times):
            await http.post(f"{server.url}/search", json={"query": f"otters {n}", "api_key": key})
    await http.post(f"{server.url}/feedback", json={}, headers={"authorization": f"Bearer {free}"})
    head = {"authorization": f"Bearer {free}"}
    async with asyncio.timeout(60):  # it is written after a second
        while (await http.get(f"{server.url}/usage", headers=head)).json()["key"]["usage"] < 3:
            pass

    counts = {"search_usage": 3, "extract_usage": 0, "crawl_usage": 0, "map_usage": 0,
              "research_usage": 0}  # fmt: skip
    for key, limit in ((bounded, 310), (free, None)):
        head = {"authorization": f"Bearer {key}"}
        told = (await http.get(f"{server.url}{prefix}/usage", headers=head)).json()
        assert told == {
            "key": {"usage": 3, "limit": limit, **counts},
            "account": {
                "current_plan": "self-hosted", "plan_usage": 3, "plan_limit": limit,
                "paygo_usage": 0, "paygo_limit": None, **counts,
            },
        }  # fmt: skip


async def test_feedback_is_acknowledged(server, make_key, http):
    """With an id of its own; a key that is not known is refused as Tavily refuses it."""
    key = await make_key(server)
    head = {"authorization": f"Bearer {key}"}

    taken = (await http.post(f"{server.url}/feedback", json={}, headers=head)).json()
    other = (await http.post(f"{server.url}/feedback", json={}, headers=head)).json()
    refused = await http.post(f"{server.url}/feedback", json={})
    lost = await http.get(f"{server.url}/research/nobody", headers=head)
    wrong = await http.post(f"{server.url}/research", content=b"[]", headers=head)
    large = await http.post(f"{server.url}/research", content=b" " * (12 * 2**20 + 1), headers=head)

    assert taken.keys() == {"success", "feedback_id", "response_time"}
    assert taken["success"] is True
    assert taken["feedback_id"] != other["feedback_id"]
    assert 0 <= taken["response_time"] < 600
    assert refused.status_code == 401
    assert refused.json() == {"detail": {"error": "Unauthorized: missing or invalid API key."}}
    assert lost.status_code == 404
    assert lost.json() == {"detail": {"error": "Research task not found"}}
    assert (wrong.status_code, wrong.json()) == (
        400,
        {"detail": {"error": "the body must be a JSON object"}},
    )
    assert large.status_code == 413
    assert "12,582,912 bytes" in large.json()["detail"]["error"]

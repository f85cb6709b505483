"""Tavily's /research by its own clients: queued, polled, streamed; and the small endpoints."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

import pytest

from kensaku import Document
from kensaku.testing import faults

OTTERS = [
    Document(
        url="https://zoo.example/otters",
        title="Sea otters",
        text="Sea otters hold hands while they sleep. They eat sea urchins, crabs and clams. "
        "A sea otter has a million hairs on a square inch of its skin.",
    ),
    Document(
        url="https://zoo.example/kelp",
        title="Kelp forests",
        text="Kelp forests are kept alive by sea otters, because otters eat the urchins that eat "
        "the kelp. Kelp grows half a metre a day.",
    ),
]


@pytest.fixture
async def zoo(make_server):
    """A server over a local collection."""
    server = await make_server("local")
    await server.client.index.add(OTTERS, "zoo")
    return server


@pytest.fixture
async def client(zoo):
    from tavily import AsyncTavilyClient

    async with AsyncTavilyClient("anything", api_base_url=zoo.url) as client:
        yield client


async def test_a_run_is_queued_and_polled(client):
    """Pending, then a report with its sources, as the official client reads it."""
    created = await client.research("What do sea otters eat?", model="mini")

    assert created["status"] == "pending"
    assert (created["input"], created["model"]) == ("What do sea otters eat?", "mini")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z", created["created_at"])
    assert created["response_time"] >= 0
    report = created
    while report["status"] in ("pending", "in_progress"):
        await asyncio.sleep(0.2)
        report = await client.get_research(created["request_id"])

    assert report["status"] == "completed"
    assert "urchins" in report["content"]
    assert report["sources"][0]["url"].startswith("https://zoo.example/")
    assert {"title", "url", "favicon"} == report["sources"][0].keys()


async def test_a_stream_has_whole_frames_in_order(client):
    """Each chunk is a frame: the official tools drop what they cannot parse."""
    stream = await client.research("What do sea otters eat?", stream=True, model="mini")
    chunks = [chunk async for chunk in stream]
    text = b"".join(chunks).decode()

    frames = [json.loads(f[6:]) for f in text.split("\n\n") if f.startswith("data: ")]
    deltas = [f["choices"][0]["delta"] for f in frames]
    names = [
        call["name"]
        for d in deltas
        if isinstance(d.get("tool_calls"), dict)
        for call in d["tool_calls"].get("tool_call", [])
    ]
    assert names[0] == "Planning"
    assert "WebSearch" in names
    assert names[-1] == "Generating"
    assert "urchins" in "".join(d["content"] for d in deltas if "content" in d)
    assert any(d.get("sources") for d in deltas)
    assert text.endswith("event: done\n\n")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({}, "no provider could search"),
        ({"files": [{"name": "a"}]}, "the file 'a' has no base64 data"),
    ],
    ids=["nobody could search", "it cannot begin"],
)
async def test_a_report_that_fails_within_its_stream_says_so_in_it(
    server, http, upstream, more, said
):
    """The status has been sent: the error is the last frame but one."""
    upstream.fails("tavily", faults.status(400))
    body = {"input": "What do sea otters eat?", "model": "mini", "stream": True, **more}
    reply = await http.post("/research", json=body)

    *_, failed, done, _ = reply.text.split("\n\n")
    told = json.loads(failed.removeprefix("data: "))
    assert reply.status_code == 200
    assert (told["object"], told["id"]) == ("error", reply.headers["x-request-id"])
    assert told["error"].startswith(said)
    assert done == "event: done"


async def test_a_wrong_request_is_400(client):
    """In the words of the live service, where it has some."""
    from tavily.errors import BadRequestError

    wrong: list[tuple[str, dict[str, Any], str]] = [
        ("otters", {"model": "max"}, "Must be one of: mini, pro, auto"),
        (" \n", {}, "Input is missing."),
        ("x" * 1_000_001, {}, "at most 1,000,000"),
        ("otters", {"citation_format": "x"}, "numbered, mla, apa, chicago"),
        ("otters", {"output_length": "x"}, "short, standard, long"),
        ("otters", {"include_domains": ["a"] * 21}, "at most 20"),
    ]
    for asked, more, says in wrong:
        with pytest.raises(BadRequestError, match=says):
            await client.research(asked, **more)


async def test_an_unknown_run_is_404(client):
    """The clients raise what their HTTP library raises."""
    with pytest.raises(Exception, match="404"):
        await client.get_research("nobody-knows-me")

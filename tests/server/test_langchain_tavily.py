"""langchain-tavily, unmodified: its six tools, sync and async."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

# It leaves sockets to the collector.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


async def run_sync(tool: BaseTool, arguments: dict) -> Any:
    return await asyncio.to_thread(tool.invoke, arguments)


async def run_async(tool: BaseTool, arguments: dict) -> Any:
    return await tool.ainvoke(arguments)


@pytest.fixture(params=[run_sync, run_async], ids=["sync", "async"])
def run(request):
    return request.param


def tool(kind: str, url: str, key: str = "tvly-anything", **options: Any) -> BaseTool:
    import langchain_tavily

    return getattr(langchain_tavily, kind)(tavily_api_key=key, api_base_url=url, **options)


async def test_search_extract_crawl_and_map(run, reading_server, found):
    """They send empty lists for what is not set."""
    url = reading_server.url
    search = tool("TavilySearch", url, max_results=2, include_answer=True, include_images=True)
    hits = await run(search, {"query": "otters", "time_range": "year"})
    pages = await run(tool("TavilyExtract", url), {"urls": [found + "otters", found + "missing"]})
    site = await run(tool("TavilyCrawl", url, limit=5), {"url": found, "categories": ["Blogs"]})
    listed = await run(tool("TavilyMap", url, limit=5), {"url": found})

    assert [r["url"] for r in hits["results"]] == [found + "otters", found + "kelp"]
    assert hits["answer"]
    assert "hold hands" in pages["results"][0]["raw_content"]
    assert [f["url"] for f in pages["failed_results"]] == [found + "missing"]
    assert found + "otters" in [p["url"] for p in site["results"]]
    assert found + "otters" in listed["results"]


async def test_a_report_is_queued_polled_and_streamed(run, reading_server, found):
    """200 for a run that was queued: it takes nothing else."""
    url, question = reading_server.url, {"input": "What do otters hold?", "model": "mini"}
    created = await run(tool("TavilyResearch", url), question)
    assert created["status"] == "pending"
    report = created
    while report["status"] in ("pending", "in_progress"):
        await asyncio.sleep(0.2)
        report = await run(tool("TavilyGetResearch", url), {"request_id": created["request_id"]})
    stream = await run(tool("TavilyResearch", url), question | {"stream": True})
    if hasattr(stream, "__aiter__"):
        text = b"".join([chunk async for chunk in stream])
    else:
        text = await asyncio.to_thread(lambda: b"".join(stream))

    assert report["status"] == "completed"
    assert "hold hands" in report["content"]
    assert text.endswith(b"event: done\n\n")
    assert b"hold hands" in text


async def test_nothing_found_is_its_tool_error(run, server, upstream):
    """It makes suggestions of its own."""
    upstream.answers("tavily", [])

    assert "No search results found" in await run(tool("TavilySearch", server.url), {"query": "x"})


async def test_refusals_are_results_with_the_status(run, server, make_key):
    """400, 401, 429 and 432: the sync tools also give the sentence."""
    good = await make_key(server)
    slow = await make_key(server, rate="1/h")
    few = await make_key(server, searches_per_day=1)

    async def refusal(key: str, **more: Any) -> str:
        return str(
            (await run(tool("TavilySearch", server.url, key), {"query": "x", **more}))["error"]
        )

    assert "Error 400" in await refusal(good, topic="general", start_date="yesterday")
    assert "Error 401" in await refusal("tvly-wrong")
    for key, status in ((slow, "Error 429"), (few, "Error 432")):
        await run(tool("TavilySearch", server.url, key), {"query": "x"})
        assert status in await refusal(key)

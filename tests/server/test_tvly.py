"""tavily-cli, unmodified: the command `tvly` in a process of its own."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

import pytest

TVLY = Path(sys.executable).parent / "tvly"


@pytest.fixture
def tvly(processes: None, reading_server, tmp_path):
    """Run the command; return its status, what it printed, and what it said."""

    async def run(*args: str, key: str = "tvly-anything") -> tuple[int, str, str]:
        process = await asyncio.create_subprocess_exec(
            str(TVLY), *args,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(tmp_path),
                "TAVILY_API_BASE_URL": reading_server.url,
                "TAVILY_API_KEY": key,
            },
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        out, err = await asyncio.wait_for(process.communicate(), 120)
        return process.returncode or 0, out.decode(), err.decode()

    return run


async def test_search_extract_crawl_and_map(tvly, found):
    """As JSON, side by side: most of the time is Python's start."""
    said = await asyncio.gather(
        tvly("search", "otters", "--max-results", "2", "--include-answer", "--json"),
        tvly("extract", found + "otters", "--query", "sleep", "--json"),
        tvly("crawl", found, "--limit", "5", "--no-external", "--json"),
        tvly("map", found, "--limit", "5", "--json"),
    )

    assert [(status, err) for status, _, err in said if status] == []
    search, extract, crawl, listed = (json.loads(out) for _, out, _ in said)
    assert [r["url"] for r in search["results"]] == [found + "otters", found + "kelp"]
    assert search["answer"]
    assert "hold hands" in extract["results"][0]["raw_content"]
    assert found + "otters" in [p["url"] for p in crawl["results"]]
    assert found + "otters" in listed["results"]


async def test_a_report_is_polled_or_streamed(tvly, found):
    """It drops a frame that is not whole."""
    question = ("research", "What do otters hold?", "--model", "mini")
    (polled, report, error), (streamed, text, steps) = await asyncio.gather(
        tvly(*question, "--poll-interval", "1", "--json"), tvly(*question, "--stream")
    )

    assert polled == 0, error
    assert json.loads(report)["status"] == "completed"
    assert "hold hands" in json.loads(report)["content"]
    assert streamed == 0, steps
    assert "hold hands" in text
    assert "Planning" in steps
    assert "WebSearch" in steps
    assert "Generating" in steps


async def test_refusals_are_said(tvly, reading_server, make_key, found):
    """400, 401, 429 and 432, each with the sentence of the server."""
    good = await make_key(reading_server)
    slow = await make_key(reading_server, rate="1/h")
    few = await make_key(reading_server, searches_per_day=1)
    for spent in (slow, few):
        assert (await tvly("search", "otters", key=spent))[0] == 0

    said = await asyncio.gather(
        tvly("search", "otters", "--max-results", "21", key=good),
        tvly("search", "otters", key="tvly-wrong"),
        tvly("search", "otters", key=slow),
        tvly("search", "otters", key=few),
    )

    expected = ("max_results is 21", "invalid", "too many requests", "searches of the day")
    for (status, out, err), sentence in zip(said, expected, strict=True):
        assert status
        assert sentence in " ".join((out + err).split())

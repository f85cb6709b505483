"""The tools of Tavily's MCP server: what a model reads, and what a program gets."""

from __future__ import annotations

import re
from typing import Any

import pytest

from kensaku.errors import InvalidQuery
from kensaku.models import Hit, Outcome, Page
from kensaku.research.report import Reference, Report
from kensaku.server.mcp import _calls_in, _replay
from kensaku.server.tavily_mcp import (
    TOOLS,
    TavilyExtractTool,
    TavilyMapTool,
    TavilyResearchTool,
    TavilySearchTool,
    _pages,
)
from kensaku.server.wires.base import Read


def fenced(text: str) -> str:
    """What is between the markers of the fence."""
    found = re.search(r"<<<web [0-9a-f]{32}\n(.*)\nweb [0-9a-f]{32}>>>", text, re.S)
    assert found, text
    return found[1]


async def test_a_search_is_listed_for_the_model(make_client, upstream):
    """Titles, addresses, contents; the same as data."""
    hits = [Hit("https://a.example/", "A", "otters"), Hit("https://b.example/", "B", "kelp")]
    upstream.answers("tavily", hits)

    done = await TavilySearchTool(make_client("tavily")).invoke({"query": "otters", "odd": 1})

    assert fenced(done.text) == (
        "Title: A\nURL: https://a.example/\nContent: otters\n\n"
        "Title: B\nURL: https://b.example/\nContent: kelp\n"
    )
    assert (done.success, done.error_kind) == (True, None)
    assert done.output.keys() == {"results", "answer"}
    assert [r["url"] for r in done.output["results"]] == [
        "https://a.example/",
        "https://b.example/",
    ]


async def test_a_search_with_an_answer_begins_with_it(make_client, upstream):
    """And one that finds nothing says so."""
    upstream.answers("tavily", [Hit("https://a.example/", "Otters", "Otters swim in rivers.")])
    tool = TavilySearchTool(make_client("tavily"))

    answered = await tool.invoke({"query": "where do otters swim", "include_answer": True})
    upstream.answers("tavily", [])
    empty = await tool.invoke({"query": "nothing"})

    answer = answered.output["answer"]
    assert answer
    assert fenced(answered.text).startswith(f"Answer: {answer}\n\nTitle: Otters\n")
    assert (empty.text, empty.success, empty.error_kind) == ("Nothing was found.", False, "empty")


def test_pages_are_listed_with_those_that_failed():
    """A page has 20,000 characters at most, and a reply 100,000."""
    page = Page("https://a.example/", "A", "text", "text")
    read = Read([(page, "x" * 20_001)], [("https://b.example/", "gone")])

    done = _pages(TavilyExtractTool(), read)

    assert fenced(done.text) == (
        "Title: A\nURL: https://a.example/\n" + "x" * 20_000 + "\n\n"
        "Failed: https://b.example/: gone"
    )
    assert done.output == {
        "results": [{"url": "https://a.example/", "title": "A", "raw_content": "x" * 20_001}],
        "failed_results": [{"url": "https://b.example/", "error": "gone"}],
    }
    assert done.success
    many = _pages(TavilyExtractTool(), Read([(page, "x" * 20_000)] * 6))
    assert len(fenced(many.text)) == 100_000
    failed = _pages(TavilyExtractTool(), Read([], [("https://b.example/", "gone")]))
    assert (failed.success, failed.error_kind) == (False, "empty")
    assert fenced(failed.text) == "Failed: https://b.example/: gone"


async def test_a_site_is_listed(make_client, upstream):
    """Its addresses, one in a line."""
    upstream.serves("/robots.txt", "User-agent: *\nAllow: /\n")
    upstream.serves("/a", "<p>otters</p>")
    start = upstream.serves("/", "<a href='/a'>a</a>")
    client = make_client("tavily", fetch_allow=("127.0.0.0/8",), fetch_ports="any")

    done = await TavilyMapTool(client).invoke({"url": start})

    assert done.output == {"base_url": start, "results": [start, f"{start}a"]}
    assert fenced(done.text) == f"{start}\n{start}a"


def test_each_tool_says_what_it_needs():
    """By the names of Tavily's own server; the research tool streams nothing."""
    tools = [kind() for kind in TOOLS]

    assert {t.name: t.parameters["required"] for t in tools} == {
        "tavily_search": ["query"],
        "tavily_extract": ["urls"],
        "tavily_crawl": ["url"],
        "tavily_map": ["url"],
        "tavily_research": ["input"],
    }
    assert {t.parameters["type"] for t in tools} == {"object"}
    assert {"stream", "files"}.isdisjoint(tools[-1].parameters["properties"])
    assert {"input", "model"} <= tools[-1].parameters["properties"].keys()
    for tool in tools:
        for sent in ({}, {tool.needs: ""}):
            with pytest.raises(InvalidQuery, match=f"{tool.name} needs {tool.needs}"):
                tool.check(sent)
        assert tool.check({tool.needs: "x", "more": 1}) == {tool.needs: "x", "more": 1}


CALL = b'{"method": "tools/call"}'


@pytest.mark.parametrize(
    ("raw", "calls"),
    [
        (CALL, 1),
        (b'{"method": "tools/list"}', 0),
        (b"[" + CALL + b"," + CALL + b', 5, {"method": "ping"}]', 2),
        (b"not json", 0),
        (b"[" * 100_000, 0),
        (b"5", 0),
    ],
)
def test_each_call_of_a_tool_counts_as_a_search(raw, calls):
    """Also those of a batch."""
    assert _calls_in(raw) == calls


async def test_a_body_that_was_read_is_given_once_more():
    """And then what the client does next."""

    async def receive():
        return {"type": "http.disconnect"}

    again = _replay(b"body", receive)

    assert [await again(), await again(), await again()] == [
        {"type": "http.request", "body": b"body", "more_body": False},
        {"type": "http.disconnect"},
        {"type": "http.disconnect"},
    ]


class Researching:
    """A client that gives a report."""

    def __init__(self, report: Report) -> None:
        self.report, self.asked = report, []

    async def research(self, input: str, **options: Any) -> Report:
        self.asked.append((input, options))
        return self.report


async def test_a_report_is_given_with_its_sources():
    """It is never streamed to a tool, whatever was asked for."""
    source = Reference(1, "https://a.example/", "A")
    report = Report("x", "Otters swim. [1]", None, (source,), Outcome.FOUND)
    client = Researching(report)

    done = await TavilyResearchTool(client).execute(input="Otters?", stream=True, model="mini")

    assert fenced(done.text) == "Otters swim. [1]\n\n[1] A https://a.example/"
    assert (done.success, done.output, done.error_kind) == (True, report.to_dict(), None)
    ((input, options),) = client.asked
    assert (input, options["model"]) == ("Otters?", "mini")


@pytest.mark.parametrize(("notes", "why"), [(("a", "b"), "a; b"), ((), "no provider could search")])
async def test_a_report_that_nobody_could_research_is_an_error(notes, why):
    """With the reasons."""
    report = Report("x", None, None, (), Outcome.UNAVAILABLE, notes=notes)

    done = await TavilyResearchTool(Researching(report)).execute(input="Otters?")

    assert (done.success, done.text, done.error) == (False, f"Error: {why}", why)
    assert done.error_kind == "tool"


async def test_an_empty_report_is_no_success():
    """Nothing was found."""
    report = Report("x", None, None, (), Outcome.EMPTY)

    done = await TavilyResearchTool(Researching(report)).execute(input="Otters?")

    assert (done.success, done.text, done.error_kind) == (False, "Nothing was found.", "empty")

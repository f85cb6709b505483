"""The tools of Tavily's MCP server: what a model reads, and what a program gets."""

from __future__ import annotations

import re

import pytest

from kensaku.errors import InvalidQuery
from kensaku.models import Hit
from kensaku.server.tavily_mcp import (
    TOOLS,
    TavilyExtractTool,
    TavilyMapTool,
    TavilyResearchTool,
    TavilySearchTool,
)
from kensaku.testing import faults
from tests.answers.conftest import client as client
from tests.mcp.servers import connect, make_server


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


async def test_pages_are_listed_with_those_that_failed(make_client, upstream):
    """A page has 20,000 characters at most, and a reply 100,000."""
    upstream.serves("/robots.txt", "User-agent: *\nAllow: /\n")
    prose = "Sea otters hold hands while they sleep in the kelp forests of the coast. " * 400
    urls = [upstream.serves(f"/{n}", f"<title>P{n}</title><p>{prose}{n}</p>") for n in range(6)]
    lost = upstream.url + "/missing"
    tool = TavilyExtractTool(make_client("tavily", fetch_allow=("127.0.0.0/8",), fetch_ports="any"))

    one = await tool.invoke({"urls": [urls[0], lost]})
    many = await tool.invoke({"urls": urls})
    none = await tool.invoke({"urls": [lost]})

    listed, _, failed = fenced(one.text).rpartition("\n\n")
    head = f"Title: P0\nURL: {urls[0]}\n"
    assert listed.startswith(head + "Sea otters")
    assert len(listed) == len(head) + 20_000
    assert failed.startswith(f"Failed: {lost}: ")
    assert one.success
    assert len(one.output["results"][0]["raw_content"]) > 20_000
    assert [f["url"] for f in one.output["failed_results"]] == [lost]
    assert len(fenced(many.text)) == 100_000
    assert (none.success, none.error_kind) == (False, "empty")
    assert fenced(none.text).startswith(f"Failed: {lost}: ")


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
    """The research tool streams nothing, and takes no files."""
    for tool in (kind() for kind in TOOLS):
        assert tool.parameters["required"] == [tool.needs]
        for sent in ({}, {tool.needs: ""}):
            with pytest.raises(InvalidQuery, match=f"{tool.name} needs {tool.needs}"):
                tool.check(sent)
    assert {"stream", "files"}.isdisjoint(TavilyResearchTool().parameters["properties"])


async def test_a_report_is_given_with_its_sources(client, web):
    """It is never streamed to a tool, whatever was asked for."""
    tool = TavilyResearchTool(client())

    done = await tool.invoke({"input": "How do sea otters sleep?", "stream": True, "model": "mini"})

    text = fenced(done.text)
    assert "hold hands" in text
    assert f"[1] How otters sleep {web.upstream.url}/p/sleep" in text
    assert (done.success, done.error_kind) == (True, None)
    assert done.output["content"]
    assert done.output["sources"]


async def test_a_whole_report_is_not_said_to_be_cut(client, web):
    """A client gets it in one part, without a link to what is not there."""
    async with connect(make_server([TavilyResearchTool(client())])) as c:
        done = await c.call_tool("tavily_research", {"input": "How do sea otters sleep?"})

    (text,) = done.content
    assert "hold hands" in text.text
    assert "cut to fit" not in text.text


async def test_a_report_that_nobody_could_research_is_an_error(client, upstream):
    """With the reasons; to have found nothing is another thing."""
    nothing = await TavilyResearchTool(client()).invoke({"input": "Who painted the Mona Lisa?"})
    upstream.fails("tavily", faults.status(400))
    failed = await TavilyResearchTool(client()).invoke({"input": "Who painted the Milkmaid?"})

    assert (nothing.success, nothing.error_kind) == (False, "empty")
    assert fenced(nothing.text).strip() == "The sources that were found say nothing about this."
    assert (failed.success, failed.error_kind) == (False, "tool")
    assert failed.error
    assert failed.text == f"Error: {failed.error}"

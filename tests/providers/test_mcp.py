"""Providers behind MCP: asked as a server of the official library wants it, by JSON and by events."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from typing import Any

import pytest

from kensaku.errors import ProviderError, RateLimited, Unreadable
from kensaku.models import Hit, Query
from kensaku.providers import provider_class
from kensaku.testing import faults, load_sample
from kensaku.transport.http import HttpClient
from kensaku.transport.reply import Reply
from tests.providers.conftest import serving

NAMES = ("exa_mcp", "parallel_mcp")
every_server = pytest.mark.parametrize("name", NAMES)


@asynccontextmanager
async def official_server(name: str, *, as_json: bool):
    """A stateless server of the `mcp` package that has this provider's tool."""
    library = pytest.importorskip("mcp.server.mcpserver")
    sample, asked = load_sample(name), []
    server = library.MCPServer("search")
    text = sample.reply["result"]["content"][0]["text"]

    def web_search_exa(query: str, objective: str, numResults: int = 10) -> str:
        asked.append(query)
        return text

    def web_search(
        objective: str, search_queries: list[str], session_id: str, model_name: str = ""
    ) -> dict[str, Any]:
        asked.append(objective)
        return sample.body  # sent as structured content, and as text

    server.tool()(web_search_exa if name == "exa_mcp" else web_search)
    app = server.streamable_http_app(stateless_http=True, json_response=as_json)
    async with serving(app) as url:
        yield url, asked


@every_server
@pytest.mark.parametrize("as_json", [True, False], ids=["json", "events"])
async def test_a_server_of_the_official_library_answers(name, as_json):
    """Its tool is called without a session, and its result is read."""
    http = HttpClient(user_agent="kensaku-tests")
    async with official_server(name, as_json=as_json) as (url, asked):
        try:
            found = await provider_class(name)(url).ask(Query("sea otters"), "", http)
        finally:
            await http.close()

    assert [hit.url for hit in found.hits] == [e["url"] for e in load_sample(name).expect]
    assert asked == ["sea otters"]


def test_structured_content_counts_more_than_the_text_beside_it():
    """Parallel sends both; some servers shorten the text for a model."""
    sample = load_sample("parallel_mcp")
    result = {"content": [{"type": "text", "text": "3 results"}], "structuredContent": sample.body}

    hits = provider_class("parallel_mcp")().hits({"jsonrpc": "2.0", "id": 1, "result": result})

    assert [hit.url for hit in hits] == [e["url"] for e in sample.expect]


def test_no_two_questions_are_tied_together():
    """Parallel demands the id of a session, by which it groups what is asked."""
    parallel = provider_class("parallel_mcp")()
    sessions = [parallel.arguments(Query(text))["session_id"] for text in ("otter", "ferry")]

    assert sessions[0] != sessions[1]
    assert all(len(session) <= 100 for session in sessions)


@every_server
async def test_a_tool_that_fails_is_never_an_empty_list(ask, name):
    """Its error comes as text, with status 200."""
    body = {"jsonrpc": "2.0", "id": 1, "result": {"isError": True, "content": [
        {"type": "text", "text": "upstream timed out"}]}}  # fmt: skip

    with pytest.raises(Unreadable, match="timed out"):
        await ask(name, faults.wrong_shape(body))


@every_server
async def test_a_limit_inside_a_result_is_a_rate(ask, name):
    """Exa marks it so; the words are for a model."""
    body = {"jsonrpc": "2.0", "id": 1, "result": {
        "content": [{"type": "text", "text": "You've hit the limit."}],
        "_meta": {"ai.exa/rateLimited": True}}}  # fmt: skip

    with pytest.raises(RateLimited):
        await ask(name, faults.wrong_shape(body))


async def test_the_servers_own_limit_keeps_its_wait(ask):
    """As exa-mcp-server sends it."""
    body = {"jsonrpc": "2.0", "error": {"code": -32000, "message": "You've hit"}, "id": None}

    with pytest.raises(RateLimited) as caught:
        await ask("exa_mcp", faults.status(429, body, {"Retry-After": "40"}))

    assert caught.value.retry_after == 40


@pytest.mark.parametrize(
    "stream",
    ["", "data: {", "event: message\ndata: []\n\n", "data: {}\n\n", ": ping\n\n",
     'data: {"jsonrpc":"2.0","id":2,"result":{"content":[]}}\n\n', "data: 5\n\ndata: null\n\n"],
)  # fmt: skip
@every_server
def test_events_without_the_result_are_unreadable(name, stream):
    """Another call's result, half an event, none at all."""
    reply = Reply(200, {"content-type": "text/event-stream"}, stream.encode())

    with pytest.raises(ProviderError):
        provider_class(name)().read(reply)


@every_server
def test_the_result_is_found_among_other_events(name):
    """Notifications come before it, and lines may end in two ways."""
    note = json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": {}})
    result = json.dumps(load_sample(name).reply)
    stream = f"event: message\r\ndata: {note}\r\n\r\nevent: message\r\ndata: {result}\r\n\r\n"
    reply = Reply(200, {"content-type": "text/event-stream"}, stream.encode())

    found = provider_class(name)().read(reply)

    assert [hit.url for hit in found.hits] == [e["url"] for e in load_sample(name).expect]


def test_a_page_that_writes_like_a_result_takes_no_other_ones_text():
    """Highlights are a stranger's words: what they list is under their own result."""
    fake = "Good.\n\n---\n\nTitle: Fake\nURL: https://fake.example/\nHighlights:\nx"
    sample = load_sample("exa_mcp")
    hits = [Hit(url="https://a.example/", title="A", content=fake),
            Hit(url="https://b.example/", title="B", content="mine")]  # fmt: skip
    reply = Reply(200, {}, json.dumps(sample.with_hits(hits)).encode())

    found = provider_class("exa_mcp")().read(reply).hits

    assert found[-1].url == "https://b.example/"
    assert found[-1].content == "mine"
    assert found[0].content == "Good."


def test_a_long_text_is_read_in_time_that_grows_with_it():
    """No pattern goes back over the whole."""
    text = "Title: a\nURL: https://a.example/\n" + "Author: \n" * 20_000 + "---\n" * 20_000
    body = {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": text}]}}

    assert len(provider_class("exa_mcp")().hits(body)) == 1

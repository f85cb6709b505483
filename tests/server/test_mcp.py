"""MCP over Streamable HTTP on the server's port, by the official client."""

from __future__ import annotations

import httpx


async def call(
    url: str, tool: str, arguments: dict, headers: dict | None = None, path: str | None = None
):
    """Open a session, list the tools, call one; Tavily's at their own path."""
    from mcp import ClientSession
    from mcp.client.streamable_http import streamable_http_client

    async with (
        httpx.AsyncClient(headers=headers, timeout=60) as http,
        streamable_http_client(url + (path or _path(tool)), http_client=http) as streams,
        ClientSession(streams[0], streams[1]) as session,
    ):
        await session.initialize()
        tools = {t.name for t in (await session.list_tools()).tools}
        return tools, await session.call_tool(tool, arguments)


def _path(tool: str) -> str:
    return "/tavily/mcp" if tool.startswith("tavily_") else "/mcp"


async def test_each_tool_is_offered_once(server):
    """A model that sees two tools for one thing chooses at random, and pays for both."""
    ours, found = await call(server.url, "web_search", {"query": "otters"})
    theirs, done = await call(server.url, "tavily_search", {"query": "otters", "max_results": 2})

    assert ours == {"web_search", "web_extract", "web_context"}
    assert theirs == {
        "tavily_search", "tavily_extract", "tavily_crawl", "tavily_map", "tavily_research",
    }  # fmt: skip
    assert "Title: " in done.content[0].text
    assert [found.is_error, done.is_error] == [False, False]
    assert found.structured_content is done.structured_content is None


async def test_an_argument_that_is_wrong_is_a_result_that_says_so(server):
    """The model reads it and mends its call."""
    _, done = await call(server.url, "tavily_search", {"query": "otters", "topic": "sport"})

    assert done.is_error
    assert "topic is 'sport'" in done.content[0].text


async def test_a_name_that_was_pointed_here_is_refused(server, http):
    """DNS rebinding: without keys only this machine's names count."""
    reply = await http.post(f"{server.url}/mcp", headers={"Host": "evil.example"}, json={})

    assert reply.status_code == 421


async def test_with_keys_any_name_is_its_own_and_pages_of_another_are_foreign(
    server, make_key, http
):
    """The server has checked the name; a page that knows a key is still one of another site."""
    key = {"Authorization": f"Bearer {await make_key(server)}", "Host": "c.example"}
    origins = {"https://c.example": False, "https://a.example": True, "ftp://c.example": True}
    for origin, refused in origins.items():
        reply = await http.post("/mcp", headers={**key, "Origin": origin}, json={})
        assert (reply.status_code == 403) is refused, origin


async def test_a_tool_counts_as_a_search_of_the_key(make_server, make_key):
    """A quota of one search a day allows one call, and no batch of two; listing tools is free."""
    server = await make_server()
    headers = {"Authorization": f"Bearer {await make_key(server, searches_per_day=1)}"}
    other = {"Authorization": f"Bearer {await make_key(server, searches_per_day=1)}"}

    _, first = await call(server.url, "tavily_search", {"query": "otters"}, headers)
    assert not first.is_error
    async with httpx.AsyncClient(headers=headers, timeout=60) as http:
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {}}
        for path in ("/mcp", "/tavily/mcp"):
            refused = await http.post(server.url + path, json=message)
            both = await http.post(server.url + path, json=[message, 5, message], headers=other)
            assert (refused.status_code, both.status_code) == (432, 432)

    assert refused.headers["retry-after"]


async def test_a_tool_spends_the_money_of_its_key(make_server, make_key):
    """As a search over HTTP does: the second is not paid for any more."""
    server = await make_server(cache_enabled=False)
    headers = {"Authorization": f"Bearer {await make_key(server, money_per_month=0.009)}"}

    for tool in ("web_search", "tavily_search"):
        _, done = await call(server.url, tool, {"query": "otters"}, headers)
        if done.is_error:
            break
    else:
        raise AssertionError("two searches cost less than 0.009")

    assert "budget" in done.content[0].text
    rich = {"Authorization": f"Bearer {await make_key(server, money_per_month=1.0)}"}
    _, other = await call(server.url, "web_search", {"query": "otters"}, rich)
    assert not other.is_error

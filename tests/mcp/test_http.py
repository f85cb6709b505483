"""The server over HTTP: the official client, and who is refused."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import AsyncIterator
from itertools import product

import aiohttp
import pytest
from multidict import CIMultiDict

from kensaku.errors import UsageError
from tests.server.test_hostile import request, send

from .servers import ACCEPT, LIST, OTTERS, TOKEN, connect, eras, make_server, sent, served, text_of


@pytest.fixture
async def url(make_client, upstream) -> AsyncIterator[str]:
    upstream.answers("tavily", OTTERS)
    async with served(make_server(client=make_client("tavily"))) as address:
        yield address


@eras
async def test_the_official_client_over_http(url, mode):
    """The same tools, for a client on this machine that does not start the server itself."""
    async with connect(url, mode=mode) as c:
        names = [t.name for t in (await c.list_tools()).tools]
        found = await c.call_tool("web_search", {"query": "otter"})

    assert names == ["web_search", "web_extract", "web_context"]
    assert "1. Otters" in text_of(found)


FOREIGN_HOSTS = [
    "evil.example",
    "evil.example:80",
    "127.0.0.1.evil.example",
    "127.0.0.1@evil.example",
    "localhost/x",
    "localhost:x",
    "localhost:0",
    "localhost:99999",
    "localhost?x",
    "[::2]",
    "[::1",
]
FOREIGN_ORIGINS = [
    "https://evil.example",
    "null",
    "file://",
    "http://127.0.0.1.nip.example",
    "chrome-extension://localhost",
    "http://localhost@evil.example",
]


VERSIONS = ("2025-11-25", "2026-07-28")


async def test_a_foreign_host_is_refused(url):
    """A page whose name was made to point to 127.0.0.1 (DNS rebinding) still says its own name."""
    for host, version in product(FOREIGN_HOSTS, VERSIONS):
        assert (await sent(url, Host=host, MCP_Protocol_Version=version))[0] == 421, host


async def test_a_foreign_origin_is_refused(url):
    """No page in a browser may use the server behind its reader's back."""
    for origin, version in product(FOREIGN_ORIGINS, VERSIONS):
        assert (await sent(url, Origin=origin, MCP_Protocol_Version=version))[0] == 403, origin
    assert (await sent(url, Origin=url.removesuffix("/mcp")))[0] == 200


async def test_a_host_is_the_same_in_any_letters_and_with_a_final_dot(url):
    """Names are compared as DNS compares them; so it is in an origin."""
    for host, version in product(("LOCALHOST", "LocalHost:80", "localhost.:8788"), VERSIONS):
        status, _ = await sent(url, Host=host, MCP_Protocol_Version=version)
        assert status not in (403, 421), host
    assert (await sent(url, Host="LOCALHOST", Origin="http://LOCALHOST"))[0] == 200


async def test_sessions_cannot_be_made_up_and_end_when_they_are_ended(url):
    """Who has a session's id is in it: it must be ours, and long enough."""
    _, headers = await sent(url)
    session = headers["mcp-session-id"]
    uuid, _, seal = session.rpartition("-")

    assert len(seal) * 4 >= 128
    assert (await sent(url, LIST, Mcp_Session_Id=session))[0] == 200
    for forged in ("guess", uuid, f"{uuid}-{'0' * 64}", session[:-1], f"x{session}", "é"):
        assert (await sent(url, LIST, Mcp_Session_Id=forged))[0] == 404
    assert (await sent(url, b"", "DELETE", Mcp_Session_Id=session))[0] == 200
    assert (await sent(url, LIST, Mcp_Session_Id=session))[0] == 404


async def opened(address: str) -> str:
    status, headers = await sent(address)
    assert status == 200
    return headers["mcp-session-id"]


async def lists(address: str, session: str) -> int:
    return (await sent(address, LIST, Mcp_Session_Id=session))[0]


@pytest.mark.usefixtures("volume")
async def test_of_too_many_sessions_the_oldest_idle_one_is_ended(url, caplog):
    """A client that never ends its sessions must not fill the memory; it may begin anew."""
    first, second, *rest = [await opened(url) for _ in range(256)]
    assert await lists(url, first) == 200  # used last: the second is the oldest now

    new = await opened(url)

    assert await lists(url, second) == 404
    assert {await lists(url, session) for session in (first, rest[0], rest[-1], new)} == {200}
    assert "the oldest idle one was ended" in caplog.text


async def test_a_body_over_four_mebibytes_is_refused(url):
    """With a length and without one."""
    big = json.dumps({**LIST, "params": {"x": "y" * (4 << 20)}}).encode()

    async def pieces() -> AsyncIterator[bytes]:
        for at in range(0, len(big), 1 << 16):
            yield big[at : at + (1 << 16)]

    assert (await sent(url, big))[0] == 413
    async with aiohttp.ClientSession() as http:
        try:
            async with http.post(url, data=pieces(), headers=ACCEPT) as reply:
                assert reply.status == 413
        except aiohttp.ClientOSError:
            pass  # it hung up while we were still sending


async def test_there_is_nothing_but_the_one_path(url):
    """No page, no documentation, no debugging."""
    for path in ("/", "/docs", "/mcp/../etc", "/.well-known/oauth-protected-resource"):
        assert (await sent(url.removesuffix("/mcp") + path, b"", "GET"))[0] == 404


BEARERS = ("Bearer", "bearer", "Bearer ")


async def test_a_token_is_asked_for_where_there_is_one(make_client, upstream):
    """Whatever is sent in its place is refused, and never a fault of ours."""
    wrong = ["", "Bearer", "Bearer x", f"Basic {TOKEN}", f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}",
             f"bearer {TOKEN.upper()}", "Bearer é", "Bearer ' OR 1=1 --"]  # fmt: skip
    async with served(make_server(client=make_client("tavily")), token=TOKEN) as url:
        none, headers = await sent(url)
        refused = {(await sent(url, Authorization=w))[0] for w in wrong}
        taken = {(await sent(url, Authorization=f"{word} {TOKEN}"))[0] for word in BEARERS}

    assert none == 401
    assert headers["www-authenticate"] == "Bearer"
    assert refused == {401}
    assert taken == {200}


async def test_other_machines_are_let_in_only_with_a_token(make_client):
    """A server that anybody can use spends its owner's money."""
    from kensaku.mcp.http import serve_http

    server = make_server(client=make_client("tavily"))
    for host in ("0.0.0.0", "::", "192.0.2.7"):
        with pytest.raises(UsageError) as refused:
            await serve_http(server, host, 0)
        assert "KENSAKU_MCP_TOKEN" in str(refused.value)


async def test_a_port_that_is_taken_is_told_in_one_sentence(make_client):
    """The commonest reason for a server not to start."""
    from kensaku.mcp.http import serve_http

    server = make_server(client=make_client("tavily"))
    async with served(server) as url:
        port = int(url.split(":")[2].partition("/")[0])
        with pytest.raises(UsageError) as refused:
            await serve_http(server, "127.0.0.1", port)

    assert (
        refused.value.message
        == f"cannot listen on 127.0.0.1:{port}: {os.strerror(errno.EADDRINUSE)}"
    )


async def test_a_wildcard_bind_answers_only_to_names_it_was_told(make_client, upstream):
    """0.0.0.0 is not a name: without this, any name would do."""
    server = make_server(client=make_client("tavily"))
    options = {"token": TOKEN, "allow_hosts": ["Search.example:80"]}
    async with served(server, "0.0.0.0", **options) as url:
        here = url.replace("0.0.0.0", "127.0.0.1")
        with_token = {"Authorization": f"Bearer {TOKEN}"}
        own, _ = await sent(here, Host="localhost", **with_token)
        named, _ = await sent(here, Host="search.example:443", **with_token)
        foreign, _ = await sent(here, Host="evil.example", **with_token)
        wildcard, _ = await sent(here, Host="0.0.0.0", **with_token)

    assert (own, named, foreign, wildcard) == (200, 200, 421, 421)


async def test_a_refusal_says_why_and_ends_the_connection(make_client):
    """As JSON, also where two headers of one name say different things."""
    bearer = ("Authorization", f"Bearer {TOKEN}")
    async with served(make_server(client=make_client("tavily")), token=TOKEN) as url:
        own = url.removesuffix("/mcp")
        refused = [
            ([("Host", "b.example")], 421, "host"),
            ([("Origin", own), ("Origin", "http://b.example")], 403, "origin"),
            ([bearer, ("Authorization", "Bearer x")], 401, "Bearer"),
        ]
        async with aiohttp.ClientSession() as http:
            for headers, status, error in refused:
                async with http.post(url, json=LIST, headers=CIMultiDict(headers)) as reply:
                    assert reply.status == status
                    assert error in (await reply.json())["error"]
                    assert reply.headers["connection"] == "close"
                    assert ("www-authenticate" in reply.headers) is (status == 401)
        twice = request("POST", "/mcp", [(b"Host", b"127.0.0.1")])  # it has one already
        assert (await send(own, twice))[0] == 421


async def test_a_token_has_sixteen_characters_at_least(make_client):
    """A short one could be guessed."""
    from kensaku.mcp.http import serve_http

    server = make_server(client=make_client("tavily"))
    with pytest.raises(UsageError, match="has 15 characters; it must have at least 16"):
        await serve_http(server, "127.0.0.1", 0, token="x" * 15)
    async with served(server, token="x" * 16) as url:
        assert (await sent(url, Authorization=f"Bearer {'x' * 16}"))[0] == 200
        assert url.endswith("/mcp")

"""Planted secrets: whatever goes wrong, none of them is in a reply, a log, a metric or an error.

`test_observing.py` has the keys of requests that are answered; here something fails.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from functools import partial

import aiohttp
import httpx
import pytest

import kensaku.server
from kensaku import Kensaku
from kensaku.errors import KensakuError
from kensaku.testing import faults

from .logged import Logs, assert_no_secret, logged

PROVIDER_KEY = "tvly-CANARY+p/0123456789=="
BEARER = "CANARY-bearer.0123456789-abcdef"
PASSWORD = "CANARY-password-0123456789"
TOKEN = "CANARY-token-0123456789abcdef"
assert_clean = partial(assert_no_secret, (PROVIDER_KEY, BEARER, PASSWORD, TOKEN))


@pytest.fixture
def logs(level, make_client) -> Iterator[Logs]:
    """What this process logs, as `kensaku serve` logs it."""
    secrets = {"TAVILY_API_KEY": PROVIDER_KEY, "KENSAKU_MCP_TOKEN": TOKEN}
    with logged(make_client("tavily", env=secrets).settings, level) as told:
        yield told


def headers_in(reply: httpx.Response | aiohttp.ClientResponse) -> str:
    return "\n".join(f"{n}: {v}" for n, v in reply.headers.items() if n.lower() != "x-request-id")


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(lambda: faults.hang(), id="timeout"),
        pytest.param(lambda: faults.status(401, f"bad key {PROVIDER_KEY}"), id="401"),
        pytest.param(lambda: faults.status(500, f"key={PROVIDER_KEY}"), id="500"),
    ],
)
async def test_a_provider_that_fails_repeats_no_key(make_server, upstream, logs, fault):
    """It may send our key back; a request that ends by a timeout has it in its headers."""
    env = {"TAVILY_API_KEY": PROVIDER_KEY}
    server = await make_server("tavily", env=env, timeout=0.5)
    upstream.fails("tavily", fault())
    headers = {"Authorization": f"Bearer {BEARER}", "X-Request-Id": BEARER}
    async with aiohttp.ClientSession(server.url, headers=headers) as http:
        async with http.post("/search", json={"query": "otters"}) as reply:
            status, said = reply.status, await reply.text() + headers_in(reply)
        async with http.get("/metrics") as reply:
            metrics = await reply.text()

    assert status >= 429
    assert_clean(said, metrics, logs.text)


@pytest.fixture
async def without_database(make_client) -> AsyncIterator[httpx.AsyncClient]:
    """A server whose database and store refuse connections; their URLs have passwords."""
    client: Kensaku = make_client(
        "tavily",
        env={"TAVILY_API_KEY": PROVIDER_KEY},
        database_url=f"postgresql://kensaku:{PASSWORD}@127.0.0.1:1/kensaku",
        state_url=f"valkey://kensaku:{PASSWORD}@127.0.0.1:1",
    )
    app = kensaku.server.app(client.settings, client=client)
    # As inside of another application, which has no lifespan for it: it opens when it is asked.
    transport = httpx.ASGITransport(app, client=("127.0.0.1", 1))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
        yield http
    await app.state.close()


async def test_the_passwords_of_database_and_store_are_told_to_nobody(without_database, logs):
    """Every endpoint says that it cannot, and none says where."""
    for path in ("/readyz", "/search", "/metrics", "/api/usage", "/mcp", "/"):
        method = "POST" if path in ("/search", "/mcp") else "GET"
        body = {"query": "otters"} if method == "POST" else None
        reply = await without_database.request(method, path, json=body)

        assert reply.status_code == 503, path
        assert_clean(reply.text, headers_in(reply), logs.text)
        assert "127.0.0.1:1" not in reply.text


async def test_a_database_that_knows_another_password_is_not_quoted(make_client, postgresql, logs):
    """PostgreSQL itself repeats the user and the database in its refusals."""
    from psycopg.conninfo import conninfo_to_dict

    parts = conninfo_to_dict(postgresql)
    url = f"postgresql://nobody:{PASSWORD}@/{parts['dbname']}?host={parts['host']}"
    client = make_client("tavily", database_url=url)
    app = kensaku.server.app(client.settings, client=client)
    with pytest.raises(KensakuError) as caught:
        await app.state.start()
    await app.state.close()

    assert_clean(str(caught.value), repr(caught.value), repr(client.settings), logs.text)


async def test_the_token_of_mcp_is_told_to_nobody(make_client, logs):
    """Right or wrong, in the header that is asked for or in another one."""
    from kensaku.mcp.http import http_app
    from kensaku.mcp.server import make_server as make_mcp_server
    from tests.mcp.servers import LIST

    server = make_mcp_server(client=make_client("tavily"))
    app = http_app(server, token=TOKEN)
    transport = httpx.ASGITransport(app)
    async with (
        app.run(),
        httpx.AsyncClient(transport=transport, base_url="http://localhost") as http,
    ):
        sent = [
            {"Authorization": f"Bearer {TOKEN}", "Mcp-Session-Id": TOKEN},
            {"Authorization": f"Bearer x{TOKEN}"},
            {"Authorization": f"Basic {TOKEN}"},
            {"X-API-Key": TOKEN, "Mcp-Session-Id": TOKEN, "X-Request-Id": TOKEN},
        ]
        replies = [await http.post("/mcp", json=LIST, headers=headers) for headers in sent]

    assert [reply.status_code for reply in replies] == [404, 401, 401, 401]
    for reply in replies:
        assert_clean(reply.text, headers_in(reply), logs.text)

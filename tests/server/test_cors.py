"""Pages of other origins: what a browser asks first, what it may then send, and who is refused."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

import kensaku.server
from kensaku.errors import ConfigError, UsageError
from tests.server.page.conftest import chromium as chromium
from tests.server.page.conftest import needs_chromium
from tests.server.page.conftest import open_page as open_page

APP = "https://app.example.com"
PREFLIGHT = {  # as Chromium sends it
    "Origin": APP,
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "authorization,content-type",
    "Sec-Fetch-Mode": "cors",
    "Sec-Fetch-Site": "cross-site",
}
FETCH = """async ([url, key]) => {
    const headers = {"Content-Type": "application/json", Authorization: `Bearer ${key}`};
    const body = JSON.stringify({query: "otters"});
    try {
        const reply = await fetch(url, {method: "POST", headers, body});
        return [reply.status, Boolean(reply.headers.get("x-request-id"))];
    } catch (error) { return [0, false]; }
}"""


def allowed(reply: httpx.Response) -> dict[str, str]:
    prefix = "access-control-allow-"
    return {n.removeprefix(prefix): v for n, v in reply.headers.items() if n.startswith(prefix)}


async def test_a_preflight_is_answered_before_the_key(make_server, make_key):
    """A browser sends none with it. It is told never to send cookies or passwords."""
    server = await make_server(cors_origins=[APP])
    key = await make_key(server)
    async with httpx.AsyncClient(base_url=server.url, timeout=60) as http:
        for path in ("/search", "/agent", "/mcp", "/v1/chat/completions"):
            told = allowed(await http.options(path, headers=PREFLIGHT))
            assert told["origin"] == APP
            assert "POST" in told["methods"]
            assert {"authorization", "content-type"} <= set(told["headers"].lower().split(","))
            assert "credentials" not in told
            other = await http.options(path, headers={**PREFLIGHT, "Origin": "https://b.example"})
            assert (other.status_code, "origin" in allowed(other)) == (400, False)

        for sent, status in (({}, 401), ({"Authorization": f"Bearer {key}"}, 200)):
            headers = {"Origin": APP, "Sec-Fetch-Site": "cross-site", **sent}
            reply = await http.post("/search", json={"query": "otters"}, headers=headers)
            assert (reply.status_code, allowed(reply)) == (status, {"origin": APP})
        missing = await http.get("/nothing", headers={"Origin": APP})
        assert allowed(missing) == {"origin": APP}


async def test_it_is_off_by_default(http):
    """Nobody is let in by a server that was not told to."""
    for path in ("/search", "/mcp", "/api/search", "/healthz", "/"):
        for method in ("OPTIONS", "GET", "POST"):
            reply = await http.request(method, path, headers=PREFLIGHT)
            assert not [name for name in reply.headers if name.startswith("access-control-")]


async def test_without_keys_an_origin_is_let_in_by_its_name_alone(make_server, make_client):
    """Any page could search with this machine's browser otherwise."""
    server = await make_server(cors_origins=[APP])
    async with httpx.AsyncClient(base_url=server.url, timeout=60) as http:
        for origin, status in ((APP, 200), ("https://b.example", 403), ("null", 403)):
            sent = {"Origin": origin, "Sec-Fetch-Site": "cross-site"}
            reply = await http.post("/search", json={"query": "otters"}, headers=sent)
            assert reply.status_code == status, origin
    client = make_client(cors_origins="*")
    app = kensaku.server.app(client.settings, client=client)
    with pytest.raises(UsageError, match="keys create"):
        await app.state.start()
    await app.state.close()


@pytest.mark.parametrize(
    "wrong", ["app.example.com", f"{APP}/", "file://x/y", "https://*.b.example"]
)
def test_what_is_no_origin_is_refused(make_client, wrong):
    """It would never match, and nobody would know why."""
    with pytest.raises(ConfigError, match="https://app"):
        make_client(cors_origins=wrong)


async def test_mcp_is_open_to_an_origin_that_is_welcome(make_server):
    """Its own server refuses foreign origins."""
    server = await make_server(cors_origins=[APP])
    call: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    accept = {"Accept": "application/json, text/event-stream"}
    async with httpx.AsyncClient(base_url=server.url, timeout=60) as http:
        for origin, refused in ((APP, False), ("https://b.example", True)):
            reply = await http.post("/mcp", json=call, headers={"Origin": origin, **accept})
            assert (reply.status_code == 403) is refused


@needs_chromium
async def test_a_page_of_another_origin_searches_in_a_browser(make_server, make_key, open_page):
    """The page of one server asks another one, with a key in a header."""
    home = await make_server()
    page = await open_page(f"{home.url}/docs", silent=False, bypass_csp=True)
    for origins, expected in (([home.url], [200, True]), ([], [0, False])):
        server = await make_server(cors_origins=origins)
        key = await make_key(server)
        assert await page.evaluate(FETCH, [f"{server.url}/search", key]) == expected

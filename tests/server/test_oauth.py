"""OAuth at the MCP paths: the official client's own flow, with a scripted browser."""

from __future__ import annotations

import asyncio
import json
import logging
import re

import httpx
import pytest

from kensaku.database.keys import find_key, revoke_key

from .oauth_client import CHALLENGE, REDIRECT, VERIFIER, Browser, Tokens, call


@pytest.fixture
async def public(make_server, make_key):
    """A server with an address, and a key of it."""
    server = await make_server(is_public=True)
    return server, await make_key(server, tenant="acme", searches_per_day=2)


@pytest.fixture
async def http(public):
    """A client of it."""
    async with httpx.AsyncClient(base_url=public[0].url, timeout=60) as client:
        yield client


async def register(http, *redirects: str) -> httpx.Response:
    """Register a program that people are sent back to."""
    return await http.post("/oauth/register", json={"redirect_uris": redirects or (REDIRECT,)})


def request_of(client, **changed):
    """The query with which a program asks for a code."""
    query = {
        "client_id": client, "redirect_uri": REDIRECT, "response_type": "code",
        "code_challenge": CHALLENGE, "code_challenge_method": "S256",
    }  # fmt: skip
    return query | changed


async def obtain(server, key, path="/mcp", decision="allow"):
    """Go through the flow by hand; return the client's id and what it was sent."""
    async with httpx.AsyncClient(base_url=server.url, timeout=60) as http:
        client = (await register(http)).json()["client_id"]
        query = request_of(client, state="s t", resource=server.url + path)
        url = str(httpx.URL(f"{server.url}/oauth/authorize", params=query))
        browser = Browser(key, decision)
        await browser.visit(url)
        return client, browser.sent


async def redeem(server, client, code, /, **changed):
    """Ask for tokens."""
    fields = {
        "grant_type": "authorization_code", "client_id": client, "code": code,
        "redirect_uri": REDIRECT, "code_verifier": VERIFIER,
    }  # fmt: skip
    async with httpx.AsyncClient(base_url=server.url, timeout=60) as http:
        return await http.post("/oauth/token", data=fields | changed)


async def status(server, token, path="/mcp"):
    """Whether a token is taken: 401 when it is not."""
    async with httpx.AsyncClient(base_url=server.url, timeout=60) as http:
        sent = {"Authorization": f"Bearer {token}"}
        return (await http.post(path, json={}, headers=sent)).status_code


async def refresh(server, client, token):
    """Ask for the next tokens."""
    fields = {"grant_type": "refresh_token", "client_id": client, "refresh_token": token}
    async with httpx.AsyncClient(base_url=server.url, timeout=60) as http:
        return await http.post("/oauth/token", data=fields)


async def test_the_official_client_connects_by_itself(public, caplog):
    """It finds the metadata by the 401, registers, sends a person to the page, and searches."""
    caplog.set_level(logging.INFO)
    (server, key), kept = public, Tokens()
    browser = Browser(key)

    done = await call(f"{server.url}/connector/mcp", browser, kept, "search", {"query": "otters"})

    assert not done.is_error
    assert "Chat &lt;b&gt;GPT" in browser.page
    assert "chatgpt.example" in browser.page
    secrets = [key, browser.sent["code"], kept.tokens.access_token, kept.tokens.refresh_token]
    assert not [secret for secret in secrets if secret in caplog.text]


async def test_a_server_says_where_tokens_are_to_be_had(public, http):
    """RFC 9728 and RFC 8414; the addresses are those that the operator named."""
    server, _ = public
    for path in ("/mcp", "/tavily/mcp", "/connector/mcp"):
        refused = await http.post(path, json={})
        where = f"{server.url}/.well-known/oauth-protected-resource{path}"
        assert refused.status_code == 401
        assert refused.headers["www-authenticate"] == f'Bearer resource_metadata="{where}"'
        resource = (await http.get(where)).json()
        assert resource["resource"] == server.url + path
        assert resource["authorization_servers"] == [server.url]
    told = (await http.get("/.well-known/oauth-authorization-server")).json()

    assert told["issuer"] == server.url
    assert told["code_challenge_methods_supported"] == ["S256"]


@pytest.mark.parametrize("is_public", [True, False])
async def test_without_keys_or_an_address_there_is_no_oauth(make_server, make_key, is_public):
    """Nothing is offered that would not work; the 401 is the one of before."""
    server = await make_server(is_public=is_public)
    if not is_public:
        await make_key(server)
    async with httpx.AsyncClient(base_url=server.url, timeout=60) as http:
        for path in ("/.well-known/oauth-authorization-server", "/oauth/authorize"):
            assert (await http.get(path)).status_code == 404
        registered = await register(http)
        asked = await http.post("/mcp", json={})

    assert registered.status_code == 404
    assert asked.headers.get("www-authenticate") in (None, "Bearer")


async def test_a_token_is_for_its_path_and_ends_with_its_key(public):
    """It is no key: other surfaces do not take it."""
    server, key = public
    client, sent = await obtain(server, key)
    tokens = (await redeem(server, client, sent["code"])).json()
    token = tokens["access_token"]

    assert sent["state"] == "s t"
    assert await status(server, token) != 401
    assert await status(server, token, "/connector/mcp") == 401
    assert await status(server, token, "/search") == 401
    another = token[:-1] + ("B" if token.endswith("A") else "A")
    assert await status(server, another) == 401

    found = await find_key(server.state.database, key)
    await revoke_key(server.state.database, found.id)
    async with asyncio.timeout(60):
        while await status(server, token) != 401:
            pass  # the server looks again within a second
    assert (await refresh(server, client, tokens["refresh_token"])).status_code == 400


async def test_a_token_has_the_quota_of_its_key(public, http):
    """Two searches a day, whichever way they come."""
    server, key = public
    client, sent = await obtain(server, key)
    token = (await redeem(server, client, sent["code"])).json()["access_token"]
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {}}
    replies = [
        (
            await http.post("/mcp", json=message, headers={"Authorization": f"Bearer {t}"})
        ).status_code
        for t in (key, token, token)
    ]

    assert replies[2] == 432
    assert 432 not in replies[:2]


async def test_a_code_that_is_used_twice_ends_what_came_of_it(public):
    """One of the two who had it was a thief."""
    server, key = public
    client, sent = await obtain(server, key)
    first = await redeem(server, client, sent["code"])
    again = await redeem(server, client, sent["code"])

    assert (first.status_code, again.status_code) == (200, 400)
    assert again.json()["error"] == "invalid_grant"
    assert await status(server, first.json()["access_token"]) == 401


@pytest.mark.parametrize(
    "changed",
    [
        {"code_verifier": "w" * 50},
        {"redirect_uri": "https://chatgpt.example/other"},
        {"client_id": "another"},
        {"code": "another"},
    ],
)
async def test_a_code_is_for_who_asked_for_it(public, changed):
    """Another verifier, address or client gets no token."""
    server, key = public
    client, sent = await obtain(server, key)

    refused = await redeem(server, client, sent["code"], **changed)

    assert refused.status_code in (400, 401)
    assert "access_token" not in refused.json()


async def test_a_refresh_token_is_used_once(public):
    """Each brings the next; an old one that comes again ends them all."""
    server, key = public
    client, sent = await obtain(server, key)
    first = (await redeem(server, client, sent["code"])).json()
    second = (await refresh(server, client, first["refresh_token"])).json()
    assert await status(server, second["access_token"]) != 401

    replayed = await refresh(server, client, first["refresh_token"])

    assert replayed.json()["error"] == "invalid_grant"
    assert await status(server, second["access_token"]) == 401
    assert (await refresh(server, client, second["refresh_token"])).status_code == 400


async def test_a_revoked_token_is_refused(public, http):
    """With the refresh token that came with it."""
    server, key = public
    client, sent = await obtain(server, key)
    tokens = (await redeem(server, client, sent["code"])).json()
    fields = {"token": tokens["access_token"], "client_id": client}
    revoked = await http.post("/oauth/revoke", data=fields)

    assert revoked.status_code == 200
    assert await status(server, tokens["access_token"]) == 401
    assert (await refresh(server, client, tokens["refresh_token"])).status_code == 400


async def test_a_person_may_refuse(public):
    """The program learns that, and nothing else."""
    server, key = public
    _, sent = await obtain(server, key, decision="refuse")

    assert sent == {"error": "access_denied", "state": "s t", "iss": server.url}


async def test_a_wrong_key_gives_nothing_and_a_decision_counts_once(public, http):
    """The page asks again; a request that was answered, or never made, is refused in words."""
    server, key = public
    client = (await register(http)).json()["client_id"]
    query = {"client_id": client, "response_type": "code", "code_challenge": CHALLENGE}
    page = (await http.get("/oauth/authorize", params=query, follow_redirects=True)).text
    fields = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page))
    statuses = []
    for sent in ("ksk_" + "x" * 32, key, key):
        fields |= {"key": sent, "decision": "allow"}
        done = await http.post("/oauth/consent", data=fields, headers={"Origin": server.url})
        statuses.append(done.status_code)
    evil = {"Origin": "https://evil.example"}
    forged = await http.post("/oauth/consent", data=fields, headers=evil)
    none = await http.get("/oauth/consent?request=none")

    assert statuses == [401, 303, 400]
    assert forged.status_code == 403
    assert none.status_code == 400
    assert "expired" in none.text


async def asked_with(server, client, redirect=REDIRECT):
    """Ask for a code with this client id; return where the person is sent, or the status."""
    async with httpx.AsyncClient(base_url=server.url, timeout=60) as http:
        query = request_of(client, redirect_uri=redirect)
        reply = await http.get("/oauth/authorize", params=query)
        return reply.headers.get("location", reply.status_code)


async def test_a_program_may_describe_itself_by_a_document(make_server, make_key, upstream):
    """Its id is the address of the document: it need not be registered (a draft of the IETF)."""
    server = await make_server(is_public=True, fetch_allow=("127.0.0.1",), fetch_ports="any")
    key = await make_key(server)
    id = f"{upstream.url}/client.json"
    document = {"client_id": id, "client_name": "Notes", "redirect_uris": [REDIRECT]}
    upstream.serves("/client.json", json.dumps(document), "application/json")
    browser = Browser(key)

    await browser.visit(await asked_with(server, id))
    tokens = await redeem(server, id, browser.sent["code"])

    assert "Notes" in browser.page
    assert browser.sent["iss"] == server.url
    assert await status(server, tokens.json()["access_token"]) != 401
    assert await asked_with(server, id, "https://evil.example/") == 400


@pytest.mark.parametrize(
    "changed",
    [
        {"client_id": "https://other.example/client.json"},
        {"redirect_uris": ["http://evil.example/"]},
        {"client_secret": "s"},
        {"client_name": "x" * 10_000},
    ],
)
async def test_a_document_that_does_not_fit_describes_nobody(
    make_server, make_key, upstream, changed
):
    """It must name its own address, and be small; a secret in public is none."""
    server = await make_server(is_public=True, fetch_allow=("127.0.0.1",), fetch_ports="any")
    await make_key(server)
    id = f"{upstream.url}/client.json"
    document = {"client_id": id, "client_name": "Notes", "redirect_uris": [REDIRECT], **changed}
    upstream.serves("/client.json", json.dumps(document), "application/json")
    assert await asked_with(server, id) == 400


async def test_a_document_inside_the_network_is_not_read(public, upstream):
    """A stranger names the address: it passes the guard of every page."""
    server, _ = public
    upstream.serves("/client.json", "{}", "application/json")
    assert await asked_with(server, f"{upstream.url}/client.json") == 400
    assert not [r for r in upstream.requests if "client.json" in str(r)]


@pytest.mark.parametrize(
    "uri",
    ["http://evil.example/", "javascript:alert(1)", "https://a.example/#f", "data:text/html,x"],
)
async def test_a_code_is_sent_nowhere_unsafe(http, uri):
    """In the clear, or to a script."""
    assert (await register(http, uri)).status_code == 400


@pytest.mark.parametrize(
    "changed",
    [
        {"redirect_uri": f"{REDIRECT}/more"},
        {"code_challenge_method": "plain"},
        {"code_challenge": "short"},
        {"client_id": "unknown"},
        {"resource": "https://other.example/mcp"},
    ],
)
async def test_a_request_that_is_not_as_registered_reaches_no_person(http, changed):
    """Another address, no PKCE, another server's resource."""
    client = (await register(http)).json()["client_id"]
    refused = await http.get("/oauth/authorize", params=request_of(client, **changed))

    where = refused.headers.get("location", "")
    assert refused.status_code == 400 or "error=" in where
    assert "/oauth/consent" not in where
    assert "redirect_uri" not in changed or not where


async def test_the_store_holds_no_token(public):
    """Who reads it can use nothing of it."""
    server, key = public
    client, sent = await obtain(server, key)
    tokens = (await redeem(server, client, sent["code"])).json()
    home = server.client.settings.home

    held = b"".join(f.read_bytes() for f in home.rglob("*") if f.is_file())

    for secret in (key, sent["code"], tokens["access_token"], tokens["refresh_token"]):
        assert secret.encode() not in held

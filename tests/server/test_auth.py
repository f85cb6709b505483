"""Who asks: where a request may bring its key, which of several counts, and who it then is."""

from __future__ import annotations

import asyncio
import base64
import urllib.request
from typing import Any

import pytest

from kensaku.database.keys import create_key
from kensaku.server.auth import ANYONE, NOBODY, secrets_in
from kensaku.server.token import FILE

from .page_client import browsing, link_of

BAD = "ksk_" + "x" * 32


def _basic(name: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()


async def test_a_key_comes_in_a_header_or_in_the_body(server, make_key, http):
    """As each vendor's clients send it; the bearer counts first, then a header, then the body."""
    key = await make_key(server)
    taken: list[tuple[dict[str, str], dict[str, Any]]] = [
        ({"Authorization": f"Bearer {key}"}, {}),
        ({"Authorization": f"bEARER  {key}"}, {}),
        ({"Authorization": _basic("", key)}, {}),
        ({"Authorization": _basic("anybody", key).replace("Basic", "bASIC ")}, {}),
        ({"Authorization": _basic("anybody", key), "X-API-Key": BAD}, {"api_key": BAD}),
        ({"X-API-Key": key}, {}),
        ({"X-Subscription-Token": key}, {}),
        ({}, {"api_key": key}),
        ({"Authorization": "Basic x"}, {"api_key": key}),
        ({"Authorization": "Bearer"}, {"api_key": key}),
        ({"Authorization": f"Bearer {key}", "X-API-Key": BAD}, {"api_key": BAD}),
        ({"X-API-Key": "", "X-Subscription-Token": key}, {"api_key": BAD}),
        ({"X-API-Key": key}, {"api_key": BAD}),
    ]
    refused: list[tuple[dict[str, str], dict[str, Any]]] = [
        ({}, {}),
        ({"Authorization": key}, {}),
        ({"Authorization": f"Basic {key}"}, {}),
        ({"Authorization": _basic(key, "")}, {}),
        ({"Authorization": _basic("anybody", key).replace("Basic ", "Basic !")}, {}),
        ({"Authorization": _basic("anybody", BAD)}, {}),
        ({"Authorization": _basic("\xff", key)[:-2]}, {}),
        ({"Authorization": f"Bearer {BAD}", "X-API-Key": key}, {"api_key": key}),
        ({"X-API-Key": BAD}, {"api_key": key}),
        ({"X-API-Key": BAD, "X-Subscription-Token": key}, {}),
        ({}, {"api_key": 5}),
        ({}, {"api_key": [key]}),
    ]

    for sent, status in [(s, 200) for s in taken] + [(s, 401) for s in refused]:
        headers, fields = sent
        reply = await http.post("/search", headers=headers, json={"query": "otters", **fields})
        assert reply.status_code == status, sent
        if status == 401:
            told = {"detail": {"error": "Unauthorized: missing or invalid API key."}}
            assert reply.json() == told
            assert reply.headers["www-authenticate"] == "Bearer"


KEY = "k-0123"


@pytest.mark.parametrize(
    ("headers", "params", "body"),
    [
        ({"authorization": f"Bearer {KEY}"}, {}, {}),
        ({"authorization": KEY}, {}, {}),
        ({"authorization": _basic("anybody", KEY)}, {}, {}),
        ({"x-api-key": KEY, "authorization": "Bearer another"}, {}, {}),
        ({"x-subscription-token": KEY}, {}, {}),
        ({}, {"api_key": KEY}, {}),
        ({}, {"token": KEY}, {}),
        ({}, {}, {"api_key": KEY}),
    ],
)
def test_whatever_was_brought_as_a_key_is_known_to_the_redaction(headers, params, body):
    """Wherever it stood, and whether it counted; and nothing empty, which is in every text."""
    secrets = secrets_in(headers, params, body)

    assert KEY in secrets
    assert "" not in secrets


def test_a_user_name_that_may_be_a_key_is_known_to_the_redaction():
    """Some send it there; a short one is a name."""
    for name, kept in (("k-012345", True), ("anybody", False)):
        assert (name in secrets_in({"authorization": _basic(name, "")}, {}, {})) is kept
    assert secrets_in({}, {}, {}) == ()


async def test_a_key_is_taken_from_an_address_where_clients_can_do_no_other(server, make_key, http):
    """gpt-researcher's retriever has its arguments there; Vane's `fetch` takes no other key."""
    key = await make_key(server)
    for path, status in (
        (f"/gpt-researcher?query=otters&api_key={key}", 200),
        (f"/gpt-researcher/?api_key={BAD}&query=otters", 401),
        (f"/searxng?format=json&api_key={key}&path=/search?format=json&q=otters", 200),
        (f"/searxng/search?q=otters&format=json&api_key={BAD}", 401),
        (f"/brave/res/v1/web/search?q=otters&api_key={key}", 401),
        (f"/openwebui/search?api_key={key}", 401),
    ):
        method = "POST" if "openwebui" in path else "GET"
        assert (await http.request(method, path)).status_code == status, path


async def test_jinas_clients_may_leave_out_the_scheme(server, make_key, http):
    """Open WebUI sends Jina's key as it is; elsewhere such a header is no key."""
    key = await make_key(server)
    for path, sent, status in (
        ("/jina/s/?q=otters", key, 200),
        ("/jina/s/?q=otters", f"Bearer {key}", 200),
        ("/jina/s/?q=otters", _basic("anybody", key), 200),
        ("/jina/s/?q=otters", BAD, 401),
        ("/searxng/search?q=otters&format=json", key, 401),
    ):
        reply = await http.get(path, headers={"Authorization": sent})
        assert reply.status_code == status, (path, sent)


async def test_a_client_that_waits_to_be_asked_for_basic_is_asked(server, make_key):
    """urllib sends a password only then. A browser would ask its reader, which is SearXNG's way."""
    key = await make_key(server)
    passwords = urllib.request.HTTPPasswordMgrWithDefaultRealm()
    passwords.add_password(None, server.url, "anybody", key)
    opener = urllib.request.build_opener(urllib.request.HTTPBasicAuthHandler(passwords))

    def read() -> bytes:
        with opener.open(f"{server.url}/searxng/search?q=otters&format=json") as reply:
            return bytes(reply.read())

    assert b'"results"' in await asyncio.to_thread(read)


@pytest.mark.parametrize(
    "sent", [{"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}]
)
async def test_a_password_that_a_browser_adds_for_another_site_does_not_count(
    server, make_key, http, sent
):
    """A browser that knows it sends it with every request, whoever makes it ask."""
    basic = {"Authorization": _basic("anybody", await make_key(server, admin=True))}

    for method, path in (("GET", "/search?q=otters"), ("POST", "/search"), ("GET", "/api/keys")):
        reply = await http.request(method, path, headers={**basic, **sent})
        assert reply.status_code == 401, path
        assert "Basic" not in reply.headers.get("www-authenticate", "") or path[:8] == "/search?"


async def test_a_change_of_the_page_by_basic_needs_the_token_of_the_page(server, make_key, http):
    """As with a cookie: the browser adds both. Reading needs none."""
    basic = {"Authorization": _basic("anybody", await make_key(server, admin=True))}

    assert (await http.get("/api/keys", headers=basic)).status_code == 200
    made = await http.post("/api/keys", json={"name": "mine"}, headers=basic)
    assert made.status_code == 403


async def test_while_there_is_no_key_anyone_on_the_machine_may_search(server, http):
    """With any key or none; what is for admins needs the token, whatever else was sent."""
    for headers in ({}, {"Authorization": "Bearer whatever"}, {"X-API-Key": "whatever"}):
        found = await http.post("/search", json={"query": "otters"}, headers=headers)
        assert found.status_code == 200
        for path in ("/metrics", "/api/keys"):
            assert (await http.get(path, headers=headers)).status_code == 403
            owned = await http.get(path, headers={**headers, **server.owner})
            assert owned.status_code == 200


def test_who_is_not_known_is_no_admin():
    """Of no tenant, and of no key."""
    for unknown in (ANYONE, NOBODY):
        assert (unknown.admin, unknown.tenant, unknown.key_id) == (False, "", "")


async def test_the_token_opens_nothing_once_there_are_keys(server, make_key, http):
    """Nor does a session that it began."""
    async with browsing(server.url) as owner:
        await owner.get("/page/usage")
        assert owner.status == 200
        await make_key(server)

        await owner.get("/page/usage")
        assert owner.status == 401
        assert (await http.get("/metrics", headers=server.owner)).status_code == 401
        async with owner.http.get(link_of(server.url)) as reply:
            assert reply.status == 401


async def test_the_token_is_its_owners_alone_and_stays(make_server, machine):
    """Servers of one home have one; a file that others could read is replaced."""
    first, second = await make_server(), await make_server()
    assert first.state.token == second.state.token
    file = machine / FILE
    assert file.stat().st_mode & 0o777 == 0o600

    file.chmod(0o644)
    third = await make_server()
    assert third.state.token != first.state.token
    assert file.stat().st_mode & 0o777 == 0o600


async def test_a_key_says_who_asks(server, make_key, http):
    """Its tenant, which sees its own requests alone, and whether it is an admin's."""
    keys = {
        name: await make_key(server, name, tenant=tenant, admin=admin)
        for name, tenant, admin in (("ann", "t1", False), ("ben", "t2", False), ("eve", "t1", True))
    }
    statuses = {
        name: (await http.get("/metrics", headers={"X-API-Key": key})).status_code
        for name, key in keys.items()
    }
    assert statuses == {"ann": 403, "ben": 403, "eve": 200}

    begun = await http.post(
        "/api/chat", json={"text": "otters?"}, headers={"X-API-Key": keys["ann"]}
    )
    listed = {
        name: (await http.get("/api/chat", headers={"X-API-Key": key})).json()["conversations"]
        for name, key in keys.items()
    }
    assert [c["id"] for c in listed["ann"]] == [begun.json()["id"]]
    assert listed["ben"] == listed["eve"] == []  # of another tenant, and of another person


async def test_a_first_key_is_needed_at_once_where_it_was_created(server, http):
    """Whoever creates one expects that the door is shut."""
    await create_key(server.state.database, "agent")
    server.state.keys.require()

    assert (await http.post("/search", json={"query": "otters"})).status_code == 401

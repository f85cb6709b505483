"""Who looks at the page: sessions in cookies, tokens of changes, requests of other sites."""

from __future__ import annotations

import re

import aiohttp

from tests.server.page_client import PageClient, browsing, until

OTHER = "http://evil.example"
CHANGE = "/api/providers/tavily/reset"


async def change(page: PageClient, **headers: str) -> int:
    """The status of a change with these headers, and the cookies of the browser."""
    async with page.http.post(page.url + CHANGE, headers=headers) as reply:
        return reply.status


async def test_a_change_comes_from_the_page_itself(page):
    """A browser always says who sent it; the token alone is not enough."""
    token = {"X-Kensaku-Token": (await page.headers())["X-Kensaku-Token"]}
    own, bare = page.url, page.url.rpartition(":")[0]
    allowed = [
        {"Origin": own},
        {"Origin": own, "Sec-Fetch-Site": "same-origin"},
        {"Origin": "null", "Sec-Fetch-Site": "same-origin"},  # it sends no referrer
    ]
    refused = [
        {},
        {"Origin": "null"},
        {"Origin": "null", "Sec-Fetch-Site": "cross-site"},
        {"Origin": own, "Sec-Fetch-Site": "same-site"},
        {"Origin": own, "Sec-Fetch-Site": "none"},
        {"Sec-Fetch-Site": "same-origin"},
        {"Origin": bare},  # another port
        {"Origin": OTHER},
        {"Origin": "http://[broken"},
    ]

    for status, ways in ((200, allowed), (403, refused)):
        for headers in ways:
            assert await change(page, **token, **headers) == status, headers


async def test_a_change_needs_the_token_of_its_session(server):
    """Nobody else's, and none that is made up."""
    async with browsing(server.url) as page, browsing(server.url) as other:
        own = (await page.headers())["X-Kensaku-Token"]
        theirs = (await other.headers())["X-Kensaku-Token"]

        for wrong in ("", theirs, own[:-1], own + "x", "é"):
            sent = {"X-Kensaku-Token": wrong, "Origin": page.url}
            assert await change(page, **sent) == 403, wrong
        assert await change(page, **{"X-Kensaku-Token": own, "Origin": page.url}) == 200


async def test_a_program_with_a_key_needs_no_token(server, make_key):
    """No browser adds its header; a key that is not known helps nobody."""
    secret = await make_key(server, "root", admin=True)
    async with browsing(server.url) as page:
        assert await change(page, Authorization=f"Bearer {secret}") == 200
        assert await change(page, Authorization="Bearer ksk_unknown") == 401


async def test_another_site_makes_no_browser_search(page, upstream):
    """Nor does one of the same domain; what was typed, or linked here, is searched."""
    addresses = ("/?q=otters", "/page/compare?q=otters&route=tavily&route=brave")
    for site in ("cross-site", "same-site"):
        for address in addresses:
            shown = await page.get(address, **{"Sec-Fetch-Site": site})
            assert 'value="otters"' in shown
    assert upstream.requests == []

    for n, site in enumerate(("none", "same-origin"), 1):
        await page.get(f"/?q=otters+{site}", **{"Sec-Fetch-Site": site})
        assert len(upstream.requests) == n


async def test_signing_in_begins_another_session_and_signing_out_ends_it(server, make_key):
    """Who knew the cookie of before gains nothing, and who kept the old one neither."""
    secret = await make_key(server, "bob")
    async with browsing(server.url) as page:
        await page.get("/page/usage")
        before = session_of(page)
        await page.sign_in(secret)
        signed_in = session_of(page)
        assert before != signed_in

        assert await seen_with(page.url, before) == 401
        assert await seen_with(page.url, signed_in) == 200
        form = {"token": (await page.headers())["X-Kensaku-Token"]}
        head = {"Origin": page.url}
        async with page.http.post(f"{page.url}/page/sign-out", data=form, headers=head):
            pass
        assert await seen_with(page.url, signed_in) == 401


async def test_a_session_that_was_made_up_is_nobodys(server, make_key):
    """One that cannot be ours is replaced, also when the cookies cannot be read."""
    await make_key(server, "bob")
    async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as http:
        for made_up in ("", "short", "x" * 44, "x" * 42 + ".", "x" * 43):
            cookie = {"Cookie": f"kensaku_session={made_up}"} if made_up else {"Cookie": "[;,=\\"}
            async with http.get(f"{server.url}/page/usage", headers=cookie) as reply:
                assert reply.status == 401
                new = reply.headers.get("Set-Cookie", "")
            if made_up == "x" * 43:
                assert new == ""
            else:
                assert re.match(r"kensaku_session=[\w-]{43};", new), made_up


async def test_the_store_knows_neither_the_cookie_nor_the_key(make_server, make_key, machine):
    """Who reads its file can sign in as nobody; another process knows the session."""
    servers = [await make_server("tavily", state_url="") for _ in "12"]
    secret = await make_key(servers[0], "bob")
    async with browsing(servers[0].url) as page:
        await page.sign_in(secret)
        session = session_of(page)
        assert await seen_with(servers[1].url, session) == 200

    files = {file.name: file.read_bytes() for file in machine.rglob("*") if file.is_file()}
    assert any(b"session:" in held for held in files.values())
    for name, held in files.items():
        assert session.encode() not in held, name
        assert secret.encode() not in held, name


async def test_a_revoked_key_ends_its_sessions(server, make_key):
    """Within a second, in every process."""
    root = {"Authorization": f"Bearer {await make_key(server, 'root', admin=True)}"}
    secret = await make_key(server, "bob")
    async with browsing(server.url) as page, browsing(server.url) as admin:
        await page.sign_in(secret)
        session = session_of(page)
        assert await seen_with(page.url, session) == 200
        listed = await admin.call("GET", "/api/keys", **root)
        (bob,) = [key for key in listed["keys"] if key["name"] == "bob"]
        await admin.call("DELETE", f"/api/keys/{bob['id']}", **root)

        await until(lambda: seen_with(page.url, session), lambda status: status == 401)


def session_of(page: PageClient) -> str:
    """The session in the browser's cookie."""
    return next(c.value for c in page.http.cookie_jar if c.key == "kensaku_session")


async def seen_with(url: str, session: str) -> int:
    """The status of a page that needs a key, for who has this cookie and nothing else."""
    async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as http:
        head = {"Cookie": f"kensaku_session={session}"}
        async with http.get(f"{url}/page/usage", headers=head) as reply:
            return reply.status

"""The views beside Search: what they show, to whom, and what their calls do."""

from __future__ import annotations

from kensaku.database.keys import create_key
from kensaku.models import Document, Hit
from kensaku.testing import faults
from tests.server.page_client import browsing


async def test_providers_are_shown_with_their_state_and_never_a_key(make_server, upstream):
    """Also to programs: `/api/providers`."""
    upstream.fails("brave", faults.status(401))
    server = await make_server("brave", "tavily", env={"BRAVE_API_KEY": "brave-canary-0123456789"})
    await server.client.search("otters")

    async with browsing(server.url) as page:
        html = await page.get("/page/providers")
        listed = await page.call("GET", "/api/providers")

    assert "its key was refused" in html
    assert "Brave Search" in html
    assert "canary" not in html + str(listed)
    (brave,) = [p for p in listed["providers"] if p["name"] == "brave"]
    assert brave["keys"] == 1


async def test_a_cooldown_is_ended_by_a_button(make_server, upstream):
    """Somebody has mended the key."""
    upstream.fails("brave", faults.status(401), times=1)
    server = await make_server("brave")
    await server.client.search("otters")

    async with browsing(server.url) as page:
        done = await page.call("POST", "/api/providers/brave/reset")

    assert done["state"] == "ready"


async def test_a_file_is_indexed_listed_found_and_deleted(make_server):
    """The whole life of a document, by the calls of the page."""
    server = await make_server("local")
    async with browsing(server.url) as page:
        path = "/api/collections/notes/files?name=otters%20%26%20rivers.md"
        added = await page.call("POST", path, b"# Otters\n\nOtters hold hands while they sleep.")
        shown = await page.get("/page/collections?name=notes")
        found = await page.get("/?q=otters+sleep&collection=notes")
        gone = await page.call(
            "DELETE",
            "/api/collections/notes/documents",
            {"url": "upload:///otters%20%26%20rivers.md"},
        )
        await page.call("DELETE", "/api/collections/notes")
        empty = await page.get("/page/collections")

    assert added["result"] == "added"
    assert "1 document" in shown
    assert "Otters" in shown
    assert "hold hands" in found
    assert gone == {"deleted": 1}
    assert "No collection yet" in empty


async def test_a_file_without_text_is_refused_with_a_reason(make_server):
    """Binary rubbish is no document."""
    server = await make_server("local")
    async with browsing(server.url) as page:
        said = await page.call(
            "POST", "/api/collections/notes/files?name=a.bin", b"\x00\x01\x02" * 99
        )

        assert page.status == 502
        assert said["error"]["message"]


async def test_a_document_of_the_index_is_read_in_the_page(make_server):
    """Its address may be none that can be fetched."""
    server = await make_server("local")
    text = "# Otters\n\n<script>alert(1)</script> [x](javascript:alert(1)) **romp**"
    await server.client.index.add([Document("file:///notes/otters.md", "Otters", text)], "notes")

    async with browsing(server.url) as page:
        read = await page.call(
            "POST", "/api/pages", {"url": "file:///notes/otters.md", "q": "otters"}
        )

    assert "<strong>romp</strong>" in read["html"]
    assert "<script" not in read["html"]
    assert "href" not in read["html"]


async def test_the_first_key_is_an_admins_and_signs_this_browser_in(make_server):
    """Who makes it must not be locked out; everybody else is asked for a key."""
    server = await make_server("tavily")
    async with browsing(server.url) as page, browsing(server.url) as other:
        made = await page.call("POST", "/api/keys", {"name": "alice"})
        server.state.keys._required = (True, 0.0)  # what a second of waiting brings
        keys = await page.get("/page/keys")
        stranger = await other.get("/page/keys")

    assert made["key"].startswith("ksk_")
    assert made["admin"]
    assert made["key"] not in keys
    assert "alice" in keys
    assert other.status == 401
    assert "Sign in" in stranger
    assert "alice" not in stranger


async def test_a_key_signs_in_and_is_not_in_the_cookie(make_server):
    """The cookie is a random session, and ends with the key."""
    server = await make_server("tavily")
    _, secret = await create_key(server.state.database, "bob", tenant="t1")
    async with browsing(server.url) as page:
        await page.get("/page/usage")
        assert page.status == 401
        wrong = await page.sign_in("ksk_" + "x" * 32)
        assert (page.status, "not known here" in wrong) == (401, True)

        assert await page.sign_in(secret) == "/page/usage"
        cookies = {c.key: c for c in page.http.cookie_jar}
        cookie = cookies["kensaku_session"]
        assert secret not in str(cookies)
        assert len(cookie.value) >= 43
        assert (cookie["samesite"].lower(), bool(cookie["httponly"])) == ("strict", True)
        await page.get("/page/usage")
        assert page.status == 200

        async with browsing(server.url) as admin:
            await admin.get("/page/keys", Authorization=f"Bearer {secret}")
            assert admin.status == 403  # bob is none


async def test_only_admins_manage_keys_and_tenants_see_their_own_usage(make_server, upstream):
    """Nothing of one tenant is readable by another."""
    upstream.answers("tavily", [Hit("https://a.example/", "A", "otters")])
    server = await make_server("tavily")
    db = server.state.database
    _, one = await create_key(db, "one", tenant="t1")
    _, two = await create_key(db, "two", tenant="t2")
    async with browsing(server.url) as page:
        await page.get("/?q=otters", Authorization=f"Bearer {one}")
        await server.state._usage.flush()
        mine = await page.call("GET", "/api/usage?by=key", Authorization=f"Bearer {one}")
        theirs = await page.call("GET", "/api/usage?by=key", Authorization=f"Bearer {two}")
        refused = await page.call("GET", "/api/keys", Authorization=f"Bearer {one}")

    assert [row["requests"] for row in mine["usage"]] == [1]
    assert all(row["group"] != mine["usage"][0]["group"] for row in theirs["usage"])
    assert page.status == 403
    assert "keys" not in refused


async def test_routes_are_compared_side_by_side(make_server, upstream):
    """What both found, what one found alone, and a route that failed."""
    both, alone = (
        Hit("https://a.example/", "Both", "otters"),
        Hit("https://b.example/", "B", "otters"),
    )
    upstream.answers("tavily", [both, alone])
    upstream.answers("brave", [both])
    upstream.fails("exa", faults.status(401))
    server = await make_server("tavily", "brave", "exa")
    async with browsing(server.url) as page:
        html = await page.get("/page/compare?q=otters&route=tavily&route=brave&route=exa")
        made = await page.call(
            "POST", "/api/compare", {"q": "otters", "routes": ["tavily", "brave"]}
        )
        few = await page.call("POST", "/api/compare", {"q": "otters", "routes": ["tavily"]})

    assert "tavily and brave share 1 of 2" in html
    assert "key refused" in html
    assert [side["unique"] for side in made["sides"]] == [1, 0]
    assert page.status == 400
    assert few["error"]["message"]

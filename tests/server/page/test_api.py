"""The page's API for programs: whole replies, and what is refused."""

from __future__ import annotations

import pytest

from kensaku.models import Document, Hit
from kensaku.server.api.keys import _optional
from tests.server.page_client import browsing


async def test_keys_are_created_listed_and_revoked(make_server):
    """With their bounds; the first is an admin's, others are what they are asked to be."""
    server = await make_server("tavily")
    async with browsing(server.url) as page:
        first = await page.call("POST", "/api/keys", {"name": " alice ", "rate": ""})
        bounds = {"name": "bob", "tenant": "t1", "rate": "10/s", "searches_per_day": "100",
                  "money_per_month": "2.5"}  # fmt: skip
        second = await page.call("POST", "/api/keys", bounds)
        third = await page.call("POST", "/api/keys", {"name": "carol", "admin": "on"})
        listed = await page.call("GET", "/api/keys")
        revoked = await page.call("DELETE", f"/api/keys/{second['id']}")
        wrong = await page.call("POST", "/api/keys", {"name": "x", "searches_per_day": "many"})

    assert page.status == 400
    assert wrong["error"]["message"] == "'many' is no number"
    assert (first["name"], first["admin"], first["rate"], first["tenant"]) == (
        "alice",
        True,
        None,
        "",
    )
    told = {n: second[n] for n in ("name", "tenant", "rate", "searches_per_day", "money_per_month")}
    assert told == bounds | {"searches_per_day": 100, "money_per_month": 2.5}
    assert (second["admin"], third["admin"]) == (False, True)
    assert all(k["key"].startswith("ksk_") for k in (first, second, third))
    assert [k["name"] for k in listed["keys"]] == ["alice", "bob", "carol"]
    assert not any("key" in k for k in listed["keys"])
    assert (revoked["id"], bool(revoked["revoked"])) == (second["id"], True)


@pytest.mark.parametrize(
    ("value", "kind", "read"),
    [(None, int, None), ("", int, None), ("5", int, 5), (0, int, 0), ("2.5", float, 2.5)],
)
def test_an_empty_field_is_none(value, kind, read):
    """And nought is a number."""
    assert _optional(value, kind) == read


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({}, "name must be a text of 1 to 200 characters"),
        ({"name": ""}, "name must be a text of 1 to 200 characters"),
        ({"name": 5}, "name must be a text of 1 to 200 characters"),
        ({"name": "x" * 201}, "name must be a text of 1 to 200 characters"),
    ],
)
async def test_a_field_that_must_be_there_is_named(make_server, fields, says):
    """With its bounds."""
    server = await make_server("tavily")
    async with browsing(server.url) as page:
        refused = await page.call("POST", "/api/keys", fields)

    assert page.status == 400
    assert refused["error"]["message"] == says


async def test_collections_are_filled_and_emptied(make_server, upstream):
    """By files and by pages; each reply says what it came to."""
    prose = "Otters hold hands while they sleep, so that they do not drift apart. " * 6
    url = upstream.serves("/otters", f"<title>Otters</title><main><p>{prose}</p></main>")
    empty = upstream.serves("/empty", "<title>Nothing</title>")
    server = await make_server("local", fetch_allow=("127.0.0.0/8",), fetch_ports="any",
                               fetch_robots="never")  # fmt: skip
    base = "/api/collections/notes"
    async with browsing(server.url) as page:
        files = [
            await page.call("POST", f"{base}/files?name=a.md", body)
            for body in (b"# Otters\n\nswim", b"# Otters\n\nswim", b"# Otters\n\nromp")
        ]
        html = await page.call("POST", f"{base}/files?name=b.HTM", b"<p>kelp <b>grows</b></p>")
        nameless = [
            await page.call("POST", f"{base}/files{query}", body)
            for query, body in (("", b"x"), ("?name=+", b"x"), ("?name=a", b""))
        ]
        assert page.status == 400
        added = await page.call("POST", f"{base}/documents", {"url": url})
        refused = await page.call("POST", f"{base}/documents", {"url": empty})
        assert page.status == 502
        listed = await page.call("GET", "/api/collections")
        gone = await page.call("DELETE", f"{base}/documents", {"url": url})
        again = await page.call("DELETE", f"{base}/documents", {"url": url})
        unknown = await page.call("DELETE", "/api/collections/other")
        assert page.status == 400
        dropped = await page.call("DELETE", base)
        left = await page.call("GET", "/api/collections")

    assert files == [
        {"name": "a.md", "result": result, "said": result}
        for result in ("added", "unchanged", "updated")
    ]
    assert html == {"name": "b.HTM", "result": "added", "said": "added"}
    assert {r["error"]["message"] for r in nameless} == {"a file needs a name and a content"}
    assert added == {"name": url, "result": "added", "said": "Kept in notes"}
    assert refused["error"]["type"] == "Unparsable"
    assert listed["collections"]["notes"]["documents"] == 3
    assert (gone, again) == ({"deleted": 1}, {"deleted": 0})
    assert unknown["error"]["message"] == "there is no collection 'other'"
    assert dropped == {"deleted": "notes"}
    assert left == {"collections": {}}


async def test_a_file_is_found_with_its_title_and_its_kind(make_server):
    """Markdown is read as such by its name; the title of a text is how it begins."""
    server = await make_server("local")
    async with browsing(server.url) as page:
        await page.call("POST", "/api/collections/n/files?name=x%20y.txt", b"plain otters *swim*")
        await page.call("POST", "/api/collections/n/files?name=b.md", b"# Kelp\n\nkelp **grows**")
    found = await server.client.search("otters kelp", route="local", max_results=5)

    assert {(h.url, h.title) for h in found.hits} == {
        ("upload:///x%20y.txt", "plain otters *swim*"),
        ("upload:///b.md", "Kelp"),
    }


async def test_a_page_is_read_from_the_web_or_from_the_index(make_server, upstream):
    """Or it is said why it cannot be."""
    prose = "Otters hold hands while they sleep, so that they do not drift apart. " * 6
    url = upstream.serves("/otters", f"<title>Otters</title><main><p>{prose}</p></main>")
    gone = upstream.url + "/gone"
    server = await make_server("local", fetch_allow=("127.0.0.0/8",), fetch_ports="any",
                               fetch_robots="never")  # fmt: skip
    await server.client.index.add([Document(gone, "Kept", "kelp grows")], "notes")
    async with browsing(server.url) as page:
        read = await page.call("POST", "/api/pages", {"url": url})
        kept = await page.call("POST", "/api/pages", {"url": gone, "q": "kelp"})
        lost = await page.call("POST", "/api/pages", {"url": upstream.url + "/lost", "q": "kelp"})
        assert page.status == 502
        unknown = await page.call("POST", "/api/pages", {"url": "file:///x", "q": " "})
        assert page.status == 502

    assert read["title"] == "Otters"
    assert "hold hands" in read["html"]
    assert (kept["title"], "kelp grows" in kept["html"]) == ("Kept", True)
    assert "404" in lost["error"]["message"]
    assert unknown["error"]["message"] == "the index does not hold it any more"


@pytest.mark.parametrize("tokens", [0, 100_001, "many", 1.5])
async def test_context_has_a_bound(make_server, tokens):
    """From 1 to 100,000 tokens."""
    server = await make_server("tavily")
    async with browsing(server.url) as page:
        refused = await page.call("POST", "/api/context", {"q": "otters", "max_tokens": tokens})

    assert page.status == 400
    assert refused["error"]["message"] == "max_tokens must be a number from 1 to 100,000"


async def test_context_is_packed_for_a_model(make_server, upstream):
    """2,000 tokens of the best passages, unless other bounds are asked for."""
    upstream.answers("tavily", [Hit("https://a.example/", "A", "otters swim in rivers. " * 800)])
    server = await make_server("tavily")
    async with browsing(server.url) as page:
        made = await page.call("POST", "/api/context", {"q": "otters"})
        short = await page.call("POST", "/api/context", {"q": "otters", "max_tokens": 100_000})
        one = await page.call("POST", "/api/context", {"q": "otters", "max_tokens": 1})

    assert page.status == 200, one
    assert made["said"] == f"{made['tokens']:,} tokens"
    assert made["tokens"] <= 2_000 < short["tokens"]
    assert made["citations"][0]["url"] == "https://a.example/"


async def test_changes_are_json_and_bodies_have_a_bound(make_server):
    """A form of another site cannot send JSON without being asked."""
    server = await make_server("tavily")
    async with browsing(server.url) as page:
        sent = await page.headers()
        statuses = []
        for kind in ("text/plain", "application/json-x", "", "Application/JSON ; charset=utf-8"):
            head = {**sent, "Content-Type": kind}
            async with page.http.post(
                f"{page.url}/api/compare", data=b'{"q": "x", "routes": 5}', headers=head
            ) as reply:
                statuses.append((reply.status, (await reply.json())["error"]["message"]))
                assert reply.headers["cache-control"] == "no-store"
        mixed = await page.call("POST", "/api/compare", {"q": "x", "routes": ["tavily", 5]})
        unknown = await page.call("POST", "/api/providers/nobody/reset")
        assert page.status == 400
        async with page.http.get(f"{page.url}/api/usage?by=day&days=7") as reply:
            usage = await reply.json()
            assert reply.headers["cache-control"] == "no-store"

    json = (400, "the body must be application/json")
    assert statuses == [json, json, json, (400, "routes must be a list of texts")]
    assert mixed["error"]["message"] == "routes must be a list of texts"
    assert "nobody" in unknown["error"]["message"]
    assert usage == {"by": "day", "days": 7, "usage": []}


async def test_programs_need_a_key_and_some_calls_an_admins(make_server, make_key):
    """Watching is no exception."""
    server = await make_server("tavily")
    secret = await make_key(server, "bob")
    async with browsing(server.url) as page:
        for path in ("/api/keys", "/api/collections", "/api/chat"):
            async with page.http.get(page.url + path) as reply:
                assert reply.status == 401
                refused = await reply.json()
        head = {"Authorization": f"Bearer {secret}"}
        async with page.http.post(
            f"{page.url}/api/providers/tavily/reset", json={}, headers=head
        ) as reply:
            assert reply.status == 403
            forbidden = await reply.json()
        async with page.http.get(f"{page.url}/api/collections", headers=head) as reply:
            assert (reply.status, await reply.json()) == (200, {"collections": {}})

    assert refused["error"]["message"] == ("sign in first, or send a key as Authorization: Bearer")
    assert forbidden["error"]["type"] == "Forbidden"

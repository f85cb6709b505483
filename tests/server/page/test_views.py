"""The views beside Search: what they show, to whom, and what their calls do."""

from __future__ import annotations

import re

from kensaku.models import Document, Hit
from kensaku.testing import faults
from tests.server.page_client import browsing, until


async def test_providers_are_shown_with_their_state_and_never_a_key(
    make_server, make_key, upstream
):
    """In the order of the route; addresses, and the button that ends a cooldown, are an admin's."""
    upstream.fails("brave", faults.status(401))
    env = {"BRAVE_API_KEY": "brave-canary-0123456789", "EXA_API_KEY": "exa-canary-0123456789"}
    server = await make_server("brave", "tavily", env=env)
    await server.client.search("otters")
    root, bob = [
        {"Authorization": f"Bearer {await make_key(server, name, admin=name == 'root')}"}
        for name in ("root", "bob")
    ]

    async with browsing(server.url) as page:
        html, others = [await page.get("/page/providers", **who) for who in (root, bob)]
        listed, fewer = [await page.call("GET", "/api/providers", **who) for who in (root, bob)]

    turns = re.findall(r'class="rank">(\d)</span>([^<]+)<', html)
    assert turns == [("1", "Brave Search"), ("2", "Tavily")]
    assert "its key was refused" in html
    assert "set SERPER_API_KEY" in html
    assert "canary" not in html + others + str(listed) + str(fewer)
    reset = 'data-call="POST /api/providers/brave/reset"'
    assert (reset in html, reset in others) == (True, False)
    known = {p["name"]: p for p in listed["providers"]}
    assert (known["brave"]["keys"], known["exa"]["state"]) == (1, "ready")
    assert known["tavily"]["p50_ms"] is not None  # it has searched
    assert known["exa"]["p50_ms"] is None
    for row in fewer["providers"]:
        assert known[row["name"]].keys() - row.keys() == {"base_url", "keyless_host"}


async def test_a_cooldown_is_ended_by_a_button(make_server, upstream):
    """Somebody has mended the key."""
    upstream.fails("brave", faults.status(401), times=1)
    server = await make_server("brave")
    await server.client.search("otters")

    async with browsing(server.url) as page:
        done = await page.call("POST", "/api/providers/brave/reset")

    assert done["state"] == "ready"


async def test_the_first_key_is_an_admins_and_signs_this_browser_in(make_server):
    """Who makes it must not be locked out; everybody else is asked for a key."""
    server = await make_server("tavily")
    async with browsing(server.url) as page, browsing(server.url) as other:
        made = await page.call("POST", "/api/keys", {"name": "alice"})
        await page.call("POST", "/api/keys", {"name": "bert"})
        keys = await page.get("/page/keys")
        stranger = await other.get("/page/keys")

    assert made["key"].startswith("ksk_")
    assert made["admin"]
    assert made["key"] not in keys
    assert re.search(r"<b>alice</b>(?:(?!</td>).)*>this session<", keys)
    assert not re.search(r"<b>bert</b>(?:(?!</td>).)*>this session<", keys)
    assert other.status == 401
    assert "Sign in" in stranger
    assert "alice" not in stranger


async def test_keys_are_listed_with_their_bounds_those_in_use_first(page):
    """The newest first among them."""
    bounds = {"rate": "10/s", "searches_per_day": "1000", "money_per_month": "1234.5"}
    for name, more in {"old": {}, "gone": {}, "new": bounds}.items():
        made = await page.call("POST", "/api/keys", {"name": name, **more})
        if name == "gone":
            await page.call("DELETE", f"/api/keys/{made['id']}")
    html = await page.get("/page/keys")

    rows = re.findall(r"<td><b>(\w+)</b>.*?<td>[^<]*</td><td>([^<]*)</td>", html)
    assert rows == [
        ("new", "10/s · 1,000 a day · $1,234.5 a month"), ("old", "no bounds"),
        ("gone", "no bounds"),
    ]  # fmt: skip
    assert html.count("Revoke</button>") == 2
    assert html.count(">revoked<") == 1


async def test_usage_is_counted_and_shown_to_whom_it_belongs(make_server, make_key, upstream):
    """By endpoint and by key; a tenant sees its own, an admin everybody's."""
    upstream.answers("tavily", [])
    server = await make_server("tavily")
    root, one, two = [
        {"Authorization": f"Bearer {await make_key(server, name, tenant=tenant, admin=not tenant)}"}
        for name, tenant in (("root", ""), ("one", "t1"), ("two", "t2"))
    ]
    async with browsing(server.url) as page:
        await page.get("/?q=otters", **one)
        await page.get("/?q=otters&n=999", **one)
        by_endpoint = await until(
            lambda: page.call("GET", "/api/usage?by=endpoint&days=7", **root),
            lambda said: sum(row["requests"] for row in said["usage"]) >= 2,
        )
        views = {
            name: await page.get("/page/usage?by=key", **who)
            for name, who in (("root", root), ("one", one), ("two", two))
        }
        by_provider = await page.get("/page/usage", **one)
        by_day = await page.get("/page/usage?by=day&days=7", **one)
        unknown = await page.get("/page/usage?by=tenant&days=8", **one)
        await page.call("GET", "/api/keys", **one)
        assert page.status == 403

    (row,) = [r for r in by_endpoint["usage"] if r["group"] == "page/search"]
    assert (row["requests"], row["outcomes"]) == (2, {"empty": 1, "InvalidQuery": 1})
    named = {name: '<th scope="row">one<' in html for name, html in views.items()}
    assert named == {"root": True, "one": True, "two": False}
    assert '<th scope="row">tavily</th><td>1</td>' in by_provider
    assert by_provider.count('class="hit-area"') == 30  # each day of a month
    assert re.search(r"<title>[-\d]{10}: 2 \(Failed 1\)</title>", by_day)
    assert by_day.count('class="hit-area"') == 7
    assert by_day.count('class="fill"') == 1  # the others had no requests
    assert '<td class="bad">1</td>' in by_day  # what found nothing has not failed
    assert unknown.partition("<main")[2] == by_provider.partition("<main")[2]


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
    assert "it does not take this key" in html
    assert [side["unique"] for side in made["sides"]] == [1, 0]
    assert page.status == 400
    assert few["error"]["message"]


async def test_every_route_that_is_compared_counts_as_a_search(make_server, make_key, upstream):
    """Two to six of them, each once; the rest of the day is refused."""
    server = await make_server("tavily", "brave")
    head = {"Authorization": f"Bearer {await make_key(server, 'bob', searches_per_day=3)}"}
    twice = "/page/compare?q=otters&route=tavily&route=brave&route=tavily"
    async with browsing(server.url) as page:
        one = await page.get("/page/compare?q=otters&route=tavily", **head)
        seven = {"q": "otters", "routes": [f"r{n}" for n in range(7)]}
        await page.call("POST", "/api/compare", seven, **head)
        assert page.status == 400
        assert upstream.requests == []

        html = await page.get(twice, **head)
        over = await page.get(twice, **head)

    assert "choose two to six routes" in one.lower()
    assert html.count('class="panel side"') == 2
    assert "used up its searches of the day" in over.lower()
    assert len(upstream.requests) == 2


async def test_a_collection_is_shown_with_its_documents(make_server):
    """By title, or by address where there is none; too many of them are not listed."""
    server = await make_server("local")
    documents = [
        Document("https://b.example/", "beta", "otters"),
        Document("file:///a", "", "otters"),
        Document("https://a.example/", "Alpha", "otters"),
    ]
    async with browsing(server.url) as page:
        assert "No collection yet" in await page.get("/page/collections")
    await server.client.index.add(documents, "notes")
    await server.client.index.add([Document(f"file:///{n}", f"{n}", "x") for n in range(501)], "B")
    async with browsing(server.url) as page:
        listed = await page.get("/page/collections")
        shown = await page.get("/page/collections?name=notes")
        large = await page.get("/page/collections?name=B")
        assert page.status == 200
        lost = await page.get("/page/collections?name=other")
        assert page.status == 400

    assert re.findall(r'href="\?name=(\w+)"', listed) == ["B", "notes"]
    assert "501 documents" in listed
    titles = re.findall(r'<div>(?:<a href="([^"]*)"[^>]*|<span)>([^<]+)<', shown)
    assert titles == [
        ("https://a.example/", "Alpha"), ("https://b.example/", "beta"), ("", "file:///a"),
    ]  # fmt: skip
    assert "file:///7<" not in large
    assert "no collection &#39;other&#39;" in lost

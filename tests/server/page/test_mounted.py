"""The page inside somebody else's application, under a path of theirs."""

from __future__ import annotations

import re
from typing import Any

import aiohttp
from starlette.applications import Starlette
from starlette.routing import Mount

import kensaku.server
from kensaku.models import Hit
from tests.server.conftest import serve
from tests.server.page_client import browsing


async def test_a_mounted_page_stays_under_its_path(make_client, upstream):
    """Links, scripts, cookies and calls know where they are."""
    upstream.answers("tavily", [Hit("https://a.example/", "Otters", "otters")])
    client = make_client("tavily")
    inner = kensaku.server.app(client.settings, client=client)
    await inner.state.start()
    async with (
        serve(Starlette(routes=[Mount("/find", inner)])) as url,
        browsing(f"{url}/find") as page,
    ):
        html = await page.get("/?q=otters")
        style = await page.get("/page/static/page.css")
        view = await page.get("/page/providers")
        listed = await page.call("GET", "/api/providers")
        made = await page.call("POST", "/api/context", {"q": "otters"}, Origin=url)
        paths = {c.key: c["path"] for c in page.http.cookie_jar}
        await inner.state.close()

    assert "Found 1 result" in html
    assert 'href="/find/page/static/page.css"' in html
    assert ":root" in style
    assert 'href="/find/page/usage"' in view
    assert listed["providers"]
    assert made["outcome"] == "found"
    assert paths == {"kensaku_session": "/find"}


async def test_a_session_stays_under_the_path_and_on_https(make_client):
    """The cookie is for this path, and over HTTPS for nothing else; the way back has the path."""
    client = make_client("tavily")
    inner = kensaku.server.app(client.settings, client=client)

    async def over_https(scope: Any, receive: Any, send: Any) -> None:
        await inner({**scope, "scheme": "https"}, receive, send)

    async with (
        serve(Starlette(routes=[Mount("/find", over_https)])) as url,
        aiohttp.ClientSession(f"{url}/find/") as http,
    ):
        await inner.state.start()
        program = {"Authorization": f"Bearer {inner.state.token}"}
        async with http.post("api/keys", json={"name": "ann"}, headers=program) as reply:
            key = (await reply.json())["key"]
        async with http.get("") as reply:
            new = reply.headers["Set-Cookie"]
            token = re.search('kensaku-token" content="([^"]+)"', await reply.text())[1]
        head = {"Origin": url, "Cookie": new.partition(";")[0]}
        form = {"token": token, "key": key, "back": "/page/usage"}
        async with http.post(
            "page/sign-in", data=form, headers=head, allow_redirects=False
        ) as reply:
            back, cookie = reply.headers["Location"], reply.headers["Set-Cookie"]
        await inner.state.close()

    assert back == "/find/page/usage"
    for told in (new, cookie):
        assert told.startswith("kensaku_session=")
        assert {"HttpOnly", "Path=/find", "SameSite=strict", "Secure"} <= set(told.split("; "))

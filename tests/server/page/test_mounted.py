"""The page inside somebody else's application, under a path of theirs and behind HTTPS."""

from __future__ import annotations

from typing import Any

import aiohttp
from starlette.applications import Starlette
from starlette.routing import Mount

import kensaku.server
from kensaku.models import Hit
from tests.server.conftest import serve
from tests.server.page_client import PageClient


async def test_a_mounted_page_stays_under_its_path(make_client, upstream):
    """Links, scripts, calls and the way back have it; so do cookies, for HTTPS alone."""
    upstream.answers("tavily", [Hit("https://a.example/", "Otters", "otters")])
    client = make_client("tavily")
    inner = kensaku.server.app(client.settings, client=client)

    async def over_https(scope: Any, receive: Any, send: Any) -> None:
        await inner({**scope, "scheme": "https"}, receive, send)

    async with (
        serve(Starlette(routes=[Mount("/find", over_https)])) as url,
        aiohttp.ClientSession(
            cookie_jar=aiohttp.CookieJar(unsafe=True, treat_as_secure_origin=url)
        ) as http,
    ):
        await inner.state.start()
        page = PageClient(http, f"{url}/find")
        owner = {"Authorization": f"Bearer {inner.state.token}"}
        key = (await page.call("POST", "/api/keys", {"name": "ann"}, **owner))["key"]
        back = await page.sign_in(key)
        html = await page.get("/?q=otters")
        style = await page.get("/page/static/page.css")
        view = await page.get("/page/providers")
        made = await page.call("POST", "/api/context", {"q": "otters"})
        await inner.state.close()

    assert back == "/find/page/usage"
    assert "Found 1 result" in html
    assert 'href="/find/page/static/page.css"' in html
    assert ":root" in style
    assert 'href="/find/page/usage"' in view
    assert made["outcome"] == "found"
    assert len(http.cookie_jar) == 1
    for cookie in http.cookie_jar:
        told = (
            cookie.key,
            cookie["path"],
            cookie["samesite"],
            cookie["secure"],
            cookie["httponly"],
        )
        assert told == ("kensaku_session", "/find", "strict", True, True)

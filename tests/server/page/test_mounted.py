"""The page inside somebody else's application, under a path of theirs."""

from __future__ import annotations

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

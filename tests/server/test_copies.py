"""A page that was read by a rung says so on every surface that can say it."""

from __future__ import annotations

import aiohttp
import pytest

from tests.fetch.rung_replies import REDDIT
from tests.fetch.web import Web

from .page_client import PageClient

SERVICE = "http://service.test"
NOTE = "the page itself could not be read (the server answered 403); this is what service.test has"


@pytest.fixture
async def refused():
    """The operator's proxy: behind it the page is refused, and its feed is there."""
    async with Web() as web:
        (path, (kind, body)), page = (
            next(iter(REDDIT.replies.items())),
            REDDIT.page.partition("?")[0],
        )
        web.pages |= {page: (403, {}, b"no"), SERVICE + path: (200, {"Content-Type": kind}, body)}
        yield web


async def test_each_surface_says_that_it_is_a_copy(make_server, refused):
    """Jina's reader, Firecrawl's scrape, the tool server and the page itself."""
    server = await make_server(
        fetch_proxy=f"http://127.0.0.1:{refused.port}", fetch_rungs="site",
        fetch_rung_urls=f"reddit={SERVICE}",
    )  # fmt: skip
    asked = {
        "/jina/r/": {"url": REDDIT.page},
        "/firecrawl/v2/scrape": {"url": REDDIT.page},
        "/tools/web_extract": {"urls": [REDDIT.page]},
        "/api/pages": {"url": REDDIT.page},
    }
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as http:
        headers = await PageClient(http, server.url).headers()
        for path, body in asked.items():
            async with http.post(server.url + path, json=body, headers=headers) as reply:
                said = await reply.text()
            assert NOTE in said, (path, reply.status, said[:300])
            assert "In kelp" in said, path
            assert "hidden words" not in said, path

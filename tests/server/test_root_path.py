"""The server under a path of a real nginx: every link, form, call and redirect stays under it."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import NamedTuple

import aiohttp
import httpx
import pytest

from kensaku.errors import ConfigError
from tests.operations.proxies import free_port, started

from .oauth_client import Browser, Tokens, call
from .test_proxies import NGINX

LEAVES, CUTS, SAYS = "leaves the path", "cuts the path off", "says what it cuts off"
# Some proxies cut a path off that begins like one of ours; only what they say tells them apart.
ROOTS = {LEAVES: "/search", CUTS: "/tools/find", SAYS: "/search"}


class Site(NamedTuple):
    """The server behind nginx: its origin, its path there, and a key of an admin."""

    origin: str
    root: str
    key: str


@pytest.fixture(params=list(ROOTS))
async def reverse_proxy(
    request: pytest.FixtureRequest, make_server, make_key, found: str, tmp_path: Path
) -> AsyncIterator[Site]:
    """A server under a path of nginx."""
    port, config, root = free_port(), tmp_path / "conf", ROOTS[request.param]
    more = "proxy_set_header Host $http_host;"
    settings = {"public_url": f"http://127.0.0.1:{port}", "root_path": f"{root}/"}
    if request.param == SAYS:
        settings |= {"root_path": "", "trusted_proxies": "127.0.0.0/8"}
        more += f"proxy_set_header X-Forwarded-Prefix {root};"
    server = await make_server(**settings)
    upstream = server.url if request.param == LEAVES else f"{server.url}/"
    written = NGINX.replace("location /", f"location {root}/")
    config.write_text(written.format(folder=tmp_path, port=port, upstream=upstream, more=more))
    words = ["-p", str(tmp_path), "-c", str(config), "-e", str(tmp_path / "early.log")]
    async with started("nginx", words, port, tmp_path):
        key = await make_key(server, admin=True)
        yield Site(f"http://127.0.0.1:{port}", root, key)


async def test_the_page_works_under_a_path(reverse_proxy):
    """Signing in, searching, its files and its calls; nothing points outside of the path."""
    site, root, key = reverse_proxy
    jar = aiohttp.CookieJar(unsafe=True)
    async with aiohttp.ClientSession(cookie_jar=jar, headers={"Origin": site}) as http:
        async with http.get(f"{site}{root}/page/usage") as reply:
            assert reply.status == 401
            html = await reply.text()
        token = re.search('kensaku-token" content="([^"]+)"', html)
        assert token
        form = {"token": token[1], "key": key, "back": "/page/usage"}
        async with http.post(f"{site}{root}/page/sign-in", data=form) as reply:
            assert (reply.status, reply.url.path) == (200, f"{root}/page/usage")
        pages = {}
        for path in ("/", "/?q=otters", "/docs", "/page/usage", "/chat", "/page/keys"):
            async with http.get(f"{site}{root}{path}") as reply:
                assert reply.status == 200, path
                pages[path] = await reply.text()
        links = {
            link
            for page in pages.values()
            for link in re.findall(r'(?:href|src|action|data-events)="(/[^"]*)"', page)
        }
        assert links
        assert {link for link in links if not f"{link}/".startswith(f"{root}/")} == set()
        for link in {link for link in links if "/static/" in link}:
            async with http.get(site + link) as reply:
                assert reply.status == 200, link
        async with http.get(f"{site}{root}/api/providers") as reply:
            assert reply.status == 200
        for cookie in jar:
            assert cookie["path"] == root
    assert "Otters" in pages["/?q=otters"]


async def test_clients_and_documents_know_the_path(reverse_proxy):
    """OpenAPI says where the paths begin; a path that is not there is the vendor's to refuse."""
    site, root, key = reverse_proxy
    headers = {"Authorization": f"Bearer {key}"}
    async with aiohttp.ClientSession(headers=headers) as http:
        async with http.get(f"{site}{root}/openapi.json") as reply:
            document = await reply.json()
        assert document["servers"] == [{"url": root}]
        for path in ("/search", "/tavily/search", "//search"):
            address = f"{site}{document['servers'][0]['url']}{path}"
            async with http.post(address, json={"query": "otters"}) as reply:
                assert (await reply.json())["results"], path
        async with http.get(f"{site}{root}/serper/nothing") as reply:
            assert (reply.status, (await reply.json())["statusCode"]) == (404, 404)


async def test_the_official_client_signs_in_under_a_path(reverse_proxy):
    """From the 401 to the tools: each address of the flow is below the path."""
    site, root, key = reverse_proxy
    browser, kept = Browser(key), Tokens()

    done = await call(f"{site}{root}/mcp", browser, kept, "web_search", {"query": "otters"})

    assert not done.is_error
    assert f'action="{root}/oauth/consent"' in browser.page


ODD: list[list[str]] = [
    ["//evil.example"], ["/\\evil.example"], ["https://evil.example"], ["evil"], ["/a b"],
    ['/a"onload="x'], ["/<x>"], ["/../.."], ["/a/./b"], ["/a%0d%0aSet-Cookie:x=1"], ["/a?b"],
    ["/é"], ["/" + "a" * 200], ["/a, /b"], ["/a", "/a"], ["/a;b"], ["/a\tb"],
]  # fmt: skip


async def test_a_stranger_cannot_say_where_the_server_is(make_server, make_key):
    """Who is no trusted proxy is not believed: a cache would keep the page for others."""
    for trusted in ("", "10.0.0.0/8, ::1"):
        server = await make_server(trusted_proxies=trusted)
        await make_key(server)
        assert await root_told(server.url, ["/evil"]) == ""


async def test_a_trusted_proxy_says_a_plain_path_or_nothing(make_server, make_key):
    """It stands in links, redirects and cookies; a second one may be the client's own."""
    server = await make_server(trusted_proxies="127.0.0.1")
    await make_key(server)
    for sent in ODD:
        assert await root_told(server.url, sent) == "", sent
    assert await root_told(server.url, ["/tools/"]) == "/tools"


async def test_a_trusted_proxy_says_how_it_was_reached(make_server, make_key):
    """The page shows addresses that work outside; a stranger cannot change them."""
    for trusted, scheme in (("127.0.0.1", "https"), ("", "http")):
        server = await make_server(trusted_proxies=trusted)
        key = await make_key(server)
        headers = {"X-Forwarded-Proto": "https", "Authorization": f"Bearer {key}"}
        async with httpx.AsyncClient(headers=headers, timeout=60) as http:
            reply = await http.get(f"{server.url}/page/opensearch.xml")
        assert f'template="{scheme}://127.0.0.1' in reply.text


async def root_told(url: str, prefixes: list[str]) -> str:
    """Return the path that OpenAPI, the page's links and its cookie agree on."""
    headers = [(b"X-Forwarded-Prefix", prefix.encode()) for prefix in prefixes]
    async with httpx.AsyncClient(base_url=url, headers=headers, timeout=60) as http:
        document = (await http.get("/openapi.json")).json()
        page = await http.get("/page/usage")
    told: str = document.get("servers", [{"url": ""}])[0]["url"]
    assert f'href="{told}/page/static/' in page.text
    assert f"Path={told or '/'};" in page.headers["set-cookie"]
    return told


@pytest.mark.parametrize(
    "wrong", ["search", "/a b", "http://a.example/", "//a", "/a?b", "/<x>", "/..", "/a/.."]
)
def test_what_is_no_path_is_refused(make_client, wrong):
    """It would stand in every link."""
    with pytest.raises(ConfigError, match="/search"):
        make_client(root_path=wrong)

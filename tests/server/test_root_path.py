"""The server under a path of a real nginx: every link, form, call and redirect stays under it."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest

from kensaku.errors import ConfigError
from tests.operations.proxies import free_port, started

from .test_proxies import NGINX

ROOT = "/tools/find"


@pytest.fixture(params=["cuts the path off", "leaves the path"])
async def reverse_proxy(
    request: pytest.FixtureRequest, make_server, make_key, found: str, tmp_path: Path
) -> AsyncIterator[tuple[str, str]]:
    """The address of the server behind nginx, and a key of an admin."""
    server, port, config = await make_server(root_path=f"{ROOT}/"), free_port(), tmp_path / "conf"
    upstream = f"{server.url}/" if request.param.startswith("cuts") else server.url
    written = NGINX.replace("location /", f"location {ROOT}/")
    more = "proxy_set_header Host $http_host;"
    config.write_text(written.format(folder=tmp_path, port=port, upstream=upstream, more=more))
    words = ["-p", str(tmp_path), "-c", str(config), "-e", str(tmp_path / "early.log")]
    async with started("nginx", words, port, tmp_path):
        yield f"http://127.0.0.1:{port}", await make_key(server, admin=True)


async def test_the_page_works_under_a_path(reverse_proxy):
    """Signing in, searching, its files and its calls; nothing points outside of the path."""
    site, key = reverse_proxy
    jar = aiohttp.CookieJar(unsafe=True)
    async with aiohttp.ClientSession(cookie_jar=jar, headers={"Origin": site}) as http:
        async with http.get(f"{site}{ROOT}/page/usage") as reply:
            assert reply.status == 401
            html = await reply.text()
        token = re.search('kensaku-token" content="([^"]+)"', html)
        assert token
        form = {"token": token[1], "key": key, "back": "/page/usage"}
        async with http.post(f"{site}{ROOT}/page/sign-in", data=form) as reply:
            assert (reply.status, reply.url.path) == (200, f"{ROOT}/page/usage")
        pages = {}
        for path in ("/", "/?q=otters", "/docs", "/page/usage", "/chat", "/page/keys"):
            async with http.get(f"{site}{ROOT}{path}") as reply:
                assert reply.status == 200, path
                pages[path] = await reply.text()
        links = {
            link
            for page in pages.values()
            for link in re.findall(r'(?:href|src|action|data-events)="(/[^"]*)"', page)
        }
        assert links
        assert {link for link in links if not f"{link}/".startswith(f"{ROOT}/")} == set()
        for link in {link for link in links if "/static/" in link}:
            async with http.get(site + link) as reply:
                assert reply.status == 200, link
        async with http.get(f"{site}{ROOT}/api/providers") as reply:
            assert reply.status == 200
    assert "Otters" in pages["/?q=otters"]


async def test_clients_and_documents_know_the_path(reverse_proxy):
    """OpenAPI says where the paths begin; a path that is not there is the vendor's to refuse."""
    site, key = reverse_proxy
    headers = {"Authorization": f"Bearer {key}"}
    async with aiohttp.ClientSession(headers=headers) as http:
        async with http.get(f"{site}{ROOT}/openapi.json") as reply:
            document = await reply.json()
        assert document["servers"] == [{"url": ROOT}]
        for path in ("/search", "/tavily/search", "//search"):
            address = f"{site}{document['servers'][0]['url']}{path}"
            async with http.post(address, json={"query": "otters"}) as reply:
                assert (await reply.json())["results"], path
        async with http.get(f"{site}{ROOT}/serper/nothing") as reply:
            assert (reply.status, (await reply.json())["statusCode"]) == (404, 404)


@pytest.mark.parametrize("wrong", ["search", "/a b", "http://a.example/", "//a", "/a?b", "/<x>"])
def test_what_is_no_path_is_refused(make_client, wrong):
    """It would stand in every link."""
    with pytest.raises(ConfigError, match="/search"):
        make_client(root_path=wrong)

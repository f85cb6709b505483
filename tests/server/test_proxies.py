"""A server without keys behind nginx and Caddy, as teams set them up: strangers get nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from kensaku.server.asgi import load_surfaces
from kensaku.server.token import FILE
from tests.operations.proxies import free_port, started

from .conftest import Running
from .page_client import browsing

NGINX = """
daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/nginx.log;
events {{ worker_connections 256; }}
http {{
  access_log off;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  server {{ listen 127.0.0.1:{port}; location / {{ proxy_pass {upstream}; {more} }} }}
}}
"""
FORWARDING = """
proxy_set_header Host $host; proxy_set_header X-Real-IP $remote_addr;
proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
proxy_set_header X-Forwarded-Proto $scheme;
"""
CADDY = """
{{
  admin off
  auto_https off
}}
http://127.0.0.1:{port} {{
  reverse_proxy {upstream}
}}
"""
# What is open while there are no keys to who comes through a proxy that does not say so.
SEARCHES = {
    "POST /api/compare", "POST /api/context", "POST /api/pages", "POST /api/search",
    "GET /", "GET /page/compare",
}  # fmt: skip


@pytest.fixture(params=["nginx", "nginx with forwarding headers", "caddy"])
async def reverse_proxy(
    request: pytest.FixtureRequest, server: Running, tmp_path: Path
) -> AsyncIterator[str]:
    """The address of a reverse proxy in front of the server."""
    kind, port = request.param.partition(" ")[0], free_port()
    more = FORWARDING if request.param != kind else ""
    config = tmp_path / f"{kind}.conf"
    written = {"nginx": NGINX, "caddy": CADDY}[kind]
    config.write_text(written.format(folder=tmp_path, port=port, upstream=server.url, more=more))
    words = {
        "nginx": ["-p", str(tmp_path), "-c", str(config), "-e", str(tmp_path / "early.log")],
        "caddy": ["run", "--config", str(config), "--adapter", "caddyfile"],
    }
    async with started(kind, words[kind], port, tmp_path):
        yield f"http://127.0.0.1:{port}"


@pytest.fixture
def says_so(request: pytest.FixtureRequest) -> bool:
    """Whether the proxy says for whom it asks."""
    return bool(request.node.callspec.params["reverse_proxy"] != "nginx")


async def test_a_stranger_behind_a_proxy_does_not_get_the_first_key(reverse_proxy, server):
    """A made-up key proves nothing; nor do the session and token of a page that was got there."""
    url = reverse_proxy
    made_up = {"Authorization": "Bearer x"}
    async with browsing(url, owner=False) as stranger:
        got = await _of_the_page(stranger) | {"Origin": server.url}
        for headers in (made_up, {"X-API-Key": "x"}, got):
            async with stranger.http.post(
                f"{url}/api/keys", json={"name": "mine"}, headers=headers
            ) as reply:
                assert reply.status == 403
                assert "kensaku keys create" in await reply.text()

        for wrong in ("", "x", "x" * 43):
            assert (await stranger.http.get(f"{url}/page/open?token={wrong}")).status in (401, 403)
            form = {"key": wrong, "token": got.get("X-Kensaku-Token", "")}
            address, head = f"{url}/page/sign-in", {"Origin": server.url}
            async with stranger.http.post(address, data=form, headers=head) as reply:
                assert reply.status in (401, 403)
    assert not await server.state.keys.required()


async def test_a_stranger_behind_a_proxy_reads_no_conversation(reverse_proxy, server, found):
    """Not by its address, nor in the list of them: that is for who has the token."""
    async with browsing(server.url) as owner:
        begun = await owner.call("POST", "/api/chat", {"text": "What do otters hold?"})
        thread = f"/api/chat/{begun['id']}"
        await owner.call("GET", thread)
        assert owner.status == 200
        url = reverse_proxy
        async with browsing(url, owner=False) as stranger:
            for path in (
                thread,
                "/api/chat",
                f"/chat/{begun['id']}",
                "/chat",
                f"{thread}/events",
            ):
                text = await stranger.get(path, Authorization="Bearer x")
                assert stranger.status in (401, 403), path
                assert "otters" not in text


async def test_only_searching_and_reading_is_open_without_the_token(reverse_proxy, server, says_so):
    """Of all that the server has: a proxy that says nothing looks like this machine."""
    url, opened = reverse_proxy, set()
    async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as http:
        for method, path in _page_endpoints():
            sent = {"Authorization": "Bearer x", "Content-Type": "application/json"}
            address = url + path.replace("{", "").replace("}", "")
            async with http.request(method, address, headers=sent, data=b"{}") as reply:
                if reply.status not in (401, 403):
                    opened.add(f"{method} {path}")
        async with http.post(f"{url}/search", json={"query": "otters"}) as reply:
            assert reply.status == (403 if says_so else 200)
        async with http.get(f"{url}/healthz") as reply:
            assert reply.status == 200
    assert opened == (set() if says_so else SEARCHES)


async def test_with_keys_a_proxy_is_served_as_anybody_is(reverse_proxy, server, make_key):
    """The key is what counts; a stranger is told to sign in."""
    secret = await make_key(server, "team", admin=True)
    url = reverse_proxy
    async with aiohttp.ClientSession() as http:
        for key, status in ((secret, 200), ("x", 401)):
            headers = {"Authorization": f"Bearer {key}"}
            async with http.post(f"{url}/search", json={"query": "o"}, headers=headers) as reply:
                assert reply.status == status
            async with http.get(f"{url}/api/keys", headers=headers) as reply:
                assert reply.status == status


async def test_the_token_does_not_help_through_a_proxy_that_says_so(
    reverse_proxy, server, machine, says_so
):
    """While there are no keys nobody behind it is served; the owner comes directly."""
    token = (machine / FILE).read_text()
    url = reverse_proxy
    async with aiohttp.ClientSession(headers={"Authorization": f"Bearer {token}"}) as http:
        async with http.get(f"{url}/api/keys") as reply:
            assert reply.status == (403 if says_so else 200)
        async with http.get(f"{server.url}/api/keys") as reply:
            assert reply.status == 200


def _page_endpoints() -> list[tuple[str, str]]:
    """What the page and its API have, and the assistant's AG-UI: all that keeps something."""
    surfaces = [w for w in load_surfaces() if w.label in ("Page", "Server") or w.name == "agui"]
    listed = [(e.method, e.path) for wire in surfaces for e in wire.endpoints() if not e.is_open]
    assert len(listed) > 30
    return listed


async def _of_the_page(page: Any) -> dict[str, str]:
    """What the scripts of the page send, when a stranger may see it at all."""
    await page.get()
    return await page.headers() if page.status == 200 else {"Origin": page.url}

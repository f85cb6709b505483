"""The application: every path by itself and below another one's, errors that nobody answered."""

from __future__ import annotations

import httpx
from starlette.applications import Starlette
from starlette.routing import Mount

import kensaku.server
from kensaku import Outcome

from .conftest import serve

# What clients of the vendors send to the address that they are given, without a prefix.
AT_ROOT = [
    ("POST", "/search"), ("POST", "/extract"), ("POST", "/crawl"), ("POST", "/map"),
    ("POST", "/research"), ("GET", "/research/x"), ("GET", "/usage"), ("POST", "/feedback"),
    ("GET", "/search"), ("GET", "/res/v1/web/search"), ("GET", "/res/v1/news/search"),
    ("POST", "/v2/search"), ("POST", "/v2/scrape"), ("POST", "/v1/chat/completions"),
    ("GET", "/v1/models"),
]  # fmt: skip


async def test_every_published_path_is_served_alone_and_below_another_application(make_client):
    """The same status at both places, and never that there is no such path."""
    client = make_client("tavily")
    inner = kensaku.server.app(client.settings, client=client)
    async with (
        serve(inner) as alone,
        serve(Starlette(routes=[Mount("/find", inner)])) as outer,
        httpx.AsyncClient(timeout=60) as http,
    ):
        paths = (await http.get(f"{alone}/openapi.json")).json()["paths"]
        published = [(m.upper(), p) for p, methods in paths.items() for m in methods]
        published.remove(("GET", "/readyz"))  # 503 on a busy machine
        for method, path in [*published, *AT_ROOT]:
            at = path.replace("{", "").replace("}", "")
            here = await http.request(method, alone + at)
            there = await http.request(method, f"{outer}/find{at}")
            assert here.status_code == there.status_code, (method, path)
            assert here.status_code < 500, (method, path)
            assert "GET /docs lists" not in here.text, path
            assert here.status_code != 405, (method, path)

    assert len(published) > 20


async def test_what_is_not_served_is_told_in_json(http):
    """With the path that was asked for; who used a wrong method is told the right ones."""
    wrong = await http.delete("/extract")
    for path in ("/v9/nothing", "/serperx/search"):  # nobody can know whose client asks
        lost = await http.get(path)
        assert (lost.status_code, "allow" in lost.headers) == (404, False)
        assert f"GET {path}" in lost.json()["detail"]["error"]

    assert wrong.status_code == 405
    assert "DELETE /extract" in wrong.json()["detail"]["error"]
    assert wrong.headers["allow"] == "POST"


async def test_settings_are_read_where_none_are_given(monkeypatch, upstream, machine):
    """As `kensaku serve` does."""
    for name, value in upstream.environment("tavily").items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("WEB_SEARCH_PROVIDER", "tavily")
    async with (
        serve(kensaku.server.app()) as url,
        httpx.AsyncClient(timeout=60) as http,
    ):
        reply = await http.post(f"{url}/search", json={"query": "otters"})

    assert reply.status_code == 200
    assert len(upstream.asked("tavily")) == 1


async def test_a_client_of_ones_own_is_used_and_given_back(make_client, upstream):
    """After the server it works on, and nobody listens to it any more."""
    client = make_client("tavily", cache_enabled=False)
    listening = client.observers.all
    async with (
        serve(kensaku.server.app(client.settings, client=client)) as url,
        httpx.AsyncClient(timeout=60) as http,
    ):
        assert len(client.observers.all) > len(listening)
        await http.post(f"{url}/search", json={"query": "otters"})

    assert client.observers.all == listening
    assert (await client.search("otters")).outcome is Outcome.FOUND
    assert len(upstream.asked("tavily")) == 2

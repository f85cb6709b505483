"""What every request passes first: ids, paths, headers, and failures without a word too much."""

from __future__ import annotations

import asyncio
import uuid
from typing import Any

import httpx
import pytest

import kensaku.server
from kensaku import Kensaku
from kensaku.answers.events import TextDelta
from kensaku.server.wires import load_wires

from .conftest import serve

SAFE = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
}


@pytest.fixture
async def http(server):
    async with httpx.AsyncClient(base_url=server.url, headers=server.owner, timeout=60) as client:
        yield client


async def test_every_reply_has_an_id_and_headers_that_keep_browsers_out(http):
    """Whoever answers it, and whatever the answer is."""
    head = {"X-Request-Id": "request-0001"}
    for method, path, status in (
        ("POST", "/search", 200),
        ("POST", "/extract", 400),
        ("GET", "/healthz", 200),
        ("GET", "/v1/models", 200),
        ("GET", "/page/providers", 200),
        ("POST", "/agent", 400),
        ("DELETE", "/search", 405),
        ("GET", "/nothing", 404),
    ):
        reply = await http.request(method, path, json={"query": "otters"}, headers=head)

        assert reply.status_code == status, path
        assert reply.headers.get_list("x-request-id") == ["request-0001"]
        for name, value in SAFE.items():
            assert value in reply.headers[name]


async def test_an_id_of_the_client_is_taken_when_it_is_one(http):
    """8 to 64 letters, digits, dots and dashes; else the request gets a random UUID of its own."""
    for sent in ("12345678", "x" * 64, "a.b-c_d.e"):
        reply = await http.get("/healthz", headers={"X-Request-Id": sent})
        assert reply.headers["x-request-id"] == sent
    made = set()
    for sent in ("1234567", "x" * 65, "has space", "<script>", "", "\xe9" * 8):
        headers = {"X-Request-Id": sent.encode("latin-1")}
        made.add((await http.get("/healthz", headers=headers)).headers["x-request-id"])

    assert len(made) == 6
    assert {(uuid.UUID(id).version, uuid.UUID(id).variant) for id in made} == {(4, uuid.RFC_4122)}


async def test_slashes_at_the_start_of_a_path_are_one(reading_server, site):
    """Some clients join an address and a path with two; an address in a path keeps its own."""
    async with httpx.AsyncClient(timeout=60) as http:
        for path in ("//search", "///search"):
            reply = await http.post(reading_server.url + path, json={"query": "otters"})
            assert reply.status_code == 200
        read = await http.get(f"{reading_server.url}//jina/r/{site}otters")

    assert "hold hands" in read.text


async def test_a_failure_within_a_reply_ends_the_connection(make_client):
    """Half a reply must not look whole."""

    class Breaking(Kensaku):
        async def research_events(self, input: str, **options: Any) -> Any:
            yield TextDelta("Otters ")
            raise RuntimeError("a defect")

    settings = make_client("tavily").settings
    async with (
        Breaking(settings) as client,
        serve(kensaku.server.app(settings, client=client)) as url,
        httpx.AsyncClient(timeout=60) as http,
    ):
        body = {"input": "Otters?", "stream": True}
        async with http.stream("POST", f"{url}/research", json=body) as reply:
            chunks = reply.aiter_bytes()
            assert b"Otters " in await anext(chunks)
            with pytest.raises(httpx.RemoteProtocolError):
                await anext(chunks)


async def test_a_client_that_has_gone_is_counted_as_499(server, http):
    """Nobody was answered, and it is no failure of the server."""
    host, _, port = server.url.removeprefix("http://").partition(":")
    _, writer = await asyncio.open_connection(host, int(port))
    writer.write(b"POST /search HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\n{")
    await writer.drain()
    writer.close()
    await writer.wait_closed()

    line = 'kensaku_http_requests_total{endpoint="tavily/search",status="499"} 1.0'
    async with asyncio.timeout(60):
        while line not in (await http.get("/metrics")).text:
            pass


async def test_a_path_that_a_vendor_does_not_have_is_refused_as_it_would(http):
    """Its clients read the message there; it names what was asked for."""
    for wire in load_wires():
        for prefix in wire.territory:
            for method, path in (("GET", "/nothing-here"), ("POST", "/nothing/at/all")):
                reply = await http.request(method, prefix + path)
                told = f"there is no {method} {prefix}{path} here; GET /docs lists what there is"
                assert (reply.status_code, reply.json()) == (404, wire.error(404, told)), wire


async def test_the_openai_sdk_reads_why_a_path_is_not_there(server):
    """It has the message of the vendor's shape, and nothing of another one."""
    import openai

    async with openai.AsyncOpenAI(base_url=f"{server.url}/v1", api_key="any") as client:
        with pytest.raises(openai.NotFoundError) as refused:
            await client.embeddings.create(model="any", input="otters")

    assert "POST /v1/embeddings" in refused.value.body["message"]

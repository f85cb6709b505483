"""A running server, seen from outside: its metrics and its logs, with canaries in every request."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial

import aiohttp
import pytest

import kensaku.server
from kensaku import Kensaku

from .conftest import Running, serve
from .logged import Logs, assert_no_secret, logged

PROVIDER_KEY = "tvly-CANARY+p/0123456789=="
KEYS = {
    "bearer": "CANARY-bearer+h/0123456789==",
    "header": "CANARY-header+h/0123456789==",
    "token": "CANARY-token+t/0123456789==",
    "body": "CANARY-body+b/0123456789==",
    "query": "CANARY-query+q/0123456789==",
    "name": "CANARY-name+n/0123456789==",
    "password": "CANARY-password+p/0123456789==",
}
assert_no_key = partial(assert_no_secret, (*KEYS.values(), PROVIDER_KEY))
QUERY = "where does Person-zz91 live?"
SAID = [{"role": "user", "content": QUERY}]


@pytest.fixture
async def watched(make_server, level) -> AsyncIterator[tuple[Running, Logs]]:
    """A server, and what it logs."""
    server = await make_server("tavily", env={"TAVILY_API_KEY": PROVIDER_KEY})
    with logged(server.client.settings, level) as logs:
        yield server, logs


def canaries(**body: object) -> dict:
    """A request with a key in every place where clients put one."""
    return {
        "headers": {
            "Authorization": f"Bearer {KEYS['bearer']}",
            "X-API-Key": KEYS["header"],
            "X-Subscription-Token": KEYS["token"],
        },
        "params": {"api_key": KEYS["query"], "q": QUERY},
        "json": {"query": QUERY, "api_key": KEYS["body"], **body},
    }


async def test_no_key_of_a_request_is_logged_or_counted(watched, level):
    """Whatever comes of it: an answer, a refusal, a page that is not there."""
    server, logs = watched
    async with aiohttp.ClientSession(server.url) as http:
        for path, request in {
            "/search": canaries(),
            "//search": canaries(max_results="CANARY"),
            "/extract": canaries(urls=[]),
            f"/{KEYS['query']}": canaries(),
        }.items():
            async with http.post(server.url + path, **request) as reply:
                assert reply.status < 500
        basic = {
            "Authorization": aiohttp.encode_basic_auth(KEYS["name"], KEYS["password"]),
        }
        for path in ("/searxng/search", "/gpt-researcher", "/gpt-researcher/nothing"):
            params = canaries()["params"] | {"query": QUERY}
            async with http.get(path, params=params, headers=basic) as reply:
                assert reply.status in (200, 404)
        async with http.post("/search", data=b'{"api_key": "' + KEYS["body"].encode()) as reply:
            assert reply.status == 400
        async with http.get("/metrics") as reply:
            metrics = await reply.text()

    lines = logs.requests
    assert [line["status"] for line in lines][:4] == [200, 400, 400, 404]
    assert lines[0]["outcome"] == "found"
    assert_no_key(logs.text)
    assert_no_key(metrics)
    assert "zz91" not in metrics
    assert (QUERY in logs.text) is (level == "DEBUG")


@pytest.mark.parametrize(
    ("path", "asked"), [("/search", {}), ("/v1/chat/completions", {"messages": SAID})]
)
async def test_an_error_that_nobody_foresaw_is_told_and_logged_without_keys(
    make_client, level, path, asked
):
    """Its text may hold anything; the client gets its id, the log its type and place."""

    class Careless(Kensaku):
        async def search(self, *_, **__):
            raise RuntimeError(f"{PROVIDER_KEY} {KEYS['bearer']} {KEYS['body']} {QUERY}")

        async def ask_events(self, *_, **__):
            yield await self.search()

    settings = make_client("tavily", env={"TAVILY_API_KEY": PROVIDER_KEY}).settings
    async with serve(kensaku.server.app(settings, client=Careless(settings))) as url:
        with logged(settings, level) as logs:
            async with (
                aiohttp.ClientSession(url) as http,
                http.post(path, **canaries(**asked)) as reply,
            ):
                said, status, id = await reply.json(), reply.status, reply.headers["X-Request-Id"]

    (request,) = logs.requests
    (failed,) = [line for line in logs.lines if line["level"] == "ERROR"]
    assert said == {"detail": {"error": f"Internal Server Error (request {id})"}}
    assert status == request["status"] == 500
    assert failed["error"]["type"] == "RuntimeError"
    assert "test_observing.py" in failed["error"]["at"][-1]
    assert failed["request_id"] == request["request_id"] == id
    assert request["level"] == "WARNING"
    assert_no_key(logs.text)
    assert ("zz91" in logs.text) is (level == "DEBUG")


async def test_the_metrics_count_requests_and_attempts(server):
    """By endpoint and status; a path that is not there is one value, whatever it is called."""
    async with aiohttp.ClientSession(server.url) as http:
        for path in ("/search", "/search", "/nowhere", "/nothing"):
            await (await http.post(path, json={"query": "otters"})).read()
        async with http.get("/metrics", headers=server.owner) as reply:
            text, kind = await reply.text(), reply.content_type

    assert kind == "text/plain"
    for line in (
        'kensaku_http_requests_total{endpoint="tavily/search",status="200"} 2.0',
        'kensaku_http_requests_total{endpoint="none",status="404"} 2.0',
        "kensaku_http_requests_in_flight 1.0",
        'kensaku_cache_lookups_total{result="fresh"} 1.0',
        'kensaku_attempts_total{error="",outcome="found",provider="tavily"} 1.0',
    ):
        assert line in text

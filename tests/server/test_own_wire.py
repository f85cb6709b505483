"""A wire of one's own that streams: a class with an endpoint that yields, and nothing else."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any

import httpx
import pytest
from starlette.routing import Router

from kensaku.database.keys import create_key
from kensaku.errors import InvalidQuery, KensakuError, UnknownJob
from kensaku.server.asgi import routes
from kensaku.server.auth import KeyPlace
from kensaku.server.entry import Entry
from kensaku.server.http import data_frame
from kensaku.server.openapi import document
from kensaku.server.request import Request
from kensaku.server.state import State
from kensaku.server.wires.base import Asked, Endpoint, Wire

from .conftest import serve


class Ticker(Wire):
    """Counts to `n`, one search each."""

    name, label = "ticker", "Ticker"
    keys = (KeyPlace("query", "token"),)

    def endpoints(self) -> Sequence[Endpoint]:
        fields = {"n": {"type": "integer", "minimum": 0}}
        return [
            Endpoint(
                "POST", "/ticks", read, summary="Count", parameters=fields, required=("n",),
                do=ticks, cost=lambda n: n,
            )
        ]  # fmt: skip

    def last_frame(self, error: KensakuError, begun: bool) -> Any:
        return data_frame({"error": str(error)}) if begun else None


def read(asked: Asked) -> int:
    if not isinstance(n := asked.body.get("n"), int):
        raise InvalidQuery("n must be a number")
    return n


async def ticks(request: Request, n: int) -> AsyncIterator[bytes]:
    if n == 0:
        raise UnknownJob("nothing to count")
    for i in range(n):
        yield data_frame(i)
    if n == 3:
        raise InvalidQuery("three is enough")
    request.outcome = "found"


@pytest.fixture
async def state(make_client) -> AsyncIterator[State]:
    client = make_client("tavily")
    made = State(client.settings, client=client)
    await made.start()
    yield made
    await made.close()


@pytest.fixture
async def http(state) -> AsyncIterator[httpx.AsyncClient]:
    app = Entry(Router(routes(state, [Ticker()])), state)
    async with serve(app) as url, httpx.AsyncClient(base_url=url, timeout=60) as client:
        yield client


async def test_what_it_yields_is_streamed(http):
    """As server-sent events, behind no cache or buffer of a proxy."""
    reply = await http.post("/ticker/ticks", json={"n": 2})

    assert reply.text == "data: 0\n\ndata: 1\n\n"
    assert reply.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert (reply.headers["cache-control"], reply.headers["x-accel-buffering"]) == (
        "no-store",
        "no",
    )


async def test_an_error_has_its_status_until_the_first_frame_and_then_is_the_last(http):
    """A client that got no frame yet can still be told by the status."""
    wrong, none, three = [
        await http.post("/ticker/ticks", json=body) for body in ({}, {"n": 0}, {"n": 3})
    ]

    assert (wrong.status_code, wrong.json()) == (400, {"error": "n must be a number"})
    assert (none.status_code, "nothing to count" in none.text) == (404, True)
    assert three.text.endswith('data: 2\n\ndata: {"error":"three is enough"}\n\n')


async def test_key_quota_and_usage_are_no_business_of_its_own(http, state):
    """Its key stands where the wire says, and its searches count."""
    _, secret = await create_key(state.database, "ann", searches_per_day=3)
    state.keys.require()

    statuses = [
        (await http.post(f"/ticker/ticks?{query}", json={"n": 2})).status_code
        for query in ("", f"token={secret}", f"token={secret}")
    ]
    header = await http.post(
        "/ticker/ticks", json={"n": 2}, headers={"Authorization": f"Bearer {secret}"}
    )
    metrics = state.metrics.render()[0].decode()

    assert [*statuses, header.status_code] == [401, 200, 432, 401]
    assert 'endpoint="ticker/ticks",status="432"' in metrics


def test_it_is_in_the_openapi_document_by_itself():
    """With the place of its key."""
    described = document([Ticker()])

    operation = described["paths"]["/ticker/ticks"]["post"]
    schema = operation["requestBody"]["content"]["application/json"]["schema"]
    assert (operation["summary"], schema["required"]) == ("Count", ["n"])
    place = {"type": "apiKey", "in": "query", "name": "token"}
    assert described["components"]["securitySchemes"]["token"] == place

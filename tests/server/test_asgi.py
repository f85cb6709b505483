"""The application: its lifespan, its routes, and errors that no endpoint has answered."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.routing import Route

import kensaku.server
from kensaku.errors import InvalidQuery
from kensaku.server import asgi
from kensaku.server.endpoint import WireEndpoint
from kensaku.server.http import ClientDisconnected
from kensaku.server.limits import RateExceeded
from kensaku.server.wires import load_wires

REQUEST = Request({"type": "http", "headers": [], "state": {"request_id": "req-1"}})


@pytest.mark.parametrize(
    ("handler", "error", "status", "says", "headers"),
    [
        (asgi._refuse, HTTPException(405, "no", {"allow": "GET"}), 405, "no", {"allow": "GET"}),
        (asgi._refuse_call, InvalidQuery("no"), 400, "no", {}),
        (
            asgi._refuse_call,
            RateExceeded(3.0),
            429,
            str(RateExceeded(3.0)),
            {"retry-after": "3"},
        ),
        (asgi._fail, ValueError("s3cret"), 500, "Internal Server Error (request req-1)", {}),
    ],
    ids=["http", "ours", "rate", "defect"],
)
async def test_an_error_that_nobody_answered_is_json(handler, error, status, says, headers):
    """Clients of all vendors read it; a defect is not described to strangers."""
    reply = await handler(REQUEST, error)

    assert (reply.status_code, json.loads(reply.body)) == (status, {"detail": {"error": says}})
    more = {n: v for n, v in reply.headers.items() if not n.startswith("content-")}
    assert more == headers


async def test_who_has_gone_is_answered_with_a_status_alone():
    """It is for the log."""
    reply = await asgi._end(REQUEST, ClientDisconnected())

    assert (reply.status_code, reply.body) == (499, b"")


async def test_the_lifespan_starts_and_closes(make_client):
    """A client that was given is used; `hosts` are answered to."""
    client = make_client("tavily")
    app = kensaku.server.app(client.settings, client=client, hosts=["search.example"])
    state = app.state
    assert (state.client, state._hosts, state.settings) == (
        client, {"search.example"}, client.settings,
    )  # fmt: skip
    inner: Any = app._app
    async with inner.router.lifespan_context(inner):
        assert state.started
    assert not state.started
    assert inner.exception_handlers == {
        HTTPException: asgi._refuse,
        asgi.KensakuError: asgi._refuse_call,
        ClientDisconnected: asgi._end,
        Exception: asgi._fail,
    }


def test_settings_are_read_where_none_are_given(monkeypatch, machine):
    """As `kensaku serve` does."""
    monkeypatch.setenv("KENSAKU_TENANT", "home")

    app = kensaku.server.app()

    assert app.state.settings.tenant == "home"


def test_every_wire_is_under_its_prefix_and_some_at_the_root():
    """By the first that has the path; / itself is the page."""
    routes = {
        (method, r.path): r.endpoint
        for r in asgi.wire_routes(None)
        for method in r.methods - {"HEAD"}
    }
    seen: set[tuple[str, str]] = set()
    for wire in load_wires():
        for endpoint in wire.endpoints():
            made = routes[endpoint.method, f"/{wire.name}{endpoint.path}"]
            assert made.name == f"{wire.name}{endpoint.path}"
            at_root = (endpoint.method, endpoint.path)
            if wire.at_root and endpoint.path not in ("", "/") and at_root not in seen:
                seen.add(at_root)
                assert routes[at_root] is made
    names = {wire.name for wire in load_wires()}
    roots = {at for at in routes if at[1].split("/")[1] not in names}
    assert {("POST", "/search"), ("POST", "/extract")} <= seen
    assert roots == seen


def test_only_plain_paths_of_wires_are_found_without_starlette(monkeypatch):
    """They answer every error themselves."""
    wire, other = WireEndpoint.__new__(WireEndpoint), WireEndpoint.__new__(WireEndpoint)
    found = asgi.exact_endpoints(
        [
            Route("/a", wire, methods=["GET", "POST"]),
            Route("/a", other, methods=["POST"]),
            Route("/b/{id}", wire, methods=["GET"]),
            Route("/c", lambda _: None, methods=["GET"]),
            SimpleNamespace(path="/d"),
        ]
    )

    assert found == {("GET", "/a"): wire, ("POST", "/a"): wire}

"""What an operator asks the server."""

from __future__ import annotations

import asyncio

import httpx
import pytest

from kensaku.errors import IndexFault
from kensaku.server.system import _said, check


@pytest.fixture
async def http():
    async with httpx.AsyncClient(timeout=60) as client:
        yield client


async def test_a_server_that_works_says_so(server, http):
    """Alive, and ready with all that it needs."""
    alive, ready = [await http.get(f"{server.url}/{p}") for p in ("healthz", "readyz")]

    assert (alive.status_code, alive.json()) == (200, {"status": "ok"})
    assert (ready.status_code, ready.json()) == (
        200,
        {"status": "ok", "checks": {"database": "ok", "store": "ok", "index": "ok"}},
    )


async def test_a_server_that_is_about_to_stop_is_not_ready(server, http):
    """No load balancer should send it more."""
    server.state.draining = True
    ready = await http.get(f"{server.url}/readyz")
    server.state.draining = False

    assert (ready.status_code, ready.json()) == (
        503,
        {"status": "unavailable", "checks": {"server": "it is about to stop"}},
    )
    assert (await check(server.state)).keys() == {"database", "store", "index"}


async def test_what_is_wrong_is_told_in_a_word(clock):
    """An error of ours by its sentence, one of the system by its type, silence by its length."""

    async def fails(error: Exception) -> None:
        raise error

    async def hangs() -> None:
        clock.advance(2.1)
        await asyncio.get_running_loop().create_future()

    async def works() -> None:
        clock.advance(1.5)
        await asyncio.sleep(0)

    assert await _said(fails(IndexFault("the store is gone"))) == "the store is gone"
    assert await _said(fails(ConnectionResetError("10.0.0.1"))) == "ConnectionResetError"
    assert await _said(hangs()) == "it did not answer within 2 s"
    assert await _said(works()) == "ok"


async def test_metrics_are_for_admins(server, http, make_key):
    """Of whoever has a key."""
    bob, root = await make_key(server, "bob"), await make_key(server, "root", admin=True)
    refused, shown = [
        await http.get(f"{server.url}/metrics", headers={"authorization": f"Bearer {key}"})
        for key in (bob, root)
    ]

    assert (refused.status_code, refused.json()) == (
        403,
        {"detail": {"error": "this key may not read the metrics"}},
    )
    assert shown.status_code == 200
    assert shown.headers["content-type"].startswith("text/plain; version=")
    assert "kensaku_http_requests_total" in shown.text

"""What an operator asks the server."""

from __future__ import annotations

import asyncio

import pytest

import kensaku.server
from kensaku import Kensaku
from kensaku.errors import IndexFault

from .conftest import serve


async def test_a_server_that_works_says_so(server, http):
    """Alive, and ready with all that it needs."""
    alive = await http.get(f"{server.url}/healthz")
    async with asyncio.timeout(60):  # on a busy machine the index takes longer to start
        while (ready := await http.get(f"{server.url}/readyz")).status_code != 200:
            pass

    assert (alive.status_code, alive.json()) == (200, {"status": "ok"})
    assert (ready.status_code, ready.json()) == (
        200,
        {"status": "ok", "checks": {"database": "ok", "store": "ok", "disk": "ok", "index": "ok"}},
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
    again = await http.get(f"{server.url}/readyz")
    assert again.json()["checks"].keys() == {"database", "store", "disk", "index"}


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (IndexFault("the store is gone"), "the store is gone"),
        (ConnectionResetError("10.0.0.1"), "ConnectionResetError"),
        (None, "it did not answer within 2 s"),
    ],
    ids=["ours", "the system's", "silence"],
)
async def test_what_is_wrong_is_told_in_a_word(make_client, http, clock, error, told):
    """An error of ours by its sentence, one of the system by its type, silence by its length."""

    class Index:
        async def collections(self) -> None:
            if error is not None:
                raise error
            clock.advance(2.1)
            await asyncio.get_running_loop().create_future()

    class Broken(Kensaku):
        index = Index()  # type: ignore[assignment]

    settings = make_client("tavily").settings
    async with (
        Broken(settings) as client,
        serve(kensaku.server.app(settings, client=client)) as url,
    ):
        ready = await http.get(f"{url}/readyz")

    assert ready.status_code == 503
    assert ready.json()["status"] == "unavailable"
    assert ready.json()["checks"]["index"] == told

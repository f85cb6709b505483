"""Calls of the page's API, for tests that call a handler itself."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from kensaku.server.api.base import Call
from kensaku.server.auth import ANYONE, Principal
from kensaku.server.session import Session
from kensaku.server.state import State
from tests.server.page.page_request import page_of

MakeCall = Callable[..., Call]


@pytest.fixture
async def state(make_client) -> AsyncIterator[State]:
    """A server's state over a database that is empty."""
    client = make_client("tavily", fetch_allow=("127.0.0.0/8",), fetch_ports="any",
                         fetch_robots="never")  # fmt: skip
    made = State(client.settings, client=client)
    await made.start()
    yield made
    await made.close()


@pytest.fixture
def make_call(state: State) -> MakeCall:
    """`make_call({"q": "otters"}, id="1")` → what a handler is given; `id` is of the path."""

    def make(
        fields: dict[str, Any] | None = None,
        query: str = "",
        *,
        principal: Principal = ANYONE,
        raw: bytes = b"",
        headers: dict[str, str] | None = None,
        of: Any = None,
        **path: str,
    ) -> Call:
        page = page_of(of or state, query, principal=principal, **(headers or {}))
        session = Session(principal, state.client_of(principal), state.limits)
        return Call(page, session, path, fields or {}, raw)

    return make

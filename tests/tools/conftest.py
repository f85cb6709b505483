"""A client with documents of its own, for the tools that search them."""

from __future__ import annotations

import pytest

from .doubles import BREAD, KELP, OTTERS, PROSE


@pytest.fixture
async def zoo(make_client):
    """A client whose index has a collection `zoo`."""
    client = make_client("local")
    await client.index.add([OTTERS, KELP, BREAD], collection="zoo")
    return client


@pytest.fixture
def site(upstream):
    """The address of a site of two pages."""
    upstream.serves("/robots.txt", "User-agent: *\nAllow: /\n")
    upstream.serves("/one", f"<title>One</title><main><h1>One</h1><p>{PROSE}</p></main>")
    return upstream.serves(
        "/", f"<title>Start</title><main><p>{PROSE}</p><p><a href='/one'>One</a></p></main>"
    )


@pytest.fixture
def fetching(make_client):
    """A client that may fetch from loopback."""
    return make_client("tavily", fetch_allow=("127.0.0.0/8",), fetch_ports="any")

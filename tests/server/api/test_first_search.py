"""The first search of a fresh home: the page says that the index is being filled, and waits."""

from __future__ import annotations

import asyncio

import pytest

from kensaku.testing import faults
from tests.server.page_client import until

SEARCH_SECONDS = 60


@pytest.fixture
async def server(make_server, upstream, build):
    """A server whose only provider refuses, in a fresh home."""
    upstream.fails("brave", faults.status(401))
    return await make_server("brave", "local", timeout=SEARCH_SECONDS)


async def test_the_index_is_waited_for_beyond_the_deadline(page, build, clock):
    """First that nobody could search and how far the index is; then what it holds."""
    seen: list[str] = []
    head = await page.headers()
    asked = {"q": "end an asyncio task"}
    async with page.http.post(f"{page.url}/api/search", json=asked, headers=head) as reply:
        async for line in reply.content:
            seen.append(line.decode())
            if seen[-1] == "event: preparing\n" and not build.may_end.is_set():
                clock.advance(SEARCH_SECONDS)
            if '"outcome":"unavailable"' in seen[-1]:
                build.may_end.set()
    names = [line.split()[1] for line in seen if line.startswith("event: ")]

    assert names.index("preparing") < names.index("response") < len(names) - 1
    preparing = seen[seen.index("event: preparing\n") + 1]
    assert "being prepared" in preparing
    assert "13 %" in preparing or "12 %" in preparing  # a quarter of the first half
    assert names[-1] == "response"
    assert "pydoc:asyncio.Task.cancel" in seen[-2] or "Task.cancel" in "".join(seen[-4:])


async def test_a_page_without_scripts_says_so_too(page, build, clock):
    """On the empty page and beside the failure."""
    searching = asyncio.ensure_future(page.get("/?q=asyncio+task"))
    await build.began.wait()
    clock.advance(SEARCH_SECONDS)
    failed, empty = await searching, await page.get("/")
    build.may_end.set()

    for html in (failed, empty):
        assert "The local index is being prepared" in html
        assert "<progress max" in html
    assert "No results yet" in failed
    assert "it does not take this key" in failed


async def test_a_server_fills_an_empty_index_by_itself(server, build, clock):
    """A moment after its start."""
    server.state.fill_index()
    clock.advance(60)
    build.may_end.set()

    await until(server.client.index.collections, lambda names: names == ["pydocs"])

"""The server: how it introduces itself, progress of long work, cancellation, what it closes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest

from kensaku import __version__
from kensaku.errors import UnknownName
from kensaku.models import ProgressEvent
from kensaku.testing import FakeUpstream, faults
from kensaku.tools import BaseTool, ToolResult

from .servers import connect, eras, make_server, served, text_of


class Telling(BaseTool):
    """Wants a model to know something, and says less than it has."""

    name, about = "telling", {"en": "Tell."}

    def prompt_section(self, where: str = "") -> str:
        return f"for {where}"

    async def execute(self, *args: Any, **arguments: Any) -> ToolResult:
        return ToolResult(True, {"content": "the whole"}, "short")


@eras
async def test_a_server_introduces_itself(make_client, mode):
    """With its version, and what its tools want a model to know."""
    client = make_client("tavily")
    async with connect(make_server([Telling(), Walk()], client=client), mode=mode) as c:
        assert (c.server_info.name, c.server_info.version) == ("kensaku", __version__)
        assert c.instructions == "for mcp"
    async with connect(make_server([Walk()], client=client), mode=mode) as c:
        assert not c.instructions


async def test_whole_results_are_listed_to_the_one_client_alone(make_client):
    """Over HTTP there are others: there a result is read by who knows its address."""
    server = make_server([Telling()], client=make_client("tavily"))
    async with connect(server) as c:
        uri = str((await c.call_tool("telling", {})).content[1].uri)
        assert [str(r.uri) for r in (await c.list_resources()).resources] == [uri]
    async with served(server) as url, connect(url) as c:
        uri = str((await c.call_tool("telling", {})).content[1].uri)
        assert (await c.list_resources()).resources == []
        assert "the whole" in (await c.read_resource(uri)).contents[0].text


async def test_only_a_client_of_its_own_is_closed(make_client, monkeypatch, machine):
    """After the last request; one that was given can go on searching."""
    async with Watched() as up:
        for name, value in up.environment("tavily").items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("WEB_SEARCH_PROVIDER", "tavily")
        async with connect(make_server(["web_search"])) as c:
            assert not (await c.call_tool("web_search", {"query": "otter"})).is_error
            assert not up.went.is_set()
        await asyncio.wait_for(up.went.wait(), 60)

        up.went.clear()
        own = make_client("tavily", at=up)
        async with connect(make_server(["web_search"], client=own)) as c:
            await c.call_tool("web_search", {"query": "otter"})
        assert (await own.search("beaver")).hits
        assert not up.went.is_set()


def test_a_tool_that_is_not_there_is_named(make_client):
    """Before anything is served."""
    with pytest.raises(UnknownName, match="'web_serch'") as refused:
        make_server([Telling(), "web_search", "web_serch"], client=make_client("tavily"))
    assert "web_search" in refused.value.remedy


class Walk(BaseTool):
    """Long work that says how far it is, in a worker's thread too."""

    name = "walk"
    title = {"en": "Walk"}
    about = {"en": "Walk a while."}

    async def execute(self, *args: Any, **arguments: Any) -> ToolResult:
        for step in (1, 2, 2, 3):
            await asyncio.to_thread(self.progress, ProgressEvent("walking", step, 3))
        return ToolResult(True, output={"steps": 3}, text="there")


@eras
async def test_long_work_tells_each_step_and_always_more(make_client, mode):
    """A client shows it, and does not give up on a request that still moves."""
    client, told = make_client("tavily"), []

    async def on_progress(done: float, total: float | None, message: str | None) -> None:
        told.append((done, total, message))

    async with connect(make_server([Walk(client)], client=client), mode=mode) as c:
        await c.call_tool("walk", {}, progress_callback=on_progress)

    assert told[0] == (0, None, "Walk")
    assert told[-1] == (3, 3, "walking")
    assert [t[0] for t in told] == sorted({t[0] for t in told})


async def test_two_calls_at_once_hear_only_of_their_own_steps(make_client):
    """They share one client, and its progress is one callback."""
    client, told = make_client("tavily"), {"a": [], "b": []}

    def teller(of: str):
        async def on_progress(done, total, message):
            told[of].append(done)

        return on_progress

    async with connect(make_server([Walk(client)], client=client)) as c:
        await asyncio.gather(
            *(c.call_tool("walk", {}, progress_callback=teller(of)) for of in told)
        )

    assert told["a"] == told["b"] == [0, 1, 2, 3]


class Pending(BaseTool):
    """Work without steps that lasts until the test ends it."""

    name, about = "pending", {"en": "Wait."}

    def __init__(self) -> None:
        super().__init__()
        self.finish = asyncio.Event()

    async def execute(self, *args: Any, **arguments: Any) -> ToolResult:
        await self.finish.wait()
        return ToolResult(True, text="done")


async def test_slow_work_is_heard_of_before_it_ends(make_client, clock):
    """A client's time-out starts anew with each notification: there is one every five seconds."""
    tool, received = Pending(), []

    async def on_progress(done, total, message):
        received.append((done, total, message))
        if len(received) == 4:
            tool.finish.set()

    async def let_time_pass():
        while not tool.finish.is_set():
            clock.advance(1)
            await asyncio.sleep(0)

    async with connect(make_server([tool], client=make_client("tavily"))) as c:
        passing = asyncio.create_task(let_time_pass())
        await c.call_tool("pending", {}, progress_callback=on_progress)
        await passing

    steps = [done for done, *_ in received]
    assert len(steps) >= 4
    assert steps == sorted(set(steps))
    assert max(steps) < 1
    assert {(total, message) for _, total, message in received} == {(None, "pending")}


@eras
async def test_pages_are_read_one_by_one_and_kept_whole(make_client, upstream, mode):
    """The longest work there is: every page is a step, and none is lost for its length."""
    said = [f"Otter {n} sleeps holding hands in the kelp." for n in range(1_800)]
    many = "".join(f"<p>{' '.join(said[at : at + 30])}</p>" for at in range(0, len(said), 30))
    urls = [
        upstream.serves(f"/page/{n}", f"<html><body><article>{many}</article></body></html>")
        for n in range(3)
    ]
    told = []

    async def on_progress(done, total, message):
        told.append((done, total, message))

    client = make_client("tavily", fetch_allow=("127.0.0.0/8",), fetch_ports="any")
    async with connect(make_server(client=client), mode=mode) as c:
        result = await c.call_tool("web_extract", {"urls": urls}, progress_callback=on_progress)
        whole = (await c.read_resource(str(result.content[1].uri))).contents[0].text

    steps = [t[:2] for t in told[1:] if t[0] == int(t[0])]  # a slow machine adds heartbeats
    assert steps == [(1, 3), (2, 3), (3, 3)]
    assert all(url in text_of(result) for url in urls)
    assert whole.count("Otter 1799") == 3
    assert "Otter 1799" not in text_of(result)
    assert len(result.model_dump_json()) < 100_000


class Watched(FakeUpstream):
    """An upstream that notices when somebody comes, and goes."""

    def __init__(self) -> None:
        super().__init__()
        self.came, self.went = asyncio.Event(), asyncio.Event()

    def respond(self, request):
        self.came.set()
        return super().respond(request)

    def connection_closed(self, connection):
        self.went.set()
        super().connection_closed(connection)


@asynccontextmanager
async def connected(server, transport: str, mode: str) -> AsyncIterator[Any]:
    if transport == "memory":
        async with connect(server, mode=mode) as c:
            yield c
    else:
        async with served(server) as url, connect(url, mode=mode) as c:
            yield c


@eras
@pytest.mark.parametrize("transport", ["memory", "http"])
async def test_a_request_that_is_called_off_calls_off_the_search(make_client, mode, transport):
    """Nobody waits for it any more: it must cost nothing more."""
    async with Watched() as up:
        up.fails("tavily", faults.hang())
        server = make_server(client=make_client("tavily", at=up))
        async with connected(server, transport, mode) as c:
            call = asyncio.create_task(c.call_tool("web_search", {"query": "otter"}))
            await asyncio.wait_for(up.came.wait(), 60)
            call.cancel()
            with suppress(asyncio.CancelledError):
                await call
            await asyncio.wait_for(up.went.wait(), 60)
            up.heals()
            again = await c.call_tool("web_search", {"query": "beaver"})

    assert text_of(again).startswith("outcome: found")

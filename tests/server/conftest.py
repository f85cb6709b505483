"""A server in the process: real HTTP on loopback, a fake upstream behind it."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
import uvicorn

import kensaku.server
from kensaku import Kensaku
from kensaku.database.keys import create_key
from kensaku.index import Document, Index, ProgressEvent, pydocs
from kensaku.models import Hit
from kensaku.transport.listen import make_config
from tests.answers.conftest import model as model
from tests.answers.conftest import web as web

from .page_client import PageClient, browsing


@dataclass(frozen=True)
class Running:
    """A server that listens."""

    url: str
    client: Kensaku
    state: Any

    @property
    def owner(self) -> dict[str, str]:
        """What the owner of a server without keys sends."""
        return {"Authorization": f"Bearer {self.state.token}"}


MakeServer = Callable[..., Any]
StartServer = Callable[..., tuple["subprocess.Popen[bytes]", str]]
MAIN = "import sys; from kensaku.cli import main; sys.exit(main())"


class Server(uvicorn.Server):
    """uvicorn's server, which ends as soon as it is told to, and not at its next tenth second.

    Its own shutdown waits for one more, which is most of what a test of a server would take.
    """

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.told_to_end = asyncio.Event()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signals of the process alone: tests start several servers, and end them."""
        yield

    async def main_loop(self) -> None:
        await self.on_tick(0)  # it sets the headers of every reply
        await self.told_to_end.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for listening in (*self.servers, *(sockets or ())):
            listening.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        try:
            async with asyncio.timeout(self.config.timeout_graceful_shutdown):
                # uvicorn has no event for it
                while self.server_state.connections or self.server_state.tasks:  # noqa: ASYNC110
                    await asyncio.sleep(0.005)
        except TimeoutError:
            for task in self.server_state.tasks:
                task.cancel()
        await self.lifespan.shutdown()


@asynccontextmanager
async def serve(app: Any, listener: socket.socket | None = None) -> AsyncIterator[str]:
    """Serve an application on a free port of loopback."""
    listener = listener or socket.create_server(("127.0.0.1", 0))
    server = Server(make_config(app))
    task = asyncio.create_task(server.serve(sockets=[listener]))
    while not server.started:
        if task.done():
            task.result()
        await asyncio.sleep(0.005)
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.told_to_end.set()
        await task
        listener.close()


@pytest.fixture
async def make_server(make_client) -> AsyncIterator[MakeServer]:
    """Start servers over clients that ask the fake upstream."""
    async with AsyncExitStack() as stack:

        async def make(*route: str, is_public: bool = False, **settings: Any) -> Running:
            listener = socket.create_server(("127.0.0.1", 0))
            if is_public:
                settings["public_url"] = f"http://127.0.0.1:{listener.getsockname()[1]}"
            client = make_client(*(route or ("tavily",)), **settings)
            app = kensaku.server.app(client.settings, client=client)
            url = await stack.enter_async_context(serve(app, listener))
            return Running(url, client, app.state)

        yield make


@pytest.fixture
async def server(make_server) -> Running:
    """A server over one fake provider."""
    return await make_server()


@pytest.fixture
async def http(server: Running) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the server, which needs its paths alone."""
    async with httpx.AsyncClient(base_url=server.url, timeout=60) as client:
        yield client


@pytest.fixture
async def page(server: Running) -> AsyncIterator[PageClient]:
    """Its owner's browser."""
    async with browsing(server.url) as made:
        yield made


READS = {"fetch_allow": ("127.0.0.1",), "fetch_ports": ("any",), "fetch_robots": "never"}


@pytest.fixture(params=["INFO", "DEBUG"])
def level(request: pytest.FixtureRequest) -> str:
    """The level of logs: secrets are in neither, queries at DEBUG alone."""
    return str(request.param)


@pytest.fixture
def make_key() -> Callable[..., Any]:
    """Create keys of a server, which needs one at once."""

    async def make(server: Running, name: str = "agent", **bounds: Any) -> str:
        await server.state.start()
        _, secret = await create_key(server.state.database, name, **bounds)
        server.state.keys.require()  # or it looks again only after a second
        return secret

    return make


def kill(process: subprocess.Popen[bytes]) -> None:
    """End a process with no chance to say goodbye."""
    process.kill()
    process.wait()


@pytest.fixture
def start_server(processes: None, machine) -> Iterator[StartServer]:
    """Start `kensaku serve` and wait until it listens; return the process and its address.

    `before` are the words of a program that starts it.
    """
    started: list[subprocess.Popen[bytes]] = []

    def start(*before: str, **values: str) -> tuple[subprocess.Popen[bytes], str]:
        env = {**os.environ, "KENSAKU_HOME": str(machine), **values}
        process = subprocess.Popen(
            [*before, sys.executable, "-c", MAIN, "serve", "--port", "0", "--log-level", "warning"],
            env=env,
            stderr=subprocess.PIPE,
        )
        started.append(process)
        assert process.stderr is not None
        greeting = process.stderr.readline().decode()
        return process, greeting.split()[-1]

    yield start
    for process in started:
        kill(process)
        if process.stderr is not None:
            process.stderr.close()


class Build:
    """How the local index is filled: the real build takes seconds of the processor."""

    def __init__(self) -> None:
        self.began, self.may_end = asyncio.Event(), asyncio.Event()


@pytest.fixture
def build(monkeypatch: pytest.MonkeyPatch) -> Build:
    """It ends when it may."""
    made = Build()

    async def fill(index: Index, *, progress: Any, background: bool = False) -> None:
        progress(ProgressEvent(pydocs.READING, 1, 4))
        made.began.set()
        await made.may_end.wait()
        text = "Ask the task to end: asyncio throws CancelledError into it."
        await index.add([Document("pydoc:asyncio.Task.cancel", "Task.cancel", text)], "pydocs")

    monkeypatch.setattr(pydocs, "build", fill)
    return made


PROSE = "Sea otters hold hands while they sleep, so that they do not drift apart. " * 6


@pytest.fixture
def site(upstream) -> str:
    """The address of a site of three pages, one of which is not there."""
    upstream.serves("/robots.txt", "User-agent: *\nAllow: /\n")
    upstream.serves("/otters", f"<title>Otters</title><main><h1>Otters</h1><p>{PROSE}</p></main>")
    upstream.serves("/kelp", f"<title>Kelp</title><main><p>Kelp is food. {PROSE}</p></main>")
    links = "<a href='/otters'>Otters</a> <a href='/kelp'>Kelp</a>"
    return upstream.serves("/", f"<title>Start</title><main><p>{PROSE}</p><p>{links}</p></main>")


@pytest.fixture
async def reading_server(make_server) -> Running:
    """A server that may fetch from loopback."""
    return await make_server(fetch_allow=("127.0.0.0/8",), fetch_ports="any")


@pytest.fixture
def found(site, upstream) -> str:
    """The site, which is also what searches find."""
    otters = Hit(url=site + "otters", title="Otters", content="Otters hold hands.", score=0.9)
    kelp = Hit(url=site + "kelp", title="Kelp", content="Kelp is food.", score=0.5)
    for provider in ("tavily", "brave"):
        upstream.answers(provider, [otters, kelp])
    return site

"""How far one has to read to follow a call: calls, files and switches between files.

    python bench/walk.py [-v] [FLOW …]

A warm client, without a model, asks a fake upstream over loopback. Every call of a function of
ours is counted, in worker threads, too; a switch is a call into another file. The upstream and the
test's side of HTTP are not counted.

search     Tavily is down twice, Brave answers        research  two questions, one page each
answer     one search, sentences of its hits          POST /search  the Tavily wire of the server
ask        one search, nobody to ask                  chat turn     a message on the page, followed
                                                                    by events until it is answered
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import threading
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any

import kensaku
from kensaku import Hit, Kensaku, Settings
from kensaku.testing import FakeUpstream, faults

SOURCE = str(Path(kensaku.__file__).parent)
QUESTION = "How do sea otters sleep?"
SLEEP = "Sea otters hold hands while they sleep. A group of resting otters is called a raft."
FOOD = "Sea otters eat up to 25 % of their weight each day. Their food is sea urchins and clams."
HITS = [
    Hit("https://a.example/sleep", "How otters sleep", SLEEP),
    Hit("https://b.example/food", "What otters eat", FOOD),
]
HOST = "127.0.0.1:8787"
Flow = Callable[[Kensaku, "Walk"], Awaitable[None]]


class Walk:
    """Counts the calls of our own functions while it is on."""

    def __init__(self) -> None:
        self.calls = self.switches = 0
        self.files: Counter[str] = Counter()
        self.on = False
        self._at = ""

    def __enter__(self) -> None:
        self.on = True

    def __exit__(self, *_: object) -> None:
        self.on = False

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        file = frame.f_code.co_filename
        ours = file.startswith(SOURCE) and "/testing/" not in file
        if not self.on or event != "call" or not ours:
            return
        self.calls += 1
        self.files[file.removeprefix(SOURCE + "/")] += 1
        self.switches += file != self._at
        self._at = file


async def search(k: Kensaku, walk: Walk) -> None:
    await k.search("otters", route="brave")
    await k.search("otters", route="tavily")
    UPSTREAM.fails("tavily", faults.status(503))
    with walk:
        await k.search("otters")
    UPSTREAM.answers("tavily", HITS)


async def answer(k: Kensaku, walk: Walk) -> None:
    await k.answer("What do otters eat?")
    with walk:
        await k.answer(QUESTION)


async def ask(k: Kensaku, walk: Walk) -> None:
    await k.ask("What do otters eat?")
    with walk:
        await k.ask(QUESTION)


async def research(k: Kensaku, walk: Walk) -> None:
    await k.research("What do otters eat?")
    with walk:
        await k.research(f"{QUESTION} What do sea otters eat each day?")


async def post_search(k: Kensaku, walk: Walk) -> None:
    async with Server.of(k) as server:
        await server.post("/search", {"query": "What do otters eat?"})
        with walk:
            await server.post("/search", {"query": QUESTION})


async def chat_turn(k: Kensaku, walk: Walk) -> None:
    async with Server.of(k) as server:
        token = re.search(r'kensaku-token" content="([^"]+)"', await server.get("/"))
        assert token
        server.headers["x-kensaku-token"] = token[1]
        for question, count in (("What do otters eat?", False), (QUESTION, True)):
            walk.on = count
            began = json.loads(await server.post("/api/chat", {"text": question}))
            await server.get(f"/api/chat/{began['id']}/events", until=b"event: done")
            walk.on = False


class Server:
    """The server as an ASGI application, and a browser that calls it."""

    def __init__(self, app: Any) -> None:
        self.app = app
        self.headers = {"host": HOST, "origin": f"http://{HOST}", "sec-fetch-site": "same-origin"}

    @classmethod
    @asynccontextmanager
    async def of(cls, client: Kensaku) -> AsyncIterator[Server]:
        """Start a server over a client."""
        from kensaku.server import app

        made = cls(app(client.settings, client=client))
        heard: asyncio.Queue[dict[str, str]] = asyncio.Queue()
        said: asyncio.Queue[dict[str, str]] = asyncio.Queue()
        task = asyncio.create_task(made.app({"type": "lifespan"}, heard.get, said.put))
        await heard.put({"type": "lifespan.startup"})
        await said.get()
        yield made
        await heard.put({"type": "lifespan.shutdown"})
        await task

    async def get(self, path: str, until: bytes = b"") -> str:
        """A page, or a stream up to an event."""
        return await self._call("GET", path, b"", until)

    async def post(self, path: str, body: Any) -> str:
        """The reply to JSON."""
        return await self._call("POST", path, json.dumps(body).encode())

    async def _call(self, method: str, path: str, body: bytes, until: bytes = b"") -> str:
        sent = [(name.encode(), value.encode()) for name, value in self.headers.items()]
        sent += [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method,
            "scheme": "http", "path": path, "raw_path": path.encode(), "query_string": b"",
            "root_path": "", "headers": sent, "client": ("127.0.0.1", 5), "server": (HOST, 8787),
        }  # fmt: skip
        requests = [{"type": "http.request", "body": body, "more_body": False}]
        got, status, left = bytearray(), 0, asyncio.Event()

        async def receive() -> dict[str, Any]:
            if requests:
                return requests.pop()
            await left.wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            nonlocal status
            status = message.get("status", status)
            got.extend(message.get("body", b""))
            for name, value in message.get("headers", ()):
                if name == b"set-cookie":
                    self.headers["cookie"] = value.decode().partition(";")[0]
            if until and until in got:
                left.set()

        await self.app(scope, receive, send)
        assert status == 200, got[:300]
        return got.decode()


FLOWS: dict[str, Flow] = {
    "search": search,
    "answer": answer,
    "ask": ask,
    "research": research,
    "POST /search": post_search,
    "chat turn": chat_turn,
}


async def measure(flow: Flow, walk: Walk) -> None:
    """Run a flow with a client of its own."""
    with TemporaryDirectory() as home:
        environ = {"KENSAKU_HOME": home, **UPSTREAM.environment("tavily", "brave")}
        rates = {"TAVILY_RATE": "1000/s", "BRAVE_RATE": "1000/s"}
        settings = Settings.load(
            environ=environ | rates, route="tavily,brave", cache_enabled=False,
            fetch_robots="never", assistant_silent=0, assistant_notify=0, assistant_confirm=0,
        )  # fmt: skip
        async with Kensaku(settings) as k:
            UPSTREAM.answers("tavily", HITS)
            UPSTREAM.answers("brave", HITS)
            await flow(k, walk)


def source_lines() -> str:
    files = list(Path(SOURCE).rglob("*.py"))
    return f"{sum(len(p.read_text().splitlines()) for p in files)} in {len(files)} files"


def main() -> None:
    wanted = [name for name in sys.argv[1:] if name in FLOWS] or list(FLOWS)
    print(f"{'flow':14}{'calls':>7}{'files':>7}{'switches':>10}")
    for name in wanted:
        walk = Walk()
        threading.setprofile(walk)
        sys.setprofile(walk)
        asyncio.run(measure(FLOWS[name], walk))
        sys.setprofile(None)
        print(f"{name:14}{walk.calls:7}{len(walk.files):7}{walk.switches:10}")
        if "-v" in sys.argv:
            for file, calls in walk.files.most_common():
                print(f"{calls:7}  {file}")
    print(f"lines of src: {source_lines()}")


with FakeUpstream.in_thread() as UPSTREAM:
    main()

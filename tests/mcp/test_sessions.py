"""The cap on sessions, over an application that does as it is asked."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from kensaku.mcp.sessions import SessionLimit

HEADER = b"mcp-session-id"


class Application:
    """Opens a session for each request without one; the paths say how it answers."""

    def __init__(self) -> None:
        self.ended: list[bytes] = []  # for others: a client's own path is another
        self.opened = 0
        self.begun, self.finish = asyncio.Event(), asyncio.Event()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        session = dict(scope["headers"]).get(HEADER)
        if session is None:
            self.opened += 1
            session = b"s%d" % self.opened
        await send(
            {
                "type": "http.response.start",
                "status": 404 if scope["path"] == "/gone" else 200,
                "headers": [(b"Mcp-Session-Id", session)] if scope["path"] == "/open" else [],
            }
        )
        if scope["path"] == "/wait":
            self.begun.set()
            await self.finish.wait()
        if scope["path"] == "/crash":
            raise RuntimeError("a fault")
        if scope["method"] == "DELETE":
            self.ended += [session] if scope["path"] == "/open" else []
            assert await receive() == {"type": "http.request", "body": b"", "more_body": False}
        await send({"type": "http.response.body", "body": b"done"})


async def ask(limit: SessionLimit, path: str, session: bytes = b"", method: str = "POST") -> list:
    """What the limit sends for a request."""
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    headers = [(HEADER, session)] if session else []
    scope = {"type": "http", "path": path, "method": method, "headers": headers}
    await limit(scope, receive, send)
    return sent


STEPS = st.lists(
    st.tuples(st.sampled_from(["open", "use", "end", "gone", "crash", "stranger"]), st.integers(0, 9)),
    max_size=40,
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(most=st.integers(1, 4), steps=STEPS)
def test_of_the_idle_sessions_the_one_that_was_used_longest_ago_is_ended(most, steps):
    """Only for another one that is too many; what has ended, or was never ours, does not count."""

    async def run() -> None:
        app = Application()
        limit, known, gone = SessionLimit(app, most), [], []
        for what, n in steps:
            session = known[n % len(known)] if known else b""
            if what == "open":
                sent = await ask(limit, "/open")
                known.append(dict(sent[0]["headers"])[b"Mcp-Session-Id"])
                if len(known) > most:
                    gone.append(known.pop(0))
            elif what == "stranger":
                await ask(limit, "/use", b"unknown")
            elif session:
                known.remove(session)
                if what in ("use", "crash"):
                    known.append(session)
                with suppress(RuntimeError):
                    await ask(limit, f"/{what}", session, "DELETE" if what == "end" else "POST")
        assert app.ended == gone

    asyncio.run(run())


async def test_while_all_are_busy_a_new_one_is_refused_and_a_known_one_served():
    """With the time after which to try again."""
    app = Application()
    limit = SessionLimit(app, 1)
    await ask(limit, "/open")
    waiting = asyncio.create_task(ask(limit, "/wait", b"s1"))
    await app.begun.wait()

    refused = await ask(limit, "/open")
    known = await ask(limit, "/use", b"s1")
    app.finish.set()
    await waiting
    await ask(limit, "/open")

    assert refused[0]["status"] == 503
    assert int(dict(refused[0]["headers"])[b"retry-after"]) > 0
    assert known[0]["status"] == 200
    assert app.ended == [b"s1"]


async def test_with_room_left_a_busy_session_bars_nobody():
    """And one that is busy is not ended while another is idle."""
    app = Application()
    limit = SessionLimit(app, 2)
    await ask(limit, "/open")
    waiting = asyncio.create_task(ask(limit, "/wait", b"s1"))
    await app.begun.wait()

    for _ in range(2):
        assert (await ask(limit, "/open"))[0]["status"] == 200
    app.finish.set()
    await waiting

    assert app.ended == [b"s2"]

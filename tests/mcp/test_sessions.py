"""The cap on sessions, over an application that does as it is asked."""

from __future__ import annotations

import asyncio
from typing import Any

from kensaku.mcp.sessions import SessionLimit

HEADER = b"mcp-session-id"


class Application:
    """Opens a session for each request without one; the paths say how it answers."""

    def __init__(self) -> None:
        self.seen: list[dict[str, Any]] = []
        self.opened = 0
        self.begun, self.finish = asyncio.Event(), asyncio.Event()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.seen.append(scope)
        if scope["type"] != "http":
            return
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
            assert await receive() == {"type": "http.request", "body": b"", "more_body": False}
        await send({"type": "http.response.body", "body": b"done"})


async def ask(limit: SessionLimit, path: str, session: bytes = b"", method: str = "POST") -> list:
    """What the limit sends for a request."""
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    headers = [(b"host", b"a.example"), (b"authorization", b"Bearer x"), (b"accept", b"*/*")]
    headers += [(HEADER, session)] if session else []
    scope = {"type": "http", "path": path, "method": method, "headers": headers}
    await limit(scope, receive, send)
    return sent


def ended(app: Application) -> list[bytes]:
    """The sessions that were ended for others."""
    return [dict(s["headers"])[HEADER] for s in app.seen if s.get("method") == "DELETE"]


async def test_the_session_that_was_used_longest_ago_is_ended():
    """By a request of the protocol, for the same host and with the same token."""
    app = Application()
    limit = SessionLimit(app, 2)
    for path, session in [("/open", b""), ("/open", b""), ("/use", b"s1"), ("/open", b"")]:
        sent = await ask(limit, path, session)

    assert ended(app) == [b"s2"]
    assert app.seen[-1] == {
        "type": "http",
        "path": "/open",
        "method": "DELETE",
        "headers": [(b"host", b"a.example"), (b"authorization", b"Bearer x"), (HEADER, b"s2")],
    }
    assert [m["type"] for m in sent] == ["http.response.start", "http.response.body"]
    assert sent[0]["headers"] == [(b"Mcp-Session-Id", b"s3")]


async def test_a_session_that_has_ended_is_not_counted():
    """Ended by its client, or gone; whoever crashed is idle again."""
    app = Application()
    limit = SessionLimit(app, 2)
    await ask(limit, "/open")
    await ask(limit, "/use", b"s1", "DELETE")
    app.seen.clear()
    for path, session in [("/open", b""), ("/gone", b"s2"), ("/open", b""), ("/open", b"")]:
        await ask(limit, path, session)
    assert ended(app) == []

    try:
        await ask(limit, "/crash", b"s3")
    except RuntimeError:
        await ask(limit, "/use", b"s4")
    await ask(limit, "/open")
    assert ended(app) == [b"s3"]


async def test_a_session_of_others_is_not_counted():
    """Nor what opens none."""
    app = Application()
    limit = SessionLimit(app, 1)
    for session in (b"unknown", b"other"):
        await ask(limit, "/gone", session)
        await ask(limit, "/use", session)
    await ask(limit, "/use")
    await ask(limit, "/open")

    assert ended(app) == []


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

    assert refused == [
        {
            "type": "http.response.start",
            "status": 503,
            "headers": [(b"content-type", b"application/json"), (b"retry-after", b"10")],
        },
        {
            "type": "http.response.body",
            "body": b'{"error": "all sessions of this server are busy; try again later"}',
        },
    ]
    assert known[0]["status"] == 200
    assert ended(app) == [b"s1"]


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

    assert ended(app) == [b"s2"]


async def test_what_is_no_request_goes_through():
    """The application's start and end."""
    app = Application()

    await SessionLimit(app, 1)({"type": "lifespan"}, None, None)  # type: ignore[arg-type]

    assert app.seen == [{"type": "lifespan"}]

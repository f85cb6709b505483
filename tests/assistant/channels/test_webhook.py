"""The server of a channel's updates: one path, bounded bodies, and an error is sent again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest

from kensaku.assistant.channels._webhook import Handle, Received, Sent, serve_webhook
from kensaku.errors import UsageError


@asynccontextmanager
async def serving(handle: Handle) -> AsyncIterator[str]:
    """Serve updates at /updates, and stop."""
    ready: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    task = asyncio.ensure_future(
        serve_webhook(handle, "127.0.0.1", 0, "/updates", ready.set_result)
    )
    try:
        yield await ready
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def post(url: str, data: bytes, **headers: str) -> tuple[int, str, str]:
    """Status, type and text of the response."""
    async with (
        aiohttp.ClientSession() as session,
        session.post(url, data=data, headers=headers) as r,
    ):
        return r.status, r.content_type, await r.text()


async def test_an_update_is_handled_and_answered() -> None:
    """Headers in lower case; the response is what the channel says."""
    received: list[Received] = []

    async def handle(update: Received) -> Sent:
        received.append(update)
        return Sent(202, '{"ok": true}', "application/json")

    async with serving(handle) as url:
        assert url.startswith("http://127.0.0.1:")
        response = await post(f"{url}/updates", b"hello", **{"X-Secret": "s3cret"})

    assert response == (202, "application/json", '{"ok": true}')
    assert (received[0].body, received[0].headers["x-secret"]) == (b"hello", "s3cret")
    assert "s3cret" not in repr(received)
    assert "hello" not in repr(received)
    assert (Sent().status, Sent().body, Sent().content_type) == (200, "", "text/plain")


async def test_an_update_that_was_not_taken_is_sent_again(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The service sees an error of ours, and nothing of its cause."""

    async def handle(_: Received) -> Sent:
        raise ConnectionError("the database at 10.0.0.1 is gone")

    async with serving(handle) as url:
        assert (await post(f"{url}/updates", b"x"))[::2] == (500, "")
    assert "an update was not taken: ConnectionError" in caplog.text


async def test_a_body_that_does_not_come_is_given_up(clock: Any) -> None:
    """The connection is not kept for ever."""

    async def handle(_: Received) -> Sent:
        raise AssertionError

    async with serving(handle) as url:
        reader, writer = await asyncio.open_connection("127.0.0.1", int(url.rpartition(":")[2]))
        writer.write(b"POST /updates HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhe")
        status = asyncio.ensure_future(reader.readline())
        while not status.done():
            clock.advance(11)
            await asyncio.sleep(0.01)
        assert await status == b"HTTP/1.1 408 Request Timeout\r\n"
        writer.close()


async def test_a_port_that_is_taken_is_wrong_usage() -> None:
    """Before anything is served."""
    ready: Callable[[str], None] = lambda _: None  # noqa: E731

    async def handle(_: Received) -> Sent:
        return Sent()

    async with serving(handle) as url:
        with pytest.raises(UsageError, match="cannot listen"):
            await serve_webhook(handle, "127.0.0.1", int(url.rpartition(":")[2]), "/x", ready)

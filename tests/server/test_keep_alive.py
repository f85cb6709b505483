"""Streams stay open while a model is silent: a comment every 10 seconds, which clients ignore."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from kensaku.server.endpoint import PING_SECONDS
from kensaku.testing import faults
from tests.answers.conftest import Model, Web
from tests.answers.conftest import model as model
from tests.answers.conftest import web as web
from tests.conftest import Clock
from tests.search.support import until

from .conftest import READS, Running
from .test_agui import body
from .test_openai import SLEEP

COMMENT = b": keep-alive\n\n"
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


class Recording(httpx.AsyncHTTPTransport):
    """Keeps the bytes of replies as they arrive."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: bytes | None = None  # None: no status yet

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        response = await super().handle_async_request(request)
        self.seen, inner = b"", response.stream

        async def read() -> AsyncIterator[bytes]:
            async for chunk in inner:  # type: ignore[union-attr]
                self.seen = (self.seen or b"") + chunk
                yield chunk

        class Stream(httpx.AsyncByteStream):
            def __aiter__(self) -> AsyncIterator[bytes]:
                return read()

            async def aclose(self) -> None:
                await inner.aclose()  # type: ignore[union-attr]

        return httpx.Response(
            response.status_code,
            headers=response.headers,
            stream=Stream(),
            extensions=response.extensions,
        )


@pytest.fixture
async def silent(make_server: Any, web: Web, model: Model) -> Running:
    """A server whose model says nothing for a while, and then something useless."""
    web.upstream.fails("llm", faults.delay(3.5 * PING_SECONDS), times=1)
    made: Running = await make_server(**READS, **model.settings, assistant_seconds=600)
    return made


async def wait_through(clock: Clock, web: Web, wire: Recording) -> None:
    """Let time pass until the model speaks: the client has to wait twice."""
    await until(lambda: web.upstream.asked("llm"))
    for n in (1, 2, 3):  # the status comes with the first
        clock.advance(PING_SECONDS)
        await until(lambda n=n: (wire.seen or b"").count(COMMENT) == n)
    clock.advance(PING_SECONDS)


async def test_the_official_client_does_not_notice(clock: Clock, silent: Running, web: Web) -> None:
    """The status comes although nothing was said; the answer is the extract, after the model."""
    wire = Recording()
    http = httpx.AsyncClient(transport=wire, timeout=None)
    from openai import AsyncOpenAI

    async with AsyncOpenAI(
        api_key="x", base_url=f"{silent.url}/v1", max_retries=0, http_client=http
    ) as client:

        async def ask() -> str:
            said: Any = [{"role": "user", "content": SLEEP}]
            stream = await client.chat.completions.create(
                model="kensaku", messages=said, stream=True, timeout=None
            )
            chunks = [chunk async for chunk in stream]
            return "".join(c.choices[0].delta.content or "" for c in chunks if c.choices)

        asking = asyncio.create_task(ask())
        await wait_through(clock, web, wire)
        text = await asking

    assert "hold hands" in text


async def test_an_agent_is_kept_waiting_as_well(clock: Clock, silent: Running, web: Web) -> None:
    """/agent, in the frames of its protocol."""
    wire = Recording()
    async with httpx.AsyncClient(transport=wire, timeout=None) as http:
        asking = asyncio.create_task(
            http.post(f"{silent.url}/agent", json=body(), headers=silent.owner)
        )
        await wait_through(clock, web, wire)
        reply = await asking

    assert reply.text.rstrip().splitlines()[-1].startswith('data: {"type":"RUN_FINISHED"')

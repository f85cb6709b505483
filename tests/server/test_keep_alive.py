"""Streams stay open while a model is silent: a comment every 10 seconds, which clients ignore."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest

from kensaku.server.endpoint import PING_SECONDS
from kensaku.testing import faults
from tests.answers.conftest import Model, Web
from tests.conftest import Clock
from tests.search.support import until

from .conftest import READS, Running
from .test_agui import body
from .test_openai import SLEEP

COMMENT = b": keep-alive\n\n"
CHAT = {"model": "kensaku", "stream": True, "messages": [{"role": "user", "content": SLEEP}]}
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


@pytest.fixture
async def silent(make_server: Any, web: Web, model: Model) -> Running:
    """A server whose model says nothing for a while, and then something useless."""
    web.upstream.fails("llm", faults.delay(3.5 * PING_SECONDS), times=1)
    made: Running = await make_server(**READS, **model.settings, assistant_seconds=600)
    return made


async def received(clock: Clock, silent: Running, web: Web, path: str, sent: Any) -> bytes:
    """Let time pass until the model speaks: a comment comes with every ten seconds."""
    seen = bytearray()

    async def read() -> None:
        async with (
            httpx.AsyncClient(timeout=None, headers=silent.owner) as http,
            http.stream("POST", silent.url + path, json=sent) as reply,
        ):
            async for chunk in reply.aiter_bytes():
                seen.extend(chunk)

    reading = asyncio.create_task(read())
    await until(lambda: web.upstream.asked("llm"))
    for n in (1, 2, 3):  # the status comes with the first
        clock.advance(PING_SECONDS)
        await until(lambda n=n: seen.count(COMMENT) == n)
    clock.advance(PING_SECONDS)
    await reading
    return bytes(seen)


async def test_the_official_client_does_not_notice(clock: Clock, silent: Running, web: Web) -> None:
    """It is told the answer of the extract, after the model."""
    from openai import AsyncOpenAI

    seen = await received(clock, silent, web, "/v1/chat/completions", CHAT)
    reply = httpx.Response(200, headers={"content-type": "text/event-stream"}, content=seen)
    transport = httpx.MockTransport(lambda _: reply)
    async with AsyncOpenAI(
        api_key="x", base_url=silent.url, http_client=httpx.AsyncClient(transport=transport)
    ) as client:
        stream = await client.chat.completions.create(**CHAT)  # type: ignore[call-overload]
        text = "".join([c.choices[0].delta.content or "" async for c in stream if c.choices])

    assert "hold hands" in text


async def test_an_agent_is_kept_waiting_as_well(clock: Clock, silent: Running, web: Web) -> None:
    """/agent, in the frames of its protocol."""
    seen = await received(clock, silent, web, "/agent", body())

    assert seen.rstrip().splitlines()[-1].startswith(b'data: {"type":"RUN_FINISHED"')

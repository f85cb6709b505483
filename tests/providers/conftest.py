"""Ask one provider over loopback, `await ask("brave", fault)`; serve an application there."""

from __future__ import annotations

import asyncio
import socket
from contextlib import asynccontextmanager
from typing import Any

import pytest

from kensaku.models import Query
from kensaku.providers import provider_class
from kensaku.transport.http import HttpClient


@pytest.fixture
async def ask(upstream):
    http = HttpClient(user_agent="kensaku-tests")

    async def send(name, fault=None, query=None, key="test-key", options=None):
        cls = provider_class(name)
        if fault:
            upstream.fails(name, fault)
        provider = cls(upstream.base_url(name), options or {o: f"test-{o}" for o in cls.needs})
        return await provider.ask(query or Query("otter"), key, http)

    yield send
    await http.close()


@asynccontextmanager
async def serving(app: Any):
    """The application on loopback; yields its address."""
    uvicorn = pytest.importorskip("uvicorn")
    running = uvicorn.Server(uvicorn.Config(app, log_level="error"))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        task = asyncio.ensure_future(running.serve(sockets=[listener]))
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            running.should_exit = True
            await task

"""Ask one provider over loopback: `await ask("brave", fault)`."""

from __future__ import annotations

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

"""Tavily at the fake upstream, a run context, and waits that are only noted."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

pytest.importorskip("pydantic_ai")

from kensaku.compat.tavily_tools.client import close_clients
from kensaku.compat.tavily_tools.pydantic_ai import (
    TavilySearchDeps,
)

from .doubles import ASYNCIO, KEY, REAL_PYTHON


@pytest.fixture(autouse=True)
async def tavily(upstream, monkeypatch):
    """Tavily is on loopback, and finds two pages."""
    monkeypatch.setenv("TAVILY_BASE_URL", upstream.base_url("tavily"))
    upstream.answers("tavily", [ASYNCIO, REAL_PYTHON])
    yield upstream
    await close_clients()


@pytest.fixture
def waits():
    return []


@pytest.fixture
def ctx(waits):
    """What a run gives to a tool. Waiting is noted instead of done."""

    async def sleep(seconds):
        waits.append(seconds)

    return SimpleNamespace(deps=TavilySearchDeps(api_key=KEY, sleep=sleep))

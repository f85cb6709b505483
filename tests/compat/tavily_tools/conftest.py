"""Tavily at the fake upstream, a run context, and waits that are only noted."""

from __future__ import annotations

import json
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


@pytest.fixture
def extracts(tavily):
    """Tavily's `/extract` gives these pages, url → text, and these failures, url → error."""

    def answer(pages, failed=()):
        body = {
            "results": [{"url": u, "raw_content": t, "images": []} for u, t in pages.items()],
            "failed_results": [{"url": u, "error": e} for u, e in dict(failed).items()],
            "response_time": 0.02,
            "request_id": "123e4567-e89b-12d3-a456-426614174111",
        }
        tavily.serves("/tavily/extract", json.dumps(body), "application/json")

    return answer

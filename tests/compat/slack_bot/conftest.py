"""Tavily at the fake upstream."""

from __future__ import annotations

import pytest

pytest.importorskip("strands")

from kensaku.compat.tavily_tools.client import close_clients

from .doubles import ANSWER, ASYNCIO, REAL_PYTHON, replies


@pytest.fixture(autouse=True)
async def tavily(upstream, monkeypatch):
    """Tavily is on loopback, and answers as the document shows."""
    monkeypatch.setenv("TAVILY_BASE_URL", upstream.base_url("tavily"))
    replies(upstream, [ASYNCIO, REAL_PYTHON], ANSWER)
    yield upstream
    await close_clients()

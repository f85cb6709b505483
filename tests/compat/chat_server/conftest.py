"""A service and a tool for each provider."""

from __future__ import annotations

import pytest

from kensaku.compat.chat_server import (
    SearchWebTool,
    WebSearchService,
)


@pytest.fixture(params=["duckduckgo", "tavily"])
def provider(request) -> str:
    return request.param


@pytest.fixture
def service(provider, make_client) -> WebSearchService:
    return WebSearchService(client=make_client(provider))


@pytest.fixture
def tool(make_client):
    def made(provider: str = "duckduckgo", **options) -> SearchWebTool:
        return SearchWebTool(user_id="u-7", client=make_client(provider), **options)

    return made

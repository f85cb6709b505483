"""The tests that the document's author wrote, met by our surface.

They are those of github.com/tim-o-private/llm-agent, `tests/chatServer/`, in our words: the same
calls, the same environment, the same expectations. Where they replace a provider's library by a
mock, a provider on loopback answers here, since we call its API directly; what it is asked is then
checked, too.
"""

from __future__ import annotations

from unittest.mock import AsyncMock, patch

import pytest

from kensaku.compat import chat_server
from kensaku.compat.chat_server import WebSearchService, service
from kensaku.models import Hit

from .doubles import NO_KEY

SERVICE = "kensaku.compat.chat_server.service.WebSearchService"
FOUND = [Hit("https://u.example/", "T", "S")]
NORMALIZED = [{"title": "T", "url": "https://u.example/", "snippet": "S"}]


@pytest.fixture
async def environment(monkeypatch, upstream, machine):
    """The process's own environment, in which both providers are on loopback."""
    for name, value in upstream.environment("tavily", "duckduckgo").items():
        monkeypatch.setenv(name, value)
    for name in ("TAVILY_RATE", "DUCKDUCKGO_RATE"):
        monkeypatch.setenv(name, "100000/s")
    monkeypatch.setenv("KENSAKU_STATE_URL", "memory:")
    monkeypatch.setenv("KENSAKU_CACHE", "off")
    monkeypatch.setattr(service, "_clients", made := [])
    yield monkeypatch
    for client in made:
        await client.close()


@pytest.fixture
def tool() -> chat_server.SearchWebTool:
    return chat_server.SearchWebTool(user_id="user-123")


class TestServiceWithTavily:
    async def test_a_missing_key_is_a_runtime_error(self, environment, upstream):
        """Also when there was one a search ago (S2-13, S2-15, S2-26, S2-50)."""
        upstream.answers("tavily", FOUND)
        made = WebSearchService(provider="tavily")
        environment.setenv("TAVILY_API_KEY", "test-key")
        assert await made.search("test query") == NORMALIZED
        assert upstream.requests[0].headers["authorization"] == "Bearer test-key"
        environment.delenv("TAVILY_API_KEY")

        with pytest.raises(RuntimeError, match=NO_KEY):
            await made.search("test query")
        assert len(upstream.requests) == 1


class TestServiceReadsTheEnvironment:
    async def test_when_it_is_made(self, environment, upstream):
        """A tool makes one for each search, so the next search uses the next value (S2-12)."""
        environment.delenv("WEB_SEARCH_PROVIDER", raising=False)
        assert WebSearchService().provider == "duckduckgo"
        environment.setenv("WEB_SEARCH_PROVIDER", "tavily")
        assert WebSearchService().provider == "tavily"
        environment.setenv("WEB_SEARCH_PROVIDER", "bing")
        with pytest.raises(ValueError, match="Unknown search provider 'bing'"):
            WebSearchService()

    async def test_in_the_same_client_as_long_as_it_stays_the_same(self, environment):
        """Connections, cache and limits are not made anew for each search."""
        first, second = WebSearchService().client, WebSearchService().client
        environment.setenv("TAVILY_API_KEY", "another")

        assert first is second
        assert WebSearchService().client is not first

    async def test_for_each_search_of_a_tool(self, environment, upstream, tool):
        """(S2-12, S2-13)"""
        for provider in ("duckduckgo", "tavily"):
            environment.setenv("WEB_SEARCH_PROVIDER", provider)
            upstream.answers(provider, FOUND)
            assert "https://u.example/" in await tool._arun(query="test query")

        assert [r.provider for r in upstream.requests] == ["duckduckgo", "tavily"]


class TestToolWithAServiceOfTheApplications:
    """The author's tests replace the class in its module; a subclass of one's own can go there."""

    async def test_results_are_formatted(self, tool):
        """(S2-04, S2-39, S2-40)"""
        results = [
            {"title": "First Result", "url": "https://example.com/1", "snippet": "A great snippet"},
            {
                "title": "Second Result",
                "url": "https://example.com/2",
                "snippet": "Another snippet",
            },
        ]
        with patch(SERVICE) as mocked:
            mocked.return_value.search = AsyncMock(return_value=results)
            output = await tool._arun(query="test query")

        mocked.return_value.search.assert_awaited_once_with(query="test query", max_results=5)
        assert output == (
            'Found 2 result(s) for "test query":\n\n'
            "1. **First Result**\n   https://example.com/1\n   A great snippet\n\n"
            "2. **Second Result**\n   https://example.com/2\n   Another snippet\n"
        )

    async def test_what_is_missing_in_a_result_is_left_out(self, tool):
        """(S2-41)"""
        with patch(SERVICE) as mocked:
            mocked.return_value.search = AsyncMock(return_value=[{}])
            assert await tool._arun(query="q") == 'Found 1 result(s) for "q":\n\n1. **No title**\n'

"""Any MCP server as a source: servers of the official library, with and without sessions."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import Any

import pytest

from kensaku import Kensaku
from kensaku.config.settings import Settings
from kensaku.errors import ConfigError, KeyRefused, UnknownName, Unreadable
from kensaku.models import Hit, Outcome
from kensaku.providers import provider_class
from kensaku.testing import FakeUpstream
from tests.providers.conftest import serving

ROWS = [
    {"url": "https://a.example/1", "title": "Sleep", "snippet": "Otters sleep in kelp."},
    {"link": "https://b.example/2", "name": "Kelp", "description": "It grows quickly."},
]
BLOCKS = "Title: Sleep\nURL: https://a.example/1\nOtters sleep in kelp.\n\n---\n\n" \
    "Title: Kelp\nURL: https://b.example/2\nIt grows quickly."  # fmt: skip
LINKS = "1. [Sleep](https://a.example/1) - Otters sleep in kelp.\n2. [Kelp](https://b.example/2)"


@asynccontextmanager
async def official_server(answer: Any, **how: bool):
    """A server of the `mcp` package whose tool `look_up` returns this answer."""
    library = pytest.importorskip("mcp.server.mcpserver")
    server, asked = library.MCPServer("notes"), []

    def look_up(question: str, most: int = 5) -> Any:
        asked.append((question, most))
        return answer

    look_up.__annotations__["return"] = dict[str, Any] if isinstance(answer, dict) else str
    server.tool()(look_up)
    async with serving(server.streamable_http_app(**how)) as url:
        yield f"{url}/mcp", asked


def described(tmp_path, url: str, **more: str) -> Settings:
    """The settings of a file that names this server."""
    options = {"tool": "look_up", "query_argument": "question", "limit_argument": "most", **more}
    lines = [f'{name} = "{value}"' for name, value in {"base_url": url, **options}.items()]
    file = tmp_path / "config.toml"
    file.write_text("\n".join(['[providers."mcp:notes"]', *lines]))
    return Settings.load(file=file, environ={}, home=tmp_path, cache_enabled=False)


async def search(settings: Settings):
    async with Kensaku(settings=settings) as k:
        return await k.search("sea otters", route="mcp:notes", max_results=3)


@pytest.mark.parametrize(
    "how", [{"stateless_http": True}, {"stateless_http": False}, {"json_response": True}]
)
@pytest.mark.parametrize(
    "answer", [{"results": ROWS}, BLOCKS, LINKS], ids=["data", "blocks", "links"]
)
async def test_a_server_of_the_official_library_is_searched(tmp_path, answer, how):
    """By its own argument names, whether it keeps sessions or not."""
    async with official_server(answer, **how) as (url, asked):
        response = await search(described(tmp_path, url))

    assert asked == [("sea otters", 3)]
    assert [h.url for h in response.hits] == ["https://a.example/1", "https://b.example/2"]
    assert response.hits[0].title == "Sleep"
    assert "Otters sleep in kelp." in response.hits[0].content


async def test_an_empty_list_is_empty_and_words_are_not(tmp_path):
    """What says neither is unreadable."""
    async with official_server({"results": []}) as (url, _):
        nothing = await search(described(tmp_path, url))
    async with official_server("I would rather not say.") as (url, _):
        unknown = await search(described(tmp_path, url))

    assert nothing.outcome is Outcome.EMPTY
    assert unknown.outcome is Outcome.UNAVAILABLE
    assert isinstance(unknown.attempts[0].error, Unreadable)


async def test_a_tool_that_the_server_does_not_have_is_a_failure(tmp_path):
    """The complaint of the server is told."""
    async with official_server({"results": ROWS}) as (url, _):
        response = await search(described(tmp_path, url, tool="look_down"))

    assert response.outcome is Outcome.UNAVAILABLE
    assert "Unknown tool" in str(response.attempts[0].error)


def test_a_misspelt_setting_or_name_is_refused(tmp_path):
    """As for any other provider."""
    with pytest.raises(ConfigError, match="quary"):
        described(tmp_path, "https://a.example/mcp", quary_argument="q")
    with pytest.raises(UnknownName):
        provider_class("mcp:No Name")


async def test_our_own_server_is_a_source_with_its_token(tmp_path):
    """`kensaku mcp` keeps sessions and wants a token, which is the key; a wrong one is refused."""
    pytest.importorskip("mcp")
    from kensaku.mcp.http import http_app
    from kensaku.mcp.server import make_server

    token = "a-token-of-some-length"
    ours = {"tool": "web_search", "query_argument": "query", "limit_argument": "max_results"}
    async with FakeUpstream() as up:
        up.answers("tavily", [Hit("https://a.example/1", "Sleep", "Otters sleep in kelp.")])
        env = up.environment("tavily")
        theirs = Settings.load(environ=env, home=tmp_path / "theirs", cache_enabled=False)
        async with (
            Kensaku(settings=theirs) as k,
            serving(http_app(make_server(client=k), token=token)) as url,
        ):
            good = await search(described(tmp_path, f"{url}/mcp", **ours, api_key=token))
            bad = await search(
                described(tmp_path, f"{url}/mcp", **ours, api_key="another-token-here")
            )

    assert [h.url for h in good.hits] == ["https://a.example/1"]
    assert isinstance(bad.attempts[0].error, KeyRefused)

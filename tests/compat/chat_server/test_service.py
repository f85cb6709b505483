"""`WebSearchService`: two providers, one form of results."""

from __future__ import annotations

import inspect
import logging
import re
import subprocess
import sys
import tomllib

import pytest

from kensaku import Kensaku, Settings
from kensaku.compat import chat_server
from kensaku.compat.chat_server import WebSearchService
from kensaku.errors import ProviderError, RateLimited
from kensaku.models import Hit
from kensaku.testing import faults
from tests import ROOT

from .doubles import NO_KEY, NOBODY, OTTER, PYTHON, many


async def test_ddg_provider(make_client, upstream):
    """The provider without a key (S2-12, AC-12)."""
    upstream.answers("duckduckgo", [OTTER])

    await WebSearchService(provider="duckduckgo", client=make_client("duckduckgo")).search("otter")

    assert [r.provider for r in upstream.requests] == ["duckduckgo"]


async def test_tavily_provider(make_client, upstream):
    """The provider with a key, which travels in its header (S2-12, AC-12)."""
    upstream.answers("tavily", [OTTER])

    await WebSearchService(provider="tavily", client=make_client("tavily")).search("otter")

    (asked,) = upstream.requests
    assert asked.headers["authorization"] == "Bearer tavily-test-key"


async def test_tavily_missing_api_key(machine, upstream):
    """It initialises; the error comes with the search (S2-13, S2-26, S2-29, S2-50)."""
    env = {"TAVILY_BASE_URL": upstream.base_url("tavily"), "KENSAKU_HOME": str(machine)}
    async with Kensaku(Settings.load(environ=env)) as client:
        service = WebSearchService(provider="tavily", client=client)

        with pytest.raises(RuntimeError) as caught:
            await service.search("otter")

    assert str(caught.value) == NO_KEY
    assert upstream.requests == []


async def test_ddg_search_normalized(make_client, upstream):
    """`title`, `href`, `body` → `title`, `url`, `snippet` (S2-15, S2-20, S2-24, S2-50)."""
    upstream.answers("duckduckgo", [OTTER, PYTHON])

    found = await WebSearchService(client=make_client("duckduckgo")).search("otter")

    assert found == [
        {"title": h.title, "url": h.url, "snippet": h.content} for h in (OTTER, PYTHON)
    ]


async def test_tavily_search_normalized(make_client, upstream):
    """`title`, `url`, `content` → `title`, `url`, `snippet` (S2-15, S2-20, S2-27, S2-50)."""
    upstream.answers("tavily", [OTTER, PYTHON])

    found = await WebSearchService(client=make_client("tavily")).search("otter")

    assert found == [
        {"title": h.title, "url": h.url, "snippet": h.content} for h in (OTTER, PYTHON)
    ]


async def test_what_is_missing_is_an_empty_text(service, provider, upstream):
    """Neither a placeholder of ours nor the address stands in for a title (S2-24, S2-27)."""
    upstream.answers(provider, [Hit("https://a.example/x", "", "")])

    assert await service.search("otter") == [
        {"title": "", "url": "https://a.example/x", "snippet": ""}
    ]


@pytest.mark.parametrize(
    ("argument", "variable", "chosen"),
    [
        (None, None, "duckduckgo"),
        (None, "tavily", "tavily"),
        (None, "duckduckgo", "duckduckgo"),
        ("duckduckgo", "tavily", "duckduckgo"),
        ("tavily", None, "tavily"),
    ],
)
async def test_the_provider_is_the_argument_else_the_variable_else_duckduckgo(
    argument, variable, chosen
):
    """(S2-12, S2-18)"""
    env = {"WEB_SEARCH_PROVIDER": variable} if variable else {}

    made = WebSearchService(provider=argument, client=Kensaku(Settings.load(environ=env)))

    assert made.provider == chosen


@pytest.mark.parametrize("by_variable", [False, True])
def test_an_unknown_provider_is_refused_when_the_service_is_made(by_variable):
    """The valid ones are named (S2-16, S2-19, S2-50)."""
    env = {"WEB_SEARCH_PROVIDER": "bing"} if by_variable else {}
    client = Kensaku(Settings.load(environ=env))

    with pytest.raises(ValueError) as caught:
        WebSearchService(provider=None if by_variable else "bing", client=client)

    assert WebSearchService.PROVIDERS == ("duckduckgo", "tavily")
    assert str(caught.value) == "Unknown search provider 'bing'. Use: ('duckduckgo', 'tavily')"


def test_the_service_has_the_documents_signatures():
    """(S2-17, S2-20)"""
    made = inspect.signature(WebSearchService)
    search = inspect.signature(WebSearchService.search)

    assert [(n, p.default) for n, p in made.parameters.items()][:2] == [
        ("max_results", 10),
        ("provider", None),
    ]
    assert list(search.parameters)[1:] == ["query", "max_results"]
    assert search.parameters["max_results"].default is None
    assert inspect.iscoroutinefunction(WebSearchService.search)


@pytest.mark.parametrize("query", ["", "   ", "\n\t"])
async def test_an_empty_query_is_refused(service, upstream, query):
    """(S2-21, S2-50)"""
    with pytest.raises(ValueError) as caught:
        await service.search(query)

    assert str(caught.value) == "Search query cannot be empty."
    assert upstream.requests == []


async def test_a_query_of_500_characters_is_taken_and_of_501_is_not(service, provider, upstream):
    """Refused before any provider is asked (S2-07, S2-22, S2-50)."""
    with pytest.raises(ValueError) as caught:
        await service.search("x" * 501)
    assert str(caught.value) == "Search query must be 500 characters or fewer."
    assert upstream.requests == []

    await service.search("otter " * 83 + "ab")  # 500
    assert len(upstream.asked(provider)) == 1


@pytest.mark.parametrize(
    ("usual", "asked", "limit"),
    [(10, None, 10), (10, 3, 3), (50, None, 10), (10, 99, 10), (4, None, 4)],
)
async def test_at_most_ten_results(make_client, upstream, usual, asked, limit):
    """`min(max_results or self.max_results, 10)` (S2-01, S2-23, S2-50)."""
    upstream.answers("tavily", many(15))

    found = await WebSearchService(usual, client=make_client("tavily")).search("page", asked)

    assert len(found) == limit
    assert upstream.requests[0].json["max_results"] == limit


async def test_a_failure_is_logged_and_raised_again(service, provider, upstream, caplog):
    """Under the provider's name, and it is no empty list (S2-25, S2-28, S2-50)."""
    upstream.fails(provider, faults.status(500))

    with pytest.raises(ProviderError) as caught:
        await service.search("secret wish")

    name = {"duckduckgo": "DuckDuckGo", "tavily": "Tavily"}[provider]
    (record,) = [r for r in caplog.records if r.levelno == logging.ERROR]
    assert record.getMessage() == f"{name} search failed: {caught.value}"
    assert "secret wish" not in caplog.text
    assert "test-key" not in caplog.text


async def test_ddg_rate_limiting_is_a_failure_like_the_others(make_client, upstream, caplog):
    """It says 202; the library made "no results" of that (S2-49)."""
    upstream.fails("duckduckgo", faults.status(202, "busy", {"Retry-After": "60"}))
    client = make_client("duckduckgo", timeout=50)

    with pytest.raises(RateLimited):
        await WebSearchService(client=client).search("otter")

    said = await chat_server.SearchWebTool(user_id="u-7", client=client)._arun("otter")
    assert said == NOBODY


async def test_special_characters_need_no_handling(service, provider, upstream):
    """They arrive as they were typed (S2-48)."""
    query = 'C++ & "Rust"? 100% #1 カワウソ/🦦=a+b'
    await service.search(query)

    (asked,) = upstream.requests
    sent = asked.form["q"] if provider == "duckduckgo" else asked.json["query"]
    assert sent == query


@pytest.mark.usefixtures("processes")
def test_provider_libraries_are_imported_when_they_are_used():
    """Neither importing nor making the service loads them (S2-30)."""
    code = (
        "import sys\nfrom kensaku.compat.chat_server import WebSearchService\nWebSearchService()\n"
        "print([m for m in ('ddgs', 'tavily', 'primp', 'aiohttp') if m in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert ran.stdout.strip() == "[]"


def test_the_packages_are_where_an_installation_looks():
    """ddgs follows duckduckgo-search, which is abandoned; Tavily's REST API needs no package, its
    client is what our server is tested with (S2-10, S2-14)."""
    text = (ROOT / "pyproject.toml").read_text()
    project = tomllib.loads(text)
    extras = project["project"]["optional-dependencies"]
    pinned = {n: (ROOT / "requirements" / f"{n}.txt").read_text() for n in ("run", "test")}

    assert any(d.startswith("ddgs>=") for d in extras["ddgs"])
    assert re.search(r"^ddgs = .* the successor of duckduckgo-search", text, re.MULTILINE)
    assert "kensaku-search[ddgs]" in extras["langchain"]
    assert any(d.startswith("tavily-python") for d in project["dependency-groups"]["test"])
    assert all(re.search(r"^ddgs==", p, re.MULTILINE) for p in pinned.values())
    assert re.search(r"^tavily-python==", pinned["test"], re.MULTILINE)
    assert not any(re.search(r"^duckduckgo-search", p, re.MULTILINE) for p in pinned.values())

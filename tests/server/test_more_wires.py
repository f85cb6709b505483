"""What programs ask of a service besides its first endpoint, read the way those programs read it."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest
from bs4 import BeautifulSoup
from exa_py import Exa
from openai import AsyncOpenAI

from kensaku import Hit
from tests.answers.conftest import Web

from .conftest import READS, MakeServer, Running

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


@pytest.fixture
async def server(make_server: MakeServer, web: Web) -> Running:
    """A server over a small web."""
    made: Running = await make_server(**READS)
    return made


async def get(server: Running, path: str, **params: str) -> httpx.Response:
    async with httpx.AsyncClient(base_url=server.url) as client:
        return await client.get(path, params=params)


# --- SearXNG, as local-deep-research and Khoj read it


async def test_searxng_has_a_bare_page_that_answers(server):
    """local-deep-research asks for it before it uses an engine."""
    reply = await get(server, "/searxng")
    assert (reply.status_code, reply.headers["content-type"]) == (200, "text/html; charset=utf-8")


@pytest.mark.parametrize("path", ["/searxng/search", "/searxng", "/search"])
async def test_searxng_s_page_has_results_where_programs_look_for_them(server, web, path):
    web.finds("harbour", Hit("https://o.example/?a=1&b=2", "Piers & 5 < 6", "Built in 1893."))
    reply = await get(server, path, q="harbour", format="html")

    page = BeautifulSoup(reply.text, "html.parser")
    (article,) = page.select("article.result")
    link = article.select_one("h3 a[rel=noreferrer]")
    assert (link["href"], link.text) == ("https://o.example/?a=1&b=2", "Piers & 5 < 6")
    assert article.select_one("p.content").text == "Built in 1893."
    assert article.select_one(".engines span").text == "tavily"


async def test_searxng_s_page_links_to_the_web_alone(server, web):
    web.finds("harbour", Hit("javascript:alert(1)", "x", "y"))
    reply = await get(server, "/searxng/search", q="harbour")
    assert "javascript:" not in reply.text


async def test_searxng_describes_itself(server):
    """Onyx reads it before it takes an instance, and looks for whose API it is."""
    config = (await get(server, "/searxng/config")).json()
    assert config["brand"]["GIT_URL"] == "https://github.com/searxng/searxng"
    assert [engine["name"] for engine in config["engines"]] == ["tavily"]
    assert "general" in config["categories"]


async def test_searxng_suggests_nothing_in_its_own_shape(server):
    """mcp-searxng asks for suggestions; SearXNG answers so unless a service for them is named."""
    assert (await get(server, "/searxng/autocompleter", q="ott")).json() == ["ott", []]


# --- Perplexity's chat, by OpenAI's client, as its documentation says


async def test_perplexity_s_chat_answers_with_citations(server, web):
    url = f"{server.url}/perplexity"
    async with AsyncOpenAI(api_key="x", base_url=url, max_retries=0) as client:
        asked: Any = [{"role": "user", "content": "How do sea otters sleep?"}]
        done = await client.chat.completions.create(model="sonar", messages=asked)
        stream = await client.chat.completions.create(model="sonar", messages=asked, stream=True)
        chunks = [chunk async for chunk in stream]
    assert "hold hands" in done.choices[0].message.content
    assert done.citations == [f"{web.upstream.url}/p/sleep"]
    first = next(n for n, chunk in enumerate(chunks) if getattr(chunk, "citations", None))
    assert first < len(chunks) - 2  # and not behind the text alone


# --- Exa, by its own client


@pytest.fixture
def exa(server: Running) -> Exa:
    """Exa's client."""
    return Exa("x", base_url=f"{server.url}/exa")


async def run(call: Any, *args: Any, **more: Any) -> Any:
    return await asyncio.to_thread(call, *args, **more)


@pytest.mark.filterwarnings("ignore:find_similar:DeprecationWarning")
async def test_exa_finds_similar_pages_by_what_a_page_is_about(exa, web):
    page = web.has("nothing", "/p/zoo", "The harbour of Zorgle", "It was built in 1893.")
    web.finds("harbour", Hit(page, "Itself", "x"), Hit("https://o.example/", "Other", "y"))

    found = await run(exa.find_similar, page, num_results=5)

    assert [result.url for result in found.results] == ["https://o.example/"]
    assert web.queries == ["The harbour of Zorgle"]


async def test_exa_streams_an_answer(exa, web):
    def read() -> tuple[str, list[str]]:
        text, urls = "", []
        for chunk in exa.stream_answer("How do sea otters sleep?"):
            text += chunk.content or ""
            urls += [c.url for c in chunk.citations or ()]
        return text, urls

    text, urls = await run(read)
    assert "hold hands" in text
    assert urls == [f"{web.upstream.url}/p/sleep"]

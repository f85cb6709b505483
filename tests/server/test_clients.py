"""Other vendors' clients, unmodified, pointed at the server by a base URL alone."""

from __future__ import annotations

import asyncio
import json
import urllib.request

import pytest

# Their own troubles: a package that is retired, requests that leave sockets to the collector.
pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


async def test_exa_py_searches_and_reads(reading_server, site):
    """`search`, `search_and_contents`, `get_contents` and `answer`."""
    from exa_py import Exa

    exa = Exa("anything", base_url=f"{reading_server.url}/exa")

    found = await asyncio.to_thread(exa.search, "otters", num_results=3)
    read = await asyncio.to_thread(exa.get_contents, [site + "otters", site + "missing"])
    answer = await asyncio.to_thread(exa.answer, "otters", user_location={"country": "JP"})

    assert len(found.results) == 3
    assert found.results[0].url.startswith("http")
    assert "hold hands" in read.results[0].text
    assert [s.status for s in read.statuses] == ["success", "error"]
    assert answer.answer


async def test_langchains_searxng_wrapper_searches(server, make_key):
    """It asks the host itself, without /search, and has no place for a key but the address.

    So have Open WebUI and Khoj, which ask with requests as well.
    """
    from langchain_community.utilities import SearxSearchWrapper

    free = SearxSearchWrapper(searx_host=f"{server.url}/searxng")
    assert await asyncio.to_thread(free.run, "otters")
    host = server.url.replace("http://", f"http://any:{await make_key(server)}@")
    keyed = SearxSearchWrapper(searx_host=f"{host}/searxng")
    rows = await asyncio.to_thread(keyed.results, "otters", num_results=2)

    assert [set(r) >= {"snippet", "title", "link"} for r in rows] == [True, True]


async def test_langchains_brave_wrapper_searches(server):
    """Its base URL is a field of the class."""
    from langchain_community.utilities.brave_search import BraveSearchWrapper

    wrapper = BraveSearchWrapper(api_key="anything", base_url=f"{server.url}/res/v1/web/search")

    rows = json.loads(await asyncio.to_thread(wrapper.run, "otters"))

    assert rows
    assert set(rows[0]) == {"title", "link", "snippet"}


async def test_langchains_serper_wrapper_searches(server, monkeypatch):
    """Its address is a constant: the session below it is pointed here."""
    from langchain_community.utilities import GoogleSerperAPIWrapper

    wrapper = GoogleSerperAPIWrapper(serper_api_key="anything")
    monkeypatch.setattr(
        "langchain_community.utilities.google_serper.requests.post",
        _redirected("https://google.serper.dev", f"{server.url}/serper"),
    )

    found = await asyncio.to_thread(wrapper.results, "otters")

    assert found["organic"][0]["link"].startswith("http")


def _redirected(old: str, new: str):
    import requests

    real = requests.post
    return lambda url, *args, **options: real(url.replace(old, new), *args, **options)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/gpt-researcher?query=otters", None),
        ("/openwebui/search", {"query": "otters", "count": 2}),
        ("/jina/s/?q=otters", None),
        ("/v1/search/kensaku", {"query": "otters"}),
        ("/perplexity/search", {"query": ["otters", "seals"]}),
        ("/search?q=otters&format=json", None),
        ("//res/v1/news/search?q=otters", None),
    ],
)
async def test_a_plain_request_is_answered(server, path, body):
    """As applications without a client of their own send it."""

    def send() -> bytes:
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json", "Authorization": "Bearer x"}
        request = urllib.request.Request(server.url + path, data, headers)
        with urllib.request.urlopen(request) as reply:
            return reply.read()

    assert b"http" in await asyncio.to_thread(send)

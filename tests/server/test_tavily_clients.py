"""Tavily's official Python client, unmodified, sync and async, pointed here by a base URL."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from .conftest import Running

# The sync client says that two of its methods are old.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

EVERYTHING = {
    "search_depth": "basic",
    "topic": "general",
    "time_range": "year",
    "days": 7,
    "max_age_hours": 24,
    "max_results": 2,
    "include_domains": ["127.0.0.1"],
    "exclude_domains": ["spam.example"],
    "include_domains_mode": "restrict",
    "include_answer": "advanced",
    "include_raw_content": "text",
    "include_images": True,
    "country": "japan",
    "auto_parameters": True,
    "include_favicon": True,
    "include_usage": True,
    "exact_match": False,
    "fetch_timeout": 5.0,
    "cache_fallback": True,
    "language": "en",
    "filter_by_language": False,
    "timeout": 30,
    "include_image_descriptions": True,
    "include_published_date": True,
    "chunks_per_source": 2,
    "safe_search": False,
    "session_id": "session",
    "human_id": "somebody",
    "client_name": "tests",
    "project_id": "project",
    "an_option_of_next_year": {"any": ["thing"]},
}


class Caller:
    """One way to call either client."""

    def __init__(self, client: Any) -> None:
        self._client = client

    async def __call__(self, method: str, *args: Any, **options: Any) -> Any:
        function = getattr(self._client, method)
        if inspect.iscoroutinefunction(function):
            return await function(*args, **options)
        return await asyncio.to_thread(function, *args, **options)


@pytest.fixture(params=["TavilyClient", "AsyncTavilyClient"], ids=["sync", "async"])
async def connect(request) -> AsyncIterator[Any]:
    """Make clients of a server, sync or async."""
    import tavily

    made: list[Any] = []

    def make(server: Running, key: str | None = "anything") -> Caller:
        made.append(getattr(tavily, request.param)(key, api_base_url=server.url))
        return Caller(made[-1])

    yield make
    for client in made:
        done = client.close()
        if inspect.isawaitable(done):
            await done


@pytest.fixture
def call(connect, reading_server, found) -> Caller:
    """A client of a server whose searches find the pages of a site."""
    return connect(reading_server)


async def test_a_search_with_every_parameter(call, upstream, site):
    """Nothing that the client can send is refused, and what was asked for is in the reply."""
    reply = await call("search", "otters", **EVERYTHING)

    assert reply["query"] == "otters"
    assert reply["follow_up_questions"] is None
    assert reply["answer"]
    assert reply["usage"] == {"credits": 1}
    assert reply["auto_parameters"]["topic"] == "general"
    assert all({"url", "description"} == image.keys() for image in reply["images"])
    first = reply["results"][0]
    assert first["url"] == site + "otters"
    assert {"title", "content", "score", "raw_content", "favicon", "images", "id"} <= first.keys()
    assert [r["score"] for r in reply["results"]] == [0.9, 0.5]
    sent = upstream.asked("tavily")[0].json
    assert sent["country"] == "japan"
    assert sent["include_domains"] == ["127.0.0.1"]


async def test_a_plain_search_has_every_list(call):
    """Clients read them without looking whether they are there."""
    reply = await call("search", "otters")

    assert reply["images"] == []
    assert reply["answer"] is None
    assert len(reply["results"]) == 2
    assert reply["results"][0]["raw_content"] is None


async def test_pages_are_extracted(call, site):
    """One that is not there is a failed result, not an error."""
    both = await call(
        "extract", [site + "otters", site + "missing"], include_images=True, format="text",
        extract_depth="advanced", include_favicon=True, include_usage=True,
    )  # fmt: skip
    one = await call("extract", site + "otters", query="sleep", chunks_per_source=1)

    (page,) = both["results"]
    assert "hold hands" in page["raw_content"]
    assert page["favicon"].endswith("/favicon.ico")
    assert [f["url"] for f in both["failed_results"]] == [site + "missing"]
    assert both["usage"] == {"credits": 2}
    assert one["failed_results"] == []
    assert 0 < len(one["results"][0]["raw_content"]) <= 500


async def test_a_site_is_crawled_and_mapped(call, site):
    """With patterns and with instructions."""
    crawled = await call(
        "crawl", site, max_depth=1, max_breadth=10, limit=10, instructions="about otters",
        select_paths=["/.*"], exclude_paths=["/kelp.*"], allow_external=False,
        include_images=True, format="markdown", include_favicon=True, include_usage=True,
    )  # fmt: skip
    listed = await call("map", site, max_depth=1, limit=10, include_usage=True)

    assert crawled["base_url"] == site
    assert site + "otters" in [p["url"] for p in crawled["results"]]
    assert site + "kelp" not in [p["url"] for p in crawled["results"]]
    assert set(listed["results"]) >= {site + "otters", site + "kelp"}
    assert listed["usage"]["credits"] == 1


async def test_the_search_context_is_cut_at_its_tokens(call, monkeypatch, site):
    """The client counts with tiktoken, whose tables it would download: here each byte is a token,
    by an encoding in its registry."""
    import tiktoken

    each_byte = tiktoken.Encoding(
        "bytes",
        pat_str=r"(?s:.)",
        mergeable_ranks={bytes([n]): n for n in range(256)},
        special_tokens={},
    )
    monkeypatch.setitem(tiktoken.registry.ENCODINGS, "cl100k_base", each_byte)

    whole = json.loads(await call("get_search_context", "otters"))
    cut = json.loads(await call("get_search_context", "otters", max_tokens=100))

    parsed = json.loads(whole) if isinstance(whole, str) else whole  # the sync one encodes twice
    assert [row["url"] for row in parsed] == [site + "otters", site + "kelp"]
    assert len(json.loads(cut) if isinstance(cut, str) else cut) == 1


async def test_a_question_is_answered_without_a_model(call):
    """`qna_search` returns the answer alone."""
    assert "Otters" in await call("qna_search", "What do otters hold?", search_depth="basic")


async def test_company_info_is_three_searches(server):
    """Of news, the web and finance; it sorts by score, which every result has."""
    from tavily import AsyncTavilyClient

    async with AsyncTavilyClient("anything", api_base_url=server.url) as client:
        rows = await client.get_company_info("otters", search_depth="basic", max_results=4)

    assert len(rows) == 4
    scores = [row["score"] for row in rows]
    assert scores == sorted(scores, reverse=True)


async def test_without_a_key_it_searches_and_reads(connect, reading_server, site):
    """Keyless mode: the client itself refuses the rest."""
    from tavily.errors import KeylessUnsupportedEndpointError

    call = connect(reading_server, None)

    assert (await call("search", "otters"))["results"]
    assert (await call("extract", site + "otters"))["results"]
    with pytest.raises(KeylessUnsupportedEndpointError):
        await call("map", site)


async def test_a_trailing_slash_in_the_base_url_does_no_harm(server):
    """The sync client joins base and path to `//search`."""
    from tavily import TavilyClient

    with TavilyClient("anything", api_base_url=server.url + "/") as client:
        reply = await asyncio.to_thread(client.search, "otters")

    assert reply["results"]


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("search", {"query": "otters", "topic": "sport"}, "topic is 'sport'"),
    ("search", {"query": "o" * 401}, "Max query length is 400"),
    ("search", {"query": "otters", "max_results": 21}, "max_results is 21"),
    ("search", {"query": "otters", "country": "Atlantis"}, "Invalid country"),
    ("extract", {"urls": ["https://a.example/"] * 21}, "Max 20 URLs"),
    ("crawl", {"url": "https://a.example/", "max_depth": 9}, "max_depth is 9"),
    ("map", {"url": "https://a.example/", "select_paths": ["("]}, "\\("),
]


async def test_a_wrong_value_is_the_clients_own_error(connect, server, upstream):
    """400 with the sentence, and nothing is sent."""
    from tavily.errors import BadRequestError

    call = connect(server)
    for method, arguments, said in WRONG:
        with pytest.raises(BadRequestError, match=said):
            await call(method, **arguments)
    assert not upstream.requests


async def test_a_wrong_key_a_rate_and_a_quota_are_the_clients_own_errors(connect, server, make_key):
    """401, 429 and 432."""
    from tavily.errors import ForbiddenError, InvalidAPIKeyError, UsageLimitExceededError

    slow = await make_key(server, rate="1/h")
    few = await make_key(server, searches_per_day=1)

    for wrong in ("tvly-wrong", None):
        with pytest.raises(InvalidAPIKeyError, match="missing or invalid API key"):
            await connect(server, wrong)("search", "otters")
    for key, error, said in (
        (slow, UsageLimitExceededError, "too many requests"),
        (few, ForbiddenError, "searches of the day"),
    ):
        call = connect(server, key)
        assert (await call("search", "otters"))["results"]
        with pytest.raises(error, match=said):
            await call("search", "otters")

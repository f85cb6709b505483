"""Tavily and the other providers behind the assistant's interface."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kensaku.compat.terminal import (
    get_default_web_search_provider,
    get_web_search_provider,
)
from kensaku.providers.tavily import Tavily

from .doubles import KELP, NO_KEY, OTTER, with_answer


def test_tavily_is_the_default_with_a_secret():
    """(S4-21, S4-47)"""
    tavily = get_default_web_search_provider()

    assert (tavily.id, tavily.label) == ("tavily", "Tavily")
    assert tavily.sensitive_setting_keys == ("webSearch.tavily.apiKey",)


def test_it_is_configured_when_there_is_a_key(make_deps):
    """(S4-20, S4-52)"""
    tavily = get_web_search_provider("tavily")

    assert tavily.is_configured(make_deps()) is True
    assert tavily.is_configured(make_deps(keys=False)) is False
    assert tavily.is_configured(make_deps(TAVILY_API_KEY="")) is False


async def test_without_a_key_it_says_where_one_belongs(make_deps, upstream):
    """(S4-15, S4-52)"""
    with pytest.raises(Exception) as caught:
        await get_web_search_provider("tavily").search("otter", make_deps(keys=False))

    assert str(caught.value) == NO_KEY
    assert upstream.requests == []


async def test_the_request_is_the_documents_with_the_key_in_its_header(deps, upstream):
    """POST /search as JSON. What is sent besides the query is the API's default, or what the
    document shows: the answer box, the dates (S4-13, S4-14, S4-30, S4-31, S4-52)."""
    await get_web_search_provider("tavily").search("otter", deps)

    (asked,) = upstream.requests
    assert (asked.method, asked.path) == ("POST", "/tavily/search")
    assert Tavily.url == "https://api.tavily.com"
    assert asked.headers["content-type"] == "application/json"
    assert asked.headers["authorization"] == "Bearer tavily-test-key"
    assert "tavily-test-key" not in asked.body.decode()
    shown = {"include_answer": True, "include_published_date": True}
    defaults = {"search_depth": "basic", "max_results": 5}
    assert asked.json == {"query": "otter", **shown, **defaults}


async def test_the_reply_is_mapped(deps, upstream):
    """`published_date` → `publishedDate`, `answer` → `answerBox` (S4-19, S4-52)."""
    with_answer(upstream, [OTTER, KELP], "They float.")

    found = await get_web_search_provider("tavily").search("otter", deps)

    assert found.to_dict() == {
        "query": "otter",
        "results": [
            {"title": "Sea otters", "url": OTTER.url, "content": "They hold hands.",
             "score": 0.9, "publishedDate": "2026-01-02"},
            {"title": "Kelp", "url": KELP.url, "content": "It grows fast."},
        ],
        "answerBox": "They float.",
    }  # fmt: skip


async def test_the_query_is_the_replys(deps, upstream):
    """What was searched for, which may not be what was asked (S4-02, S4-19)."""
    with_answer(upstream, [OTTER])  # its reply has the query "otter"
    long = "otter " * 100

    corrected = await get_web_search_provider("tavily").search("oter", deps)
    again = await get_web_search_provider("tavily").search("oter", deps)  # from the cache
    cut = await get_web_search_provider("tavily").search(long, deps)

    assert [found.query for found in (corrected, again, cut)] == ["otter"] * 3
    assert len(upstream.requests) == 2


async def test_no_results_are_an_empty_list(deps, upstream):
    """(S4-19)"""
    with_answer(upstream, [])

    found = await get_web_search_provider("tavily").search("otter", deps)

    assert (list(found.results), found.answer_box) == ([], None)


async def test_the_answer_box_is_the_upstreams(deps, upstream):
    """Sentences that the core picks out of the results are not in its place (S4-19, S4-30)."""
    with_answer(upstream, [replace(OTTER, content="The otter is a swimming mammal of the sea.")])

    found = await get_web_search_provider("tavily").search("otter", deps)

    assert found.results
    assert found.answer_box is None


async def test_a_search_is_logged_before_and_after(deps, upstream):
    """(S4-16, S4-18)"""
    with_answer(upstream, [OTTER, KELP], "They float.")

    await get_web_search_provider("tavily").search("otter", deps)

    assert deps.logging_service.of("debug") == [
        ("Executing Tavily web search", {"query": "otter"}),
        ("Tavily search completed", {"resultCount": 2, "hasAnswer": True}),
    ]
